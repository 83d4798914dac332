"""Cursors: any word is refused with a CursorError, any position comes back as it went in."""

from __future__ import annotations

import io

from tests.fuzz.material import Bytes, both
from tests.histories import long_chat
from tests.strategies import line_of

_MODULES = both("cursor", "conversion", "transcript_reader")
_CONTENT = b"".join(map(line_of, long_chat()))


def _transcript(modules, content=_CONTENT, session_id="s"):
    return modules[2].Transcript(io.BytesIO(content), session_id, "path")


def _encode(modules, *position):
    return modules[0].encode_cursor(_transcript(modules), modules[1].Position(*position))


_WORDS = [_encode(_MODULES[0], 0, 0, 0, None, 0), _encode(_MODULES[0], 500, 2, 1, 90, 900)]
SEEDS = [bytes([mode]) + word.encode() for mode in range(3) for word in _WORDS]
WORDS = [b"AQ", b"====", *(word.encode()[:20] for word in _WORDS)]


def check(data):
    """The bytes as a cursor, as damage to one, or as a position."""
    mode, rest = (data[0] % 3, data[1:]) if data else (0, b"")
    for modules in _MODULES:
        if mode == 0:
            _check_word(modules, rest.decode("utf-8", "surrogateescape"))
        elif mode == 1:
            _check_damage(modules, Bytes(rest))
        else:
            _check_position(modules, Bytes(rest))


def _check_word(modules, word):
    transcript = _transcript(modules)
    try:
        position = modules[0].decode_cursor(transcript, word)
    except modules[0].CursorError:
        return
    assert modules[0].encode_cursor(transcript, position) == word


def _check_damage(modules, drawn):
    word = _WORDS[drawn.number(2)]
    at, new = drawn.number(len(word)), drawn.text()
    damaged = word[:at] + new + word[at + len(new) :]
    if damaged != word:
        try:
            modules[0].decode_cursor(_transcript(modules), damaged)
        except modules[0].CursorError:
            return
        raise AssertionError(f"{damaged!r} was taken for a cursor")


def _check_position(modules, drawn):
    cursor, conversion, _ = modules
    seen = drawn.number(len(_CONTENT) + 1)
    open_from = None if drawn.number(2) else drawn.number(65_536)
    numbers = [drawn.number(65_536) for _ in range(3)]
    position = conversion.Position(*numbers, open_from, seen)
    word = cursor.encode_cursor(_transcript(modules), position)
    assert cursor.decode_cursor(_transcript(modules), word) == position
    # More records later, or none after what was seen: the cursor lives.
    for content in (_CONTENT + b"{}\n", _CONTENT[:seen]):
        assert cursor.decode_cursor(_transcript(modules, content), word) == position
    refused = [_transcript(modules, session_id="other")]
    if seen:
        refused.append(_transcript(modules, _CONTENT[: seen - 1]))
        refused.append(_transcript(modules, b"x" + _CONTENT))
    for transcript in refused:
        try:
            cursor.decode_cursor(transcript, word)
        except cursor.CursorError:
            continue
        raise AssertionError(f"a cursor of {position} was taken for another file's")
