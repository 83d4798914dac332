"""One page of a transcript: how large it may be, and where it ends.

Strategy: take one step more than the page holds, so that whether there is more is known and not
guessed, and the next page begins at exactly that step.

Rules: a record that cannot be converted ends the page that reaches it, and the next page begins
after it; if the page is full by then, the error is the next one's.
"""

from __future__ import annotations

from typing import Final

from acpbound.collector import ReplayCollector
from acpbound.conversion import Position, RecordError, steps
from acpbound.transcript_reader import Transcript

#: Updates that one page may have.
MAX_PAGE: Final = 500


class InvalidLimitError(ValueError):
    """A page size that is no whole number from 1 to 500."""


def checked_limit(limit: object) -> int:
    """``limit`` if it is a page size. Raises InvalidLimitError."""
    if isinstance(limit, bool) or not isinstance(limit, int):
        raise InvalidLimitError(f"a limit is a whole number from 1 to {MAX_PAGE}, not {limit!r}")
    if not 1 <= limit <= MAX_PAGE:
        raise InvalidLimitError(f"limit {limit} is not from 1 to {MAX_PAGE}")
    return limit


def fill_page(
    collector: ReplayCollector, transcript: Transcript, start: Position, limit: int
) -> tuple[Position | None, str | None]:
    """Give a collector one page; returns where the next one begins, and what went wrong.

    Raises ReplayLimitError and OSError.
    """
    try:
        for step in steps(transcript, start):
            if collector.accepted == limit:
                return step.position, None
            collector.accept(step.update, step.record_id)
    except RecordError as error:
        if collector.accepted == limit:
            return error.position, None
        return error.after, str(error)
    return None, None
