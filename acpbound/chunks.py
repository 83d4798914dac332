"""A stream bounded as it arrives, in chunks that may be cut anywhere.

Strategy: a stretch of a chunk in which no line is longer than the budget is found by a few jumps
from newline to newline and leaves as a view of the chunk; a line that is not complete is held in
one buffer that grows.

Rules: lines end at byte 0x0A only; where the chunks are cut changes nothing in the output; nothing
is held but the line that is not complete, and of that no more than the longest line that is
bounded and a chunk: the rest of a longer one leaves as it comes.
"""

from __future__ import annotations

from io import BytesIO

from acpbound.lines import LineFilter, Piece


class ChunkFilter:
    """Bounds a stream that arrives in chunks, which may be cut anywhere."""

    def __init__(self, line_filter: LineFilter) -> None:
        self._filter = line_filter
        # One buffer that grows and becomes the line: a list of pieces would be there beside it.
        self._held = BytesIO()
        self._in_long_line = False

    def feed(self, chunk: bytes) -> list[Piece]:
        """All lines that ``chunk`` completes, bounded, in pieces to be written in order.

        Also whatever it has of a line that is too long to be held.
        """
        end = chunk.rfind(b"\n") + 1
        pieces: list[Piece] = []
        start = 0
        if end and self._in_long_line:
            start = chunk.index(b"\n") + 1
            pieces.append(self._filter.pass_on(memoryview(chunk)[:start]))
            self._in_long_line = False
        elif end and self._held.tell():
            start = chunk.index(b"\n") + 1
            self._held.write(memoryview(chunk)[:start])
            pieces.append(self._filter.bound(self._taken()))
        if start < end:
            self._bound_lines(chunk, start, end, pieces)
        if end < len(chunk):
            self._hold(memoryview(chunk)[end:], pieces)
        return pieces

    def _hold(self, part: memoryview, pieces: list[Piece]) -> None:
        """Keep the beginning of a line, or pass it on if the line is too long."""
        if self._in_long_line:
            pieces.append(self._filter.pass_on(part))
            return
        self._held.write(part)
        if self._held.tell() > self._filter.max_line:
            self._in_long_line = True
            pieces.append(self._filter.begin_too_long(self._taken()))

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
