"""One transcript, open for reading.

Strategy: a thin handle over the file: records in one pass (``jsonl``), a few bytes at a place for
cursors, and the times that the first and the last record give.

Rules: whatever is asked, at most one line is held; a damaged line is counted, reported by its
place and never by its content, and skipped.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import BinaryIO, Final, NamedTuple

from acpbound.jsonl import DamagedLineError, Line, lines_backwards, parse_line, read_lines

_log = logging.getLogger("acpbound")


class UnknownSessionError(LookupError):
    """There is no transcript of that session or subagent."""


class DamagedLine(NamedTuple):
    """A line that was skipped."""

    path: str
    offset: int  #: bytes from the start of the file
    reason: str  #: without any of the line's content


def log_damage(damage: DamagedLine) -> None:
    """Tell of a skipped line as a warning on the logger ``acpbound``."""
    _log.warning("%s: the line at byte %d is %s; it is skipped", *damage)


def _keep_silent(offset: int, reason: str) -> None:
    """Damage on a second reading was reported on the first."""


class Transcript:
    """One session's records, open for reading; close it, or use it as a context manager.

    ``session_id`` is the id under which it is delivered. ``damaged_lines`` counts what was skipped.
    """

    def __init__(
        self,
        file: BinaryIO,
        session_id: str,
        path: str,
        on_damage: Callable[[DamagedLine], object] = log_damage,
    ) -> None:
        self.session_id: Final = session_id
        self.damaged_lines = 0
        self._file = file
        self._path = path
        self._on_damage = on_damage

    def __enter__(self) -> Transcript:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def report(self, offset: int, reason: str) -> None:
        """Count the line at byte ``offset`` as damaged and tell of it."""
        self.damaged_lines += 1
        self._on_damage(DamagedLine(self._path, offset, reason))

    def lines(self, start: int = 0, *, reported: bool = True) -> Iterator[Line]:
        """The records from the line at byte ``start`` on; holds one at a time.

        ``reported`` says whether damaged lines are reported. Raises OSError.
        """
        return read_lines(self._file, start, self.report if reported else _keep_silent)

    def read(self, offset: int, size: int) -> bytes:
        """Up to ``size`` bytes from byte ``offset`` on. Raises OSError."""
        self._file.seek(offset)
        return self._file.read(size)

    def size(self) -> int:
        """Bytes of the file, at this moment."""
        return self._file.seek(0, os.SEEK_END)

    def times(self) -> dict[str, str | None]:
        """``startTime`` and ``lastUpdated``: what the first and last whole record say, or None."""
        self._file.seek(0)
        first = _first_timestamp(self._file)
        return {"startTime": first, "lastUpdated": _first_timestamp(lines_backwards(self._file))}


def _first_timestamp(lines: Iterable[bytes]) -> str | None:
    for line in lines:
        try:
            timestamp = parse_line(line).get("timestamp")
        except DamagedLineError:
            continue
        if isinstance(timestamp, str):
            return timestamp
    return None
