"""The numbers and forms of the contract, each derived in one place.

Strategy: a size that JSON determines is measured on the JSON form itself, never typed in, so that
the form and its size cannot drift apart. All sizes are bytes of compact UTF-8 JSON.

Rules: changing a value here is a breaking change; ``MARKER`` is a constant of the wire that
clients recognise.
"""

from __future__ import annotations

import json

TYPE_CHECKING = False  # as type checkers know it; importing typing takes longer than all of this
if TYPE_CHECKING:
    from typing import Final

#: Bytes of JSON that each display field may take by default.
BUDGET: Final = 65_536

#: What stands between head and tail of a shortened text.
MARKER: Final = "\n[... truncated for ACP transport ...]\n"

#: The display fields of a tool call, in the order in which they are judged.
CONTENT: Final = "content"
RAW_OUTPUT: Final = "rawOutput"


def text_block(text: str) -> dict[str, object]:
    """A canonical content block around ``text``."""
    return {"type": "content", "content": {"type": "text", "text": text}}


def _json_bytes(value: object) -> int:
    return len(json.dumps(value, separators=(",", ":")))


#: The two quotes around a string's payload.
QUOTES_BYTES: Final = _json_bytes("")
MARKER_PAYLOAD: Final = _json_bytes(MARKER) - QUOTES_BYTES
_EMPTY_BLOCK_BYTES = _json_bytes(text_block(""))

#: The collapsed form of content, one block that holds the marker: no smaller budget makes sense.
MIN_BUDGET: Final = _json_bytes([text_block(MARKER)])


def structure_bytes(blocks: int) -> int:
    """JSON bytes of canonical content with ``blocks`` empty texts: brackets, blocks and commas."""
    commas = blocks - 1 if blocks else 0
    return len("[]") + blocks * _EMPTY_BLOCK_BYTES + commas
