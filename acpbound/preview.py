"""Texts cut to their shares: head, marker, tail.

Of a text's share less the marker the head gets a fifth and the tail the rest; both are whole
code points from the two ends, and bytes that the head cannot use do not move to the tail. Several
texts share a budget by max-min shares (``allocation``).

Rules: the pieces are copies, so that a preview keeps nothing of the large text alive; the result
is a plain ``str`` whatever was given.
"""

from __future__ import annotations

from acpbound._core import demands, prefix_end, suffix_start
from acpbound.allocation import max_min_shares
from acpbound.contract import MARKER, MARKER_PAYLOAD


def preview(text: str, share: int, ensure_ascii: bool) -> str:
    """Head + MARKER + tail of a text whose payload exceeds ``share`` bytes.

    ``share`` counts payload bytes and is at least ``MARKER_PAYLOAD``.
    """
    room = share - MARKER_PAYLOAD
    head_room = room // 5
    head_end = prefix_end(text, head_room, ensure_ascii)
    tail_start = suffix_start(text, room - head_room, ensure_ascii)
    # str's own method: a subclass may override slicing.
    head = str.__getitem__(text, slice(head_end))
    tail = str.__getitem__(text, slice(tail_start, None))
    return f"{head}{MARKER}{tail}"


def share_among(texts: list[str], available: int, ensure_ascii: bool) -> list[str] | None:
    """The texts within ``available`` payload bytes: those over their max-min share as previews.

    A text whose demand is met is the same object. None if not even the reserves fit, room for a
    marker in each text or the whole of a text that is smaller.
    """
    wanted = demands(texts, available, MARKER_PAYLOAD, ensure_ascii)
    if wanted is None:
        return None
    shares = max_min_shares(wanted, available, MARKER_PAYLOAD)
    return [
        text if demand <= share else preview(text, share, ensure_ascii)
        for text, demand, share in zip(texts, wanted, shares, strict=True)
    ]
