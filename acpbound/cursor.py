"""Cursors of paged transcripts: a position in one file as an opaque word.

Strategy: a fixed binary form, so that a word of another length is known at once: version, whose
transcript, position, what the file was, checksum. A file is known by its bytes and not by its
inode: a digest of its beginning and of the last bytes before the position, which appended records
leave as they are and which a rewritten, exchanged or shortened file does not have.

Rules: a cursor needs no memory in the process, so it survives a restart; whatever is wrong with one
is said plainly; it holds no path, id or content. The checksum finds damage, it is no secret: who
makes up a cursor learns no more than the pages of the same transcript.
"""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from hashlib import blake2b
from struct import Struct
from typing import Final

from acpbound.conversion import Position
from acpbound.transcript_reader import Transcript

_VERSION: Final = 1
_form: Final = Struct(">B8sQIIqQ16s")
_CHECKSUM_BYTES: Final = 9
#: Characters of a cursor: the form and its checksum are a multiple of three, so nothing is padded.
CURSOR_CHARACTERS: Final = (_form.size + _CHECKSUM_BYTES) // 3 * 4

#: Bytes at either end of what was seen that make the file's identity.
_IDENTITY_BYTES: Final = 4096
_NO_OFFSET: Final = -1


class CursorError(ValueError):
    """A cursor that is not one of this transcript's; says why."""


class StaleCursorError(CursorError):
    """A cursor of this transcript whose file has since been shortened, rewritten or exchanged."""


def _digest(content: bytes, size: int) -> bytes:
    return blake2b(content, digest_size=size, person=b"acpbound cursor").digest()


def _owner(transcript: Transcript) -> bytes:
    return _digest(transcript.session_id.encode(), 8)


def _identity(transcript: Transcript, seen: int) -> bytes:
    """What the first ``seen`` bytes of a file are, by their beginning and their end."""
    size = min(seen, _IDENTITY_BYTES)
    return _digest(transcript.read(0, size) + transcript.read(seen - size, size), 16)


def encode_cursor(transcript: Transcript, position: Position) -> str:
    """The cursor that resumes at a position. Raises OSError."""
    open_from = _NO_OFFSET if position.open_from is None else position.open_from
    form = _form.pack(
        _VERSION,
        _owner(transcript),
        position.offset,
        position.part,
        position.closed,
        open_from,
        position.seen,
        _identity(transcript, position.seen),
    )
    return urlsafe_b64encode(form + _digest(form, _CHECKSUM_BYTES)).decode()


def decode_cursor(transcript: Transcript, cursor: object) -> Position:
    """The position that a cursor of this transcript stands for.

    Raises CursorError for one that is malformed or another transcript's, StaleCursorError for one
    whose file is no longer the same, and OSError.
    """
    form = _checked_form(cursor)
    _, owner, offset, part, closed, open_from, seen, identity = _form.unpack(form)
    if owner != _owner(transcript):
        raise CursorError("the cursor belongs to another session")
    if seen > transcript.size():
        raise StaleCursorError("the cursor is stale: the transcript is shorter than it was")
    if identity != _identity(transcript, seen):
        raise StaleCursorError("the cursor is stale: the transcript is not the file that it was")
    return Position(offset, part, closed, None if open_from == _NO_OFFSET else open_from, seen)


def _checked_form(cursor: object) -> bytes:
    if not isinstance(cursor, str):
        raise CursorError(f"a cursor is a string, not {type(cursor).__name__}")
    characters = str.__len__(cursor)
    if characters != CURSOR_CHARACTERS:
        fault = "cut short" if characters < CURSOR_CHARACTERS else "too long"
        raise CursorError(
            f"the cursor is {fault}: {characters} characters instead of {CURSOR_CHARACTERS}"
        )
    # The decoder is lenient about characters, so what it read is written again to compare.
    word = str.encode(cursor, "utf-8", "surrogatepass")
    try:
        decoded = urlsafe_b64decode(word)
    except ValueError:
        decoded = b""
    if urlsafe_b64encode(decoded) != word:
        raise CursorError("the cursor is not base64url")
    form, checksum = decoded[: _form.size], decoded[_form.size :]
    if checksum != _digest(form, _CHECKSUM_BYTES):
        raise CursorError("the cursor was changed: its checksum does not match")
    if form[0] != _VERSION:
        raise CursorError(f"the cursor has version {form[0]}; only {_VERSION} is known here")
    return form
