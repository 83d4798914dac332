"""A text cut to a share: head, marker, tail.

Of the share less the marker the head gets a fifth and the tail the rest; both are whole code
points from the two ends, and bytes that the head cannot use do not move to the tail.

Rules: the pieces are copies, so that a preview keeps nothing of the large text alive; the result
is a plain ``str`` whatever was given.
"""

from __future__ import annotations

from acpbound._core import prefix_end, suffix_start
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
