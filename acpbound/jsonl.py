"""Files of one JSON object a line: how a line gets in, and how lines come out.

Strategy: a line is appended by one write to the end of the file, under the file's lock, so that
lines of several writers follow each other. If the file does not end in a newline, a writer was cut
off: the next line brings a newline in front of it, in the same write. If a write fails half way
(full disk), the half is taken back. Reading is one pass over the bytes and holds one line.

Rules: lines end at byte 0x0A only; a last line without it counts if it is a whole object, and is
ignored otherwise; a line that is no object is reported by its place, without content, and skipped.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, BinaryIO, Final, NamedTuple

from acpbound.locking import exclusive
from acpbound.native import finite_float, refuse_constant

_BLOCK_BYTES: Final = 1 << 16

#: Told of each damaged line: its offset in bytes, and what is wrong with it.
Report = Callable[[int, str], object]


class Line(NamedTuple):
    """One object of a file and the bytes it takes there, newline included."""

    offset: int
    end: int
    value: dict[str, Any]


class DamagedLineError(ValueError):
    """A line that is no JSON object; says why, without its content."""


def append_line(fd: int, line: bytes) -> None:
    """Append ``line``, which ends in its one newline, to a file opened for reading and appending.

    Returns when all of it is written. Raises OSError if it cannot be; then nothing of it stays, or,
    if that fails too, a rest that readers ignore.
    """
    with exclusive(fd):
        start = os.lseek(fd, 0, os.SEEK_END)
        if start:
            os.lseek(fd, start - 1, os.SEEK_SET)
            if os.read(fd, 1) != b"\n":
                line = b"\n" + line
        rest = memoryview(line)
        try:
            # One write, unless the system takes less than it was given.
            while rest:
                rest = rest[os.write(fd, rest) :]
        except BaseException:
            _take_back(fd, start, len(line) - len(rest))
            raise


def _take_back(fd: int, start: int, written: int) -> None:
    """Cut off what a failed write left, unless a writer without the lock went on after it.

    If that cannot be done, the next line starts anew.
    """
    with suppress(OSError):
        if os.fstat(fd).st_size == start + written:
            os.ftruncate(fd, start)


# What is read is written again, and an infinity has no JSON.
_decode = json.JSONDecoder(parse_float=finite_float, parse_constant=refuse_constant).decode


def parse_line(line: bytes) -> dict[str, Any]:
    """The object that a line holds. Raises DamagedLineError."""
    try:
        value = _decode(line.decode())
    except UnicodeDecodeError:
        raise DamagedLineError("not UTF-8") from None
    except RecursionError:
        raise DamagedLineError("nested too deeply") from None
    except OverflowError:
        raise DamagedLineError("beyond a float in one of its numbers") from None
    except ValueError:
        raise DamagedLineError("not JSON") from None
    if not isinstance(value, dict):
        raise DamagedLineError("not an object")
    return value


def read_lines(file: BinaryIO, start: int, report: Report) -> Iterator[Line]:
    """The objects of a file from the line at byte ``start`` on; holds one line at a time."""
    if start or file.seekable():  # a pipe can be read from its start alone
        file.seek(start)
    offset = start
    # Binary files are cut at 0x0A alone.
    for line in file:
        is_ended = line.endswith(b"\n")
        end = offset + len(line)
        if not line.isspace():
            try:
                value = parse_line(line)
            except DamagedLineError as error:
                if is_ended:
                    report(offset, str(error))
            else:
                yield Line(offset, end, value)
        if not is_ended:
            # The rest may be on its way; what comes of it is not a line.
            return
        offset = end


def lines_backwards(file: BinaryIO) -> Iterator[bytes]:
    """The lines of a seekable file, the last one first, without their newlines."""
    position = file.seek(0, os.SEEK_END)
    pieces: list[bytes] = []
    while position:
        size = min(_BLOCK_BYTES, position)
        position -= size
        file.seek(position)
        first, *others = file.read(size).split(b"\n")
        for line in reversed(others):
            yield b"".join([line, *reversed(pieces)])
            pieces = []
        pieces.append(first)
    yield b"".join(reversed(pieces))
