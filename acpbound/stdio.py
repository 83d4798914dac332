"""NDJSON on byte streams: lines in, bounded lines out.

Strategy: read whatever is available, cut it at 0x0A, bound each whole line and pass the results on
at once, so that a live pipe is never held up and a line that arrives in pieces is joined once.

Rules: lines end at byte 0x0A only; a line no longer than the budget is not parsed, since no field
in it can be longer; a line that cannot be read, or in which nothing changes, is forwarded byte for
byte; one warning tells of unreadable lines, without their content.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO, Protocol

from acpbound.projection import Projector
from acpbound.splice import UnreadableLineError, bound_line

_CHUNK_BYTES = 1 << 18
_FRAME_STARTS = (b"{", b"[{")


class ReadableNow(Protocol):
    """A byte stream whose ``read1`` returns what is available, as ``sys.stdin.buffer`` does."""

    def read1(self, size: int, /) -> bytes:
        """Up to ``size`` bytes, at least one unless the stream has ended."""
        ...


def lines_as_available(stream: ReadableNow) -> Iterator[list[bytes]]:
    """Whole lines with their 0x0A, grouped as they arrive; a last line may lack it."""
    unfinished: list[bytes] = []
    while chunk := stream.read1(_CHUNK_BYTES):
        first, newline, rest = chunk.partition(b"\n")
        unfinished.append(first)
        if not newline:
            continue
        *lines, last = rest.split(b"\n")
        yield [b"".join(unfinished) + newline, *(line + newline for line in lines)]
        unfinished = [last] if last else []
    if unfinished:
        yield [b"".join(unfinished)]


@dataclass
class FilterCounts:
    """What passed a filter; ``frames`` are the lines that begin as a message or a batch."""

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
    """Bounds lines one by one and counts them.

    ``warn`` is called once, with a sentence, when a line longer than the budget cannot be read.
    """

    def __init__(self, projector: Projector, warn: Callable[[str], object]) -> None:
        self.counts = FilterCounts()
        self._projector = projector
        self._warn: Callable[[str], object] | None = warn
        self._lines = 0

    def bound(self, line: bytes) -> bytes:
        """The line as it should leave; the very object if nothing changes."""
        self._lines += 1
        bounded = line
        if len(line) - line.endswith(b"\n") > self._projector.budget:
            try:
                bounded = bound_line(line, self._projector)
            except UnreadableLineError as error:
                self._warn_once(str(error))
        counts = self.counts
        counts.frames += line.lstrip().startswith(_FRAME_STARTS)
        counts.frames_bounded += bounded is not line
        counts.bytes_in += len(line)
        counts.bytes_out += len(bounded)
        return bounded

    def _warn_once(self, reason: str) -> None:
        if self._warn is not None:
            self._warn(f"line {self._lines} is {reason}; it and any like it pass through unchanged")
            self._warn = None


def filter_stream(reader: ReadableNow, writer: BinaryIO, line_filter: LineFilter) -> None:
    """Copy all lines from ``reader`` to ``writer``, bounded; raises what either stream raises."""
    for lines in lines_as_available(reader):
        for line in lines:
            writer.write(line_filter.bound(line))
        writer.flush()
