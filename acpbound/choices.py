"""What a recording's largest frame would be if further fields were named with ``--also``.

Strategy: each choice is a projector of its own; a line goes through it only if it holds a payload
that the choice would reach, since otherwise nothing changes for it.
"""

from __future__ import annotations

from collections.abc import Collection

from acpbound.projection import Projector
from acpbound.reach import REACHABLE_FIELDS
from acpbound.splice import bound_line


class Choices:
    """The largest frame, in bytes, under a projector and under wider ones."""

    def __init__(self, projector: Projector) -> None:
        self._base = projector.also
        self._projectors = {
            also: Projector(projector.budget, also=also)
            for also in (
                *((*projector.also, field) for field in REACHABLE_FIELDS),
                REACHABLE_FIELDS,
            )
        }
        self._largest = dict.fromkeys([projector.also, *self._projectors], 0)
        self._reachable: set[str] = set()

    def add(self, line: bytes, bytes_after: int, reachable: Collection[str]) -> None:
        """Count a readable line that leaves with ``bytes_after`` and has payloads to reach."""
        self._reachable.update(reachable)
        self._largest[self._base] = max(self._largest[self._base], bytes_after)
        for also, projector in self._projectors.items():
            size = bytes_after
            if not set(also).isdisjoint(reachable):
                size = len(bound_line(line, projector).rstrip(b"\r\n"))
            self._largest[also] = max(self._largest[also], size)

    def largest_frames(self) -> dict[str, int]:
        """The largest frame by choice, as ``--also`` takes it; only choices that reach something.

        The first is what was measured, ``""`` if no field was named.
        """
        frames = {",".join(self._base): self._largest[self._base]}
        for also in self._projectors:
            if also == REACHABLE_FIELDS and len(self._reachable) > 1:
                frames["all"] = self._largest[also]
            elif also[-1] in self._reachable and also != REACHABLE_FIELDS:
                frames[",".join(also)] = self._largest[also]
        return frames
