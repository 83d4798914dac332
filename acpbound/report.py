"""What a recording holds and what bounding saves, one line at a time.

Strategy: every line is decoded for its kinds; a line longer than the budget is also bounded as the
wire would bound it, so the report counts what really happens. Of the largest only as many are kept
as will be shown, so memory does not grow with the recording.

Rules: policy is asked for, never repeated; no text of a payload is kept.
"""

from __future__ import annotations

import heapq
import json
from collections import Counter
from collections.abc import Callable
from itertools import count
from typing import Any, NamedTuple

from acpbound.choices import Choices
from acpbound.course import Course
from acpbound.frames import updates_in
from acpbound.left_alone import large_payloads
from acpbound.observation import BoundedField, FieldLeftAlone, Observer
from acpbound.projection import Projector
from acpbound.splice import UnreadableLineError, bound_line

#: Upper ends of the classes of frame sizes, in bytes; one more class is beyond them.
SIZE_CLASSES = tuple(1 << power for power in range(8, 25, 2))

#: An integer of more digits is read as a float: Python limits what it converts.
_MOST_DIGITS = 600


def _integer(digits: str) -> float:
    return int(digits) if len(digits) < _MOST_DIGITS else float(digits)


_decode = json.JSONDecoder(parse_int=_integer).decode


class Frame(NamedTuple):
    """One of the largest frames, in bytes without the line's end."""

    bytes_before: int
    bytes_after: int
    place: str
    kind: str


class LeftAlone(NamedTuple):
    """One of the largest payloads that stay, in bytes of compact JSON."""

    size: int
    place: str
    where: str
    reason: str
    also: str | None


class _Largest:
    """The ``top`` largest of all items that were added, by their first member."""

    def __init__(self, top: int) -> None:
        self._top = top
        self._heap: list[tuple[int, int, Any]] = []
        self._order = count(0, -1)

    def add(self, item: tuple[Any, ...]) -> None:
        # Of equal sizes the first that came is the larger one.
        heapq.heappush(self._heap, (item[0], next(self._order), item))
        if len(self._heap) > self._top:
            heapq.heappop(self._heap)

    def items(self) -> list[Any]:
        return [item for *_, item in sorted(self._heap, reverse=True)]


class Report:
    """The counts of all lines that were added; ``top`` is how many of the largest are kept.

    ``projector`` makes the one that is measured, around the observer that it is given.
    """

    def __init__(self, projector: Callable[[Observer], Projector], top: int) -> None:
        self._projector = projector(self._observe)
        self._choices = Choices(self._projector)
        self.budget = self._projector.budget
        self.frames = 0
        self.unreadable = 0
        self.frames_bounded = 0
        self.bytes_before = 0
        self.bytes_after = 0
        self.kinds: Counter[str] = Counter()
        self.fields_over_budget: Counter[str] = Counter()
        self.sizes_before = [0] * (len(SIZE_CLASSES) + 1)
        self.sizes_after = [0] * (len(SIZE_CLASSES) + 1)
        self.left_alone: Counter[str] = Counter()
        self.left_alone_bytes: Counter[str] = Counter()
        self.reached_by: dict[str, str] = {}
        self._course = Course()
        self._largest_frames = _Largest(top)
        self._largest_left_alone = _Largest(top)

    def _observe(self, event: BoundedField | FieldLeftAlone) -> None:
        self.fields_over_budget[event.field] += 1

    def add(self, line: bytes, place: str) -> None:
        """Count one line, which stands at ``place``; blank lines do not count."""
        self.bytes_before += len(line)
        line_after = line
        if line.strip():
            try:
                frame = _decode(line.decode())
                if len(line) > self.budget:
                    line_after = bound_line(line, self._projector)
            except (ValueError, RecursionError, UnreadableLineError):
                self.unreadable += 1
            else:
                self._add_frame(frame, line, line_after, place)
        self.bytes_after += len(line_after)

    def _add_frame(self, frame: Any, line: bytes, line_after: bytes, place: str) -> None:
        before, after = len(line.rstrip(b"\r\n")), len(line_after.rstrip(b"\r\n"))
        self.frames += 1
        self.frames_bounded += line_after is not line
        self.sizes_before[_size_class(before)] += 1
        self.sizes_after[_size_class(after)] += 1
        self._course.add(before, after)
        kinds = [str(update.get("sessionUpdate")) for _, update in updates_in(frame)]
        self.kinds.update(kinds)
        if len(set(kinds)) > 1:
            kind = f"{len(kinds)} updates"
        elif kinds:
            kind = kinds[0]
        else:
            method = frame.get("method") if isinstance(frame, dict) else None
            kind = str(method or "response")
        self._largest_frames.add(Frame(before, after, place, kind))
        payloads = large_payloads(frame, self._projector) if before > self.budget else ()
        reachable = set()
        for payload in payloads:
            self.left_alone[payload.reason] += 1
            self.left_alone_bytes[payload.reason] += payload.size
            self._largest_left_alone.add(
                LeftAlone(payload.size, place, payload.where, payload.reason, payload.also)
            )
            if payload.also is not None:
                reachable.add(payload.also)
                self.reached_by.setdefault(payload.reason, payload.also)
        self._choices.add(line, after, reachable)

    def as_json(self) -> dict[str, Any]:
        """Everything, of types that JSON has."""
        return {
            "budget": self.budget,
            "frames": self.frames,
            "unreadableLines": self.unreadable,
            "framesBounded": self.frames_bounded,
            "bytesBefore": self.bytes_before,
            "bytesAfter": self.bytes_after,
            "bytesSaved": self.bytes_before - self.bytes_after,
            "updatesByKind": dict(self.kinds.most_common()),
            "fieldsOverBudget": dict(self.fields_over_budget.most_common()),
            "frameSizes": [
                {"upTo": limit, "before": before, "after": after}
                for limit, before, after in zip(
                    (*SIZE_CLASSES, None), self.sizes_before, self.sizes_after, strict=True
                )
            ],
            "frameSizesOverRecording": self._course.as_json(),
            "largestFrames": [frame._asdict() for frame in self._largest_frames.items()],
            "leftAlone": {
                reason: {
                    "payloads": payloads,
                    "bytes": self.left_alone_bytes[reason],
                    "also": self.reached_by.get(reason),
                }
                for reason, payloads in self.left_alone.most_common()
            },
            "largestLeftAlone": [item._asdict() for item in self._largest_left_alone.items()],
            "largestFrameByChoice": self._choices.largest_frames(),
        }


def _size_class(size: int) -> int:
    return sum(size > limit for limit in SIZE_CLASSES)
