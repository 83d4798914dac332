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
from io import BytesIO
from typing import Final

from acpbound.projection import Projector
from acpbound.splice import UnreadableLineError, bound_line

#: Bytes to be written; a view where they stand in a chunk as they came.
Piece = bytes | memoryview

#: A message or a batch begins a line, maybe after space (what ``bytes.lstrip`` knows, but 0x0A).
_FRAME = rb"[ \t\r\v\f]*(?:\[[ \t\r\v\f]*)?{"
_begins_frame = re.compile(_FRAME).match
_later_frames = re.compile(rb"\n" + _FRAME).findall


class FilterCounts:
    """What passed a filter; ``frames`` are the lines that begin as a message or a batch."""

    # No dataclass: to import that takes a tenth of the time in which the command starts.
    def __init__(self) -> None:
        self.frames = 0
        self.frames_bounded = 0
        self.bytes_in = 0
        self.bytes_out = 0

    def __str__(self) -> str:
        return (
            f"{self.frames} frames, {self.frames_bounded} bounded, "
            f"{self.bytes_in} bytes in, {self.bytes_out} bytes out"
        )


class LineFilter:
    """Bounds the lines of one stream and counts them.

    ``warn`` is called once, with a sentence, when a line longer than the budget cannot be read.
    ``record``, if given, is called with every line, whatever its length, before it is bounded.
    ``count_short=False`` leaves lines within the budget out of ``counts.frames``: to look for
    their ends takes as long as to pass them on.
    """

    def __init__(
        self,
        projector: Projector,
        warn: Callable[[str], object],
        *,
        record: Callable[[bytes], object] | None = None,
        count_short: bool = True,
    ) -> None:
        self.counts = FilterCounts()
        self.budget: Final = projector.budget
        self._projector = projector
        self._warn: Callable[[str], object] | None = warn
        self._record = record
        self._count_short = count_short
        self._lines = 0

    def bound(self, line: bytes) -> bytes:
        """The line as it should leave; the very object if nothing changes."""
        if len(line) - line.endswith(b"\n") <= self.budget:
            self.pass_short(line, 0, len(line))
            return line
        if self._record is not None:
            self._record(line)
        self._lines += 1
        bounded = line
        try:
            bounded = bound_line(line, self._projector)
        except UnreadableLineError as error:
            self._warn_once(line, str(error))
        counts = self.counts
        counts.frames += _begins_frame(line) is not None
        counts.frames_bounded += bounded is not line
        counts.bytes_in += len(line)
        counts.bytes_out += len(bounded)
        return bounded

    def pass_short(self, chunk: bytes, start: int, end: int) -> memoryview:
        """The part of a chunk that holds whole lines within the budget, as they came."""
        if self._record is not None:
            for line in chunk[start:end].split(b"\n"):
                self._record(line)
        counts = self.counts
        counts.bytes_in += end - start
        counts.bytes_out += end - start
        if self._count_short:
            self._lines += chunk.count(b"\n", start, end)
            counts.frames += _begins_frame(chunk, start, end) is not None
            counts.frames += len(_later_frames(chunk, start, end))
        return memoryview(chunk)[start:end]

    def _warn_once(self, line: bytes, reason: str) -> None:
        if self._warn is not None:
            which = f"line {self._lines}" if self._count_short else f"a line of {len(line)} bytes"
            self._warn(f"{which} is {reason}; it and any like it pass through unchanged")
            self._warn = None


class ChunkFilter:
    """Bounds a stream that arrives in chunks, which may be cut anywhere."""

    def __init__(self, line_filter: LineFilter) -> None:
        self._filter = line_filter
        # One buffer that grows and becomes the line: a list of pieces would be there beside it.
        self._held = BytesIO()

    def feed(self, chunk: bytes) -> list[Piece]:
        """All lines that ``chunk`` completes, bounded, in pieces to be written in order."""
        end = chunk.rfind(b"\n") + 1
        pieces: list[Piece] = []
        start = 0
        if end and self._held.tell():
            start = chunk.index(b"\n") + 1
            self._held.write(memoryview(chunk)[:start])
            pieces.append(self._filter.bound(self._taken()))
        if start < end:
            self._bound_lines(chunk, start, end, pieces)
        if end < len(chunk):
            self._held.write(memoryview(chunk)[end:])
        return pieces

    def end(self) -> list[Piece]:
        """What is left when the stream has ended: a last line without a newline, bounded."""
        line = self._taken()
        return [self._filter.bound(line)] if line else []

    def _taken(self) -> bytes:
        """What was held, which is held no longer."""
        line = self._held.getvalue()
        self._held = BytesIO()
        return line

    def _bound_lines(self, chunk: bytes, start: int, end: int, pieces: list[Piece]) -> None:
        """Add the whole lines of ``chunk[start:end]`` to ``pieces``."""
        short_from = start
        while start < end:
            # All lines up to the last newline that is no further than a budget are within it.
            newline = chunk.rfind(b"\n", start, start + self._filter.budget + 1)
            if newline < 0:
                if short_from < start:
                    pieces.append(self._filter.pass_short(chunk, short_from, start))
                newline = chunk.index(b"\n", start)
                short_from = newline + 1
                pieces.append(self._filter.bound(chunk[start:short_from]))
            start = newline + 1
        if short_from < end:
            pieces.append(self._filter.pass_short(chunk, short_from, end))
