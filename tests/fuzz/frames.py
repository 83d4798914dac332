"""Decoded frames through ``project_frame``: both implementations, pure, bounded, a fixed point."""

from __future__ import annotations

import json

from tests import slow
from tests.fuzz.material import LINES, WORDS, both
from tests.oracle import BUDGET, bounded_places
from tests.strategies import wire_bytes

__all__ = ["SEEDS", "WORDS", "check"]

_MODULES = both("frames", "projection")
_FIELDS = ("content", "rawInput", "rawOutput", "_meta")
SEEDS = [bytes([mode]) + line for line in LINES for mode in range(3)]


def _refuse(name):
    raise ValueError(name)


def check(data):
    """The bytes after the first as JSON, projected in the manner that the first one tells."""
    mode = data[0] if data else 0
    try:
        frame = json.loads(data[1:].decode(), parse_constant=_refuse)
        before = wire_bytes(frame)
    except (ValueError, RecursionError):
        return
    ensure_ascii = bool(mode & 1)
    also = _FIELDS if mode & 2 else ()
    projected = []
    for frames, projection in _MODULES:
        projector = projection.Projector(BUDGET, ensure_ascii=ensure_ascii, also=also)
        result = frames.project_frame(frame, projector)
        assert wire_bytes(frame) == before
        assert frames.project_frame(result, projector) is result
        assert (result is frame) == (wire_bytes(result) == before)
        projected.append(wire_bytes(result))
        for (_, update), (_, bounded) in zip(
            frames.updates_in(frame), frames.updates_in(result), strict=True
        ):
            assert list(update) == list(bounded)
            _check_texts(update, bounded, ensure_ascii, also)
    assert projected[0] == projected[1]
    if not also and not ensure_ascii:
        # By value nothing is left that may not stay.
        assert not bounded_places(projected[0])


def _check_texts(update, bounded, ensure_ascii, also):
    raw, shown = update.get("rawOutput"), bounded.get("rawOutput")
    if isinstance(raw, str) and shown is not raw:
        assert len(wire_bytes(shown, ensure_ascii)) <= BUDGET
        assert slow.payload(raw, ensure_ascii) + 2 > BUDGET
    for field in _FIELDS:
        if bounded.get(field) is not update.get(field):
            assert field in also or field in ("content", "rawOutput")
            assert len(wire_bytes(bounded[field], ensure_ascii)) <= BUDGET
