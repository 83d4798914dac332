"""Lossless export: by design the one way out without a projector.

Strategy: the same records, read by the same steps as a replay, and nothing in between; no marks,
no limits, and no closing updates that no record holds.

Rules: a line or record that cannot be exported is reported like any damaged line, never left out in
silence, and the rest is exported.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Any

from acpbound.conversion import START, Position, RecordError, steps
from acpbound.replay import Store
from acpbound.transcript_reader import Transcript


def export_updates(store: Store, session_id: str) -> Iterator[dict[str, Any]]:
    """The canonical updates of a session, plain or virtual, exactly as they were recorded.

    Raises InvalidIdError, UnknownSessionError and OSError, at the first update at the latest.
    """
    with store.open(session_id) as transcript:
        yield from canonical_updates(transcript)


def canonical_updates(transcript: Transcript) -> Iterator[dict[str, Any]]:
    """The canonical updates of an open transcript. Raises OSError."""
    start: Position | None = START
    while start is not None:
        start = yield from _to_next_gap(transcript, start)


def _to_next_gap(
    transcript: Transcript, start: Position
) -> Generator[dict[str, Any], None, Position | None]:
    """The updates up to a record that cannot be converted; returns where to go on after it."""
    try:
        for step in steps(transcript, start, close_calls=False):
            yield step.update
    except RecordError as error:
        transcript.report(error.position.offset, f"no known record: {error.reason}")
        return error.after
    return None
