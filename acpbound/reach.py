"""Reach beyond the contract: fields whose objects and arrays are bounded because a user named them.

Strategy: the mechanism is the one that shares a budget over the blocks of ``content``; only where
the texts stand differs (``structure``). Nothing is widened by default.

Rules: shape is never given up. A field whose structure leaves no room for its texts stays as it
is, and the reason is told.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from acpbound._core import fits
from acpbound.contract import CONTENT, RAW_OUTPUT
from acpbound.native import payload_bytes
from acpbound.preview import share_among
from acpbound.structure import NotJsonError, TextStructure

#: The fields that can be named.
REACHABLE_FIELDS = (CONTENT, "rawInput", RAW_OUTPUT, "_meta")

STRUCTURE_TOO_LARGE = "its structure alone exceeds the budget"
NO_ROOM_FOR_MARKERS = "its structure leaves no room for markers"


class BoundedStructure(NamedTuple):
    """A field within its budget, its texts before and after, and its JSON bytes now."""

    value: Any
    before: list[str]
    after: list[str]
    json_bytes: int


class StructureLeftAlone(NamedTuple):
    """A field that cannot be bounded and stays over its budget."""

    reason: str


def reachable_fields(names: Iterable[str]) -> tuple[str, ...]:
    """The fields in ``names``, in the order of REACHABLE_FIELDS.

    Raises ValueError, which lists the known ones, for any other name.
    """
    wanted = {names} if isinstance(names, str) else set(names)
    unknown = sorted(map(repr, wanted.difference(REACHABLE_FIELDS)))
    if unknown:
        known = ", ".join(REACHABLE_FIELDS)
        raise ValueError(f"{', '.join(unknown)} cannot be reached; the fields are {known}")
    return tuple(field for field in REACHABLE_FIELDS if field in wanted)


def bound_structure(
    field: str, value: Any, budget: int, ensure_ascii: bool
) -> BoundedStructure | StructureLeftAlone | None:
    """An object or array with its texts cut to share the budget; None if it is within it.

    What is no object or array, or no JSON at all, is None too: it is not for this module.
    """
    is_array = isinstance(value, (list, tuple))
    if not is_array and (field == CONTENT or not isinstance(value, dict)):
        return None
    try:
        structure = TextStructure(value, budget, ensure_ascii, text_blocks_only=field == CONTENT)
    except NotJsonError:
        return None
    texts = structure.texts
    available = budget - structure.json_bytes
    if available < 0:
        return StructureLeftAlone(STRUCTURE_TOO_LARGE)
    if fits(texts, available, ensure_ascii):
        return None
    shown = share_among(texts, available, ensure_ascii)
    if shown is not None:
        json_bytes = structure.json_bytes + payload_bytes(shown, ensure_ascii)
        if json_bytes <= budget:
            return BoundedStructure(structure.with_texts(shown), texts, shown, json_bytes)
    return StructureLeftAlone(NO_ROOM_FOR_MARKERS)
