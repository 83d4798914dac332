"""Large payloads that bounding leaves alone, why, and what would reach them.

Strategy: ask ``eligibility`` and ``reach`` what is covered; only what they refuse is described
here, in words for the person who reads a report.

Rules: no policy; a payload is large if it alone would exceed a field's budget.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from acpbound._core import canonical_texts
from acpbound.contract import CONTENT, RAW_OUTPUT
from acpbound.eligibility import eligible_fields, is_a2ui, is_tool_call
from acpbound.frames import updates_in
from acpbound.native import json_bytes
from acpbound.projection import Projector
from acpbound.reach import (
    REACHABLE_FIELDS,
    BoundedStructure,
    StructureLeftAlone,
    bound_structure,
)


class Payload(NamedTuple):
    """A large payload that stays."""

    where: str
    size: int  #: bytes of compact JSON
    reason: str
    also: str | None  #: the field that would bound it, if it were named


def _block_reason(block: object) -> str:
    """Why one block of content makes its array ineligible."""
    kind = block.get("type") if isinstance(block, dict) else None
    if kind != "content":
        return kind if kind in ("diff", "terminal") else "block of another kind"
    inner = block.get("content") if isinstance(block, dict) else None
    inner_kind = inner.get("type") if isinstance(inner, dict) else None
    if inner_kind == "text":
        return "extra key"
    return f"{inner_kind} block" if isinstance(inner_kind, str) else "block of another kind"


def _field_reason(update: dict[str, Any], field: str) -> str:
    if field == RAW_OUTPUT:
        return "structured rawOutput"
    if field != CONTENT:
        return field if field in ("_meta", "rawInput") else "another member"
    content = update[CONTENT]
    if not isinstance(content, list):
        return "content that is no array"
    return next(_block_reason(block) for block in content if canonical_texts([block]) is None)


def _large_fields(update: dict[str, Any], projector: Projector) -> Iterator[Payload]:
    covered = eligible_fields(update)
    budget = projector.budget
    for field, value in update.items():
        size = 0 if field in covered else len(json_bytes(value, ensure_ascii=False))
        if size <= budget:
            continue
        where = f"{update['sessionUpdate']}.{field}"
        if is_a2ui(update):
            yield Payload(where, size, "A2UI", None)
            continue
        reached = None
        if field in REACHABLE_FIELDS:
            reached = bound_structure(field, value, budget, projector.ensure_ascii)
        can_be_bounded = isinstance(reached, BoundedStructure)
        if field not in projector.also:
            also = field if can_be_bounded else None
            yield Payload(where, size, _field_reason(update, field), also)
        elif isinstance(reached, StructureLeftAlone):
            yield Payload(where, size, reached.reason, None)
        elif not can_be_bounded:
            yield Payload(where, size, _field_reason(update, field), None)


def large_payloads(frame: object, projector: Projector) -> Iterator[Payload]:
    """The payloads of a decoded frame that alone exceed the budget and stay as they are."""
    budget = projector.budget
    has_updates = False
    for _, update in updates_in(frame):
        has_updates = True
        kind = str(update.get("sessionUpdate"))
        if not is_tool_call(update):
            size = len(json_bytes(update, ensure_ascii=False))
            if size > budget:
                yield Payload(kind, size, "not a tool update", None)
            continue
        yield from _large_fields(update, projector)
    if not has_updates:
        size = len(json_bytes(frame, ensure_ascii=False))
        if size > budget:
            method = frame.get("method") if isinstance(frame, dict) else None
            yield Payload(str(method or "response"), size, "no session update", None)
