"""This process's standard streams as bytes, whatever whoever started it made of them.

Strategy: buffered streams of our own over descriptors 0 and 1, because Python's may be missing
(closed), unbuffered (their writes may be short) or, over a pipe that does not block, end early.

Rules: everything is written or an error is raised; a message that stderr does not take is dropped,
never the data.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final

from acpbound.descriptors import abandon, read_available, write_all

STDIN: Final = 0
STDOUT: Final = 1
STDERR: Final = 2

_BUFFER_BYTES: Final = 1 << 18


class _WaitingStream(io.RawIOBase):
    """A descriptor that is waited for where it does not block, and written to the end."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def readable(self) -> bool:
        return self._descriptor == STDIN

    def writable(self) -> bool:
        return self._descriptor == STDOUT

    def readinto(self, buffer: Any) -> int:
        chunk = read_available(self._descriptor, len(buffer))
        buffer[: len(chunk)] = chunk
        return len(chunk)

    def write(self, data: Any) -> int:
        write_all(self._descriptor, [data])
        return len(data)


def standard_input() -> io.BufferedReader:
    """Stdin for reading bytes; OSError if it is closed."""
    if sys.stdin is None:
        raise OSError(errno.EBADF, "standard input is closed")
    return io.BufferedReader(_WaitingStream(STDIN), _BUFFER_BYTES)


def standard_output() -> io.BufferedWriter:
    """Stdout for writing bytes; OSError if it is closed."""
    if sys.stdout is None:
        raise OSError(errno.EBADF, "standard output is closed")
    return io.BufferedWriter(_WaitingStream(STDOUT), _BUFFER_BYTES)


def abandon_output() -> None:
    """Keep the interpreter from failing at exit on what stdout could not take."""
    abandon(STDOUT)


# What erases the bar that stands on the last line of stderr.
_erasing: Callable[[], str] = str


@contextmanager
def making_way(erasing: Callable[[], str]) -> Iterator[None]:
    """While a bar stands on the last line of stderr, write ``erasing()`` before each message."""
    global _erasing  # noqa: PLW0603  there is one stderr
    _erasing = erasing
    try:
        yield
    finally:
        _erasing = str


def write_message(text: str) -> None:
    """Text on stderr as it is, if somebody reads there."""
    if sys.stderr is not None:
        with suppress(OSError):
            os.write(STDERR, text.encode(errors="backslashreplace"))


def say(message: str) -> None:
    """A message on stderr, on a line of its own, if somebody reads there."""
    # One write, so that a bar drawn by another thread does not come between.
    write_message(f"{_erasing()}acpbound: {message}\n")
