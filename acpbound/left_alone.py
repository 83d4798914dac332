"""Large payloads that the contract leaves alone, and why.

Strategy: ask ``eligibility`` what is covered; only what it refuses is described here, in words for
the person who reads a report.

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


class Payload(NamedTuple):
    """A large payload that stays: where it stands, its bytes of compact JSON, and the reason."""

    where: str
    size: int
    reason: str


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


def large_payloads(frame: object, budget: int) -> Iterator[Payload]:
    """The payloads of a decoded frame that stay beyond ``budget`` bytes, whatever is bounded."""
    has_updates = False
    for _, update in updates_in(frame):
        has_updates = True
        kind = str(update.get("sessionUpdate"))
        if not is_tool_call(update):
            size = len(json_bytes(update, ensure_ascii=False))
            if size > budget:
                yield Payload(kind, size, "not a tool update")
            continue
        covered = eligible_fields(update)
        for field, value in update.items():
            size = 0 if field in covered else len(json_bytes(value, ensure_ascii=False))
            if size > budget:
                reason = "A2UI" if is_a2ui(update) else _field_reason(update, field)
                yield Payload(f"{kind}.{field}", size, reason)
    if not has_updates:
        size = len(json_bytes(frame, ensure_ascii=False))
        if size > budget:
            method = frame.get("method") if isinstance(frame, dict) else None
            yield Payload(str(method or "response"), size, "no session update")
