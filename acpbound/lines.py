"""Lines of a stream bounded and counted.

Strategy: most lines are short, and a stretch of them leaves as it came, without being cut into
lines (``chunks`` finds it); only the lines beyond the budget are handled one by one.

Rules: lines end at byte 0x0A only; a line no longer than the budget is not parsed, since no field
in it can be longer; a line that cannot be read, or in which nothing changes, is forwarded byte for
byte; one warning tells of unreadable lines, without their content; a line beyond the longest that
is bounded is forwarded as it came, with one warning, and nobody records it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from acpbound.line_limit import MAX_LINE
from acpbound.projection import Projector
from acpbound.splice import UnreadableLineError, bound_line

#: Bytes to be written; a view where they stand in a chunk as they came.
Piece = bytes | memoryview

#: A message or a batch begins a line, maybe after space (what ``bytes.lstrip`` knows, but 0x0A).
_FRAME = rb"[ \t\r\v\f]*(?:\[[ \t\r\v\f]*)?{"
_begins_frame = re.compile(_FRAME).match
_later_frames = re.compile(rb"\n" + _FRAME).findall


class FilterCounts:
    """What passed a filter; ``frames`` are the lines that begin as a message or a batch.

    ``too_long`` are the lines beyond the longest that is bounded.
    """

    # No dataclass: to import that takes a tenth of the time in which the command starts.
    def __init__(self) -> None:
        self.frames = 0
        self.frames_bounded = 0
        self.too_long = 0
        self.bytes_in = 0
        self.bytes_out = 0

    def size(self) -> str:
        """The counts that every summary ends with."""
        too_long = f", {self.too_long} lines too long to be bounded" if self.too_long else ""
        return f"{self.bytes_in} bytes in, {self.bytes_out} bytes out{too_long}"

    def __str__(self) -> str:
        return f"{self.frames} frames, {self.frames_bounded} bounded, {self.size()}"


class LineFilter:
    """Bounds the lines of one stream and counts them.

    ``warn`` is called once, with a sentence, when a line longer than the budget cannot be read, and
    once when a line is longer than ``max_line``, in bytes without its newline: such a line passes
    as it is. ``record``, if given, is called with every other line, whatever its length, before it
    is bounded. ``count_short=False`` leaves lines within the budget out of ``counts.frames``: to
    look for their ends takes as long as to pass them on.

    Raises ValueError if ``max_line`` is below the budget.
    """

    def __init__(
        self,
        projector: Projector,
        warn: Callable[[str], object],
        *,
        record: Callable[[bytes], object] | None = None,
        count_short: bool = True,
        max_line: int = MAX_LINE,
    ) -> None:
        self.counts = FilterCounts()
        self.budget: Final = projector.budget
        self.max_line: Final = max_line
        if max_line < self.budget:
            raise ValueError(
                f"a longest line of {max_line} bytes is below the budget of {self.budget}, "
                "up to which a line is never touched"
            )
        self._projector = projector
        self._warn = warn
        self._warned_unreadable = False
        self._record = record
        self._count_short = count_short
        self._lines = 0

    def bound(self, line: bytes) -> bytes:
        """The line as it should leave; the very object if nothing changes."""
        length = len(line) - line.endswith(b"\n")
        if length <= self.budget:
            self.pass_short(line, 0, len(line))
            return line
        self._lines += 1
        self.counts.frames += _begins_frame(line) is not None
        if length > self.max_line:
            self._note_too_long()
            bounded = line
        else:
            bounded = self._bounded(line)
        self._count(len(line), len(bounded))
        return bounded

    def _bounded(self, line: bytes) -> bytes:
        if self._record is not None:
            self._record(line)
        bounded = line
        try:
            bounded = bound_line(line, self._projector)
        except UnreadableLineError as error:
            self._warn_once(line, str(error))
        self.counts.frames_bounded += bounded is not line
        return bounded

    def begin_too_long(self, line: bytes) -> bytes:
        """The beginning of a line that is longer than ``max_line``, as it came."""
        self._lines += 1
        self.counts.frames += _begins_frame(line) is not None
        self._note_too_long()
        self._count(len(line), len(line))
        return line

    def pass_on(self, part: Piece) -> Piece:
        """A further part of a line that is too long, as it came."""
        self._count(len(part), len(part))
        return part

    def pass_short(self, chunk: bytes, start: int, end: int) -> memoryview:
        """The part of a chunk that holds whole lines within the budget, as they came."""
        if self._record is not None:
            for line in chunk[start:end].split(b"\n"):
                self._record(line)
        self._count(end - start, end - start)
        if self._count_short:
            self._lines += chunk.count(b"\n", start, end)
            counts = self.counts
            counts.frames += _begins_frame(chunk, start, end) is not None
            counts.frames += len(_later_frames(chunk, start, end))
        return memoryview(chunk)[start:end]

    def _count(self, bytes_in: int, bytes_out: int) -> None:
        self.counts.bytes_in += bytes_in
        self.counts.bytes_out += bytes_out

    def _warn_once(self, line: bytes, reason: str) -> None:
        if not self._warned_unreadable:
            self._warned_unreadable = True
            which = f"line {self._lines}" if self._count_short else f"a line of {len(line)} bytes"
            self._warn(f"{which} is {reason}; it and any like it pass through unchanged")

    def _note_too_long(self) -> None:
        self.counts.too_long += 1
        if self.counts.too_long == 1:
            which = f"line {self._lines}" if self._count_short else "a line"
            unrecorded = "" if self._record is None else ", and are not recorded"
            self._warn(
                f"{which} is longer than {self.max_line} bytes; "
                f"it and any like it pass through unchanged{unrecorded}"
            )
