"""Frame sizes in the order of a recording, in a fixed number of columns.

Strategy: a column stands for equally many frames and keeps the largest of them, before and after
bounding; when all columns are full, neighbours are joined and each stands for twice as many. So
memory does not grow with the recording, and no large frame disappears.
"""

from __future__ import annotations

from typing import Any

#: Columns at most; even, so that they can be joined in pairs.
COLUMNS = 240


class Course:
    """The largest frame of each column, in bytes, before and after bounding."""

    def __init__(self) -> None:
        self._width = 1
        self._frames = 0
        self._before: list[int] = []
        self._after: list[int] = []

    def add(self, before: int, after: int) -> None:
        """Count the next frame of the recording."""
        if self._frames == COLUMNS * self._width:
            self._before, self._after = _joined(self._before), _joined(self._after)
            self._width *= 2
        if self._frames % self._width:
            self._before[-1] = max(self._before[-1], before)
            self._after[-1] = max(self._after[-1], after)
        else:
            self._before.append(before)
            self._after.append(after)
        self._frames += 1

    def as_json(self) -> dict[str, Any]:
        """The columns, of types that JSON has."""
        return {"framesPerColumn": self._width, "before": self._before, "after": self._after}


def _joined(columns: list[int]) -> list[int]:
    return [max(columns[i : i + 2]) for i in range(0, len(columns), 2)]
