"""NDJSON on byte streams: the streams that lines come from and go to.

Strategy: read whatever is available and pass on at once all lines that are complete, so that a
live pipe is never held up and a line that arrives in pieces is joined once.

Rules: lines end at byte 0x0A only; what becomes of a line is decided in ``lines``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, Protocol

from acpbound.chunks import ChunkFilter
from acpbound.lines import LineFilter

_CHUNK_BYTES = 1 << 18


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


def filter_stream(reader: ReadableNow, writer: BinaryIO, line_filter: LineFilter) -> None:
    """Copy all lines from ``reader`` to ``writer``, bounded; raises what either stream raises."""
    chunks = ChunkFilter(line_filter)
    while chunk := reader.read1(_CHUNK_BYTES):
        if pieces := chunks.feed(chunk):
            writer.writelines(pieces)
            writer.flush()
    writer.writelines(chunks.end())
    writer.flush()
