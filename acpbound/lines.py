"""Lines of a stream bounded: one by one, or as they stand in chunks cut anywhere.

Strategy: most lines are short. A stretch in which no line is longer than the budget is found by a
few jumps from newline to newline and leaves as it came, without being cut into lines; only the
lines beyond are handled one by one.

Rules: lines end at byte 0x0A only; a line no longer than the budget is not parsed, since no field
in it can be longer; a line that cannot be read, or in which nothing changes, is forwarded byte for
byte; one warning tells of unreadable lines, without their content; nothing is held but the line
that is not complete.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from acpbound.projection import Projector
from acpbound.splice import UnreadableLineError, bound_line

#: A frame begins a line, maybe after space (the spaces that ``bytes.lstrip`` knows, 0x0A apart).
_begins_frame = re.compile(rb"[ \t\r\v\f]*[{\[]").match
_later_frames = re.compile(rb"\n[ \t\r\v\f]*[{\[]").findall


@dataclass
class FilterCounts:
    """What passed a filter; ``frames`` are lines that begin as a JSON object or array."""

    frames: int = 0
    frames_bounded: int = 0
    bytes_in: int = 0
    bytes_out: int = 0

    def __str__(self) -> str:
        return (
            f"{self.frames} frames, {self.frames_bounded} bounded, "
            f"{self.bytes_in} bytes in, {self.bytes_out} bytes out"
        )


class LineFilter:
    """Bounds the lines of one stream and counts them.

    ``warn`` is called once, with a sentence, when a line longer than the budget cannot be read.
    ``record``, if given, is called with every line, whatever its length, before it is bounded.
    """

    def __init__(
        self,
        projector: Projector,
        warn: Callable[[str], object],
        record: Callable[[bytes], object] | None = None,
    ) -> None:
        self.counts = FilterCounts()
        self.budget: Final = projector.budget
        self._projector = projector
        self._warn: Callable[[str], object] | None = warn
        self._record = record
        self._lines = 0

    def bound(self, line: bytes) -> bytes:
        """The line as it should leave; the very object if nothing changes."""
        if len(line) - line.endswith(b"\n") <= self.budget:
            return self.pass_short(line)
        if self._record is not None:
            self._record(line)
        self._lines += 1
        bounded = line
        try:
            bounded = bound_line(line, self._projector)
        except UnreadableLineError as error:
            self._warn_once(str(error))
        counts = self.counts
        counts.frames += _begins_frame(line) is not None
        counts.frames_bounded += bounded is not line
        counts.bytes_in += len(line)
        counts.bytes_out += len(bounded)
        return bounded

    def pass_short(self, lines: bytes) -> bytes:
        """One or more whole lines within the budget, as they came."""
        if self._record is not None:
            for line in lines.split(b"\n"):
                self._record(line)
        counts = self.counts
        # A last line without its newline is counted, where it is the last of all.
        self._lines += lines.count(b"\n")
        counts.frames += (_begins_frame(lines) is not None) + len(_later_frames(lines))
        counts.bytes_in += len(lines)
        counts.bytes_out += len(lines)
        return lines

    def _warn_once(self, reason: str) -> None:
        if self._warn is not None:
            self._warn(f"line {self._lines} is {reason}; it and any like it pass through unchanged")
            self._warn = None


class ChunkFilter:
    """Bounds a stream that arrives in chunks, which may be cut anywhere."""

    def __init__(self, line_filter: LineFilter) -> None:
        self._filter = line_filter
        self._held: list[bytes] = []

    def feed(self, chunk: bytes) -> bytes:
        """All lines that ``chunk`` completes, bounded; the very object if that is all of it."""
        end = chunk.rfind(b"\n") + 1
        pieces: list[bytes] = []
        if end:
            start = 0
            if self._held:
                start = chunk.index(b"\n") + 1
                pieces.append(self._filter.bound(b"".join((*self._held, chunk[:start]))))
                self._held.clear()
            self._bound_lines(chunk, start, end, pieces)
        if end < len(chunk):
            self._held.append(chunk[end:])
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def end(self) -> bytes:
        """What is left when the stream has ended: a last line without a newline, bounded."""
        line = b"".join(self._held)
        self._held.clear()
        return self._filter.bound(line) if line else b""

    def _bound_lines(self, chunk: bytes, start: int, end: int, pieces: list[bytes]) -> None:
        """Add the whole lines of ``chunk[start:end]`` to ``pieces``."""
        short_from = start
        while start < end:
            # All lines up to the last newline that is no further than a budget are within it.
            newline = chunk.rfind(b"\n", start, start + self._filter.budget + 1)
            if newline < 0:
                if short_from < start:
                    pieces.append(self._filter.pass_short(chunk[short_from:start]))
                newline = chunk.index(b"\n", start)
                short_from = newline + 1
                pieces.append(self._filter.bound(chunk[start:short_from]))
            start = newline + 1
        if short_from < end:
            pieces.append(self._filter.pass_short(chunk[short_from:end]))
