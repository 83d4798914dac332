"""What an observer is told of a bounded field: counts, never text, ids or paths.

Rules: an observer that raises is logged once and never stops delivery.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class BoundedField(NamedTuple):
    """The counts of one field that was bounded."""

    field: str  #: ``"content"`` or ``"rawOutput"``, or a name given as ``also``
    blocks: int  #: texts that the field had; 1 for a ``rawOutput`` string
    reduced_blocks: int  #: texts replaced by a preview; all of them after a collapse
    collapsed: bool  #: whether only a marker is left of the whole field
    bytes_after: int  #: JSON bytes of the field now
    characters_before: int  #: code points of all its texts before


class FieldLeftAlone(NamedTuple):
    """A field over its budget that was asked for by name and cannot be bounded."""

    field: str
    reason: str


Observer = Callable[["BoundedField | FieldLeftAlone"], object]


class Observation:
    """Calls an observer, and keeps its failures away from delivery."""

    def __init__(self, observer: Observer) -> None:
        self._observer = observer
        self._failed = False

    def field_bounded(
        self, field: str, before: list[str], after: list[str] | None, bytes_after: int
    ) -> None:
        """Report a field by its texts before and after; ``after`` is None for a collapse."""
        kept = 0
        if after is not None:
            kept = sum(old is new for old, new in zip(before, after, strict=True))
        bounded = BoundedField(
            field=field,
            blocks=len(before),
            reduced_blocks=len(before) - kept,
            collapsed=after is None,
            bytes_after=bytes_after,
            characters_before=sum(map(str.__len__, before)),
        )
        self._tell(bounded)

    def field_left_alone(self, field: str, reason: str) -> None:
        """Report a field that stays over its budget, with the reason."""
        self._tell(FieldLeftAlone(field, reason))

    def _tell(self, event: BoundedField | FieldLeftAlone) -> None:
        try:
            self._observer(event)
        except Exception:
            if not self._failed:
                self._failed = True
                # Imported where it is needed: it would double the package's import time.
                import logging

                log = logging.getLogger("acpbound")
                log.exception("an observer of bounded fields raised; delivery goes on")
