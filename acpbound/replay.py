"""Boundary 2: what history sends again, by every route.

Strategy: each route is a shape around the same two things, the steps of a transcript
(``conversion``) and one collector (``collector``); no route touches an update itself.

Rules: every update a route delivers comes out of a ``ReplayCollector``; a route holds what it
delivers at once and one record, never the history; a record that cannot be converted ends what is
delivered there, with a ``replayError``, and the rest can be asked for.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, Final, Protocol

from acpbound.collector import CONTRACT, ReplayCollector, ReplayLimitError, ReplayLimits
from acpbound.conversion import START, RecordError, steps
from acpbound.cursor import CursorError, StaleCursorError, decode_cursor, encode_cursor
from acpbound.identifiers import InvalidIdError, subagent_id
from acpbound.paging import MAX_PAGE, InvalidLimitError, checked_limit, fill_page
from acpbound.projection import Projector
from acpbound.transcript_reader import Transcript, UnknownSessionError

__all__ = [
    "MAX_PAGE",
    "CursorError",
    "History",
    "InvalidIdError",
    "InvalidLimitError",
    "RecordError",
    "ReplayCollector",
    "ReplayLimitError",
    "ReplayLimits",
    "StaleCursorError",
    "UnknownSessionError",
]

_VERSION: Final = 1


class Store(Protocol):
    """Where transcripts come from: ``transcript.TranscriptStore``, or a single file."""

    def open(self, session_id: str) -> Transcript:
        """The transcript of a session. Raises UnknownSessionError, InvalidIdError and OSError."""
        ...


class History:
    """The replay routes over a store, all bounded alike.

    ``limits`` hold for each replay, stream or page by itself; without them nothing is limited.
    A session id may be plain or that of a virtual subagent session. All routes raise InvalidIdError
    (a ValueError), UnknownSessionError (a LookupError), ReplayLimitError, and OSError for a
    transcript that cannot be read.
    """

    def __init__(
        self, store: Store, projector: Projector = CONTRACT, limits: ReplayLimits | None = None
    ) -> None:
        self._store = store
        self._projector = projector
        self._limits = limits

    def _collector(self, session_id: str) -> ReplayCollector:
        return ReplayCollector(session_id, self._projector, self._limits)

    def bulk(self, session_id: str) -> dict[str, Any]:
        """A bulk ``session/load``: what goes under ``result._meta["qwen.session.loadReplay"]``.

        ``{"v": 1, "updates": [...]}``; with ``partial: true`` if damaged lines were skipped, and
        with ``partial``, ``hasMore`` and ``replayError`` if a record could not be converted.
        """
        with self._store.open(session_id) as transcript:
            replay = self._whole(session_id, transcript)
            if "replayError" in replay:
                replay.update(hasMore=True, partial=True)
            elif transcript.damaged_lines:
                replay.update(partial=True)
        return {"v": _VERSION, **replay}

    def stream(self, session_id: str) -> Generator[dict[str, Any], None, None]:
        """A streamed ``session/load``: the updates, to be sent one by one.

        The iterator raises RecordError after what could be converted before it. Close it, or
        exhaust it, to close the file.
        """
        updates = self._stream(session_id, self._store.open(session_id))
        # Started now, so that a stream which nobody reads closes its file as well.
        next(updates)
        return updates

    def _stream(
        self, session_id: str, transcript: Transcript
    ) -> Generator[dict[str, Any], None, None]:
        collector = self._collector(session_id)
        with transcript:
            yield {}  # taken by stream()
            for step in steps(transcript):
                collector.accept(step.update, step.record_id)
                yield from collector.take()

    def load_updates(self, params: object) -> dict[str, Any]:
        """``qwen/session/loadUpdates`` with its params, ``{"sessionId": ...}``.

        ``{"updates": [...], "startTime": ..., "lastUpdated": ...}``, or ``{"updates": []}`` if
        there is no such conversation; with ``replayError`` if a record could not be converted.
        """
        session_id = dict.get(params, "sessionId") if isinstance(params, dict) else None
        if not isinstance(session_id, str):
            raise InvalidIdError("the params have no sessionId that is a string")
        try:
            transcript = self._store.open(session_id)
        except UnknownSessionError:
            return {"updates": []}
        with transcript:
            replay = self._whole(session_id, transcript)
            return {**replay, **transcript.times()}

    def _whole(self, session_id: str, transcript: Transcript) -> dict[str, Any]:
        collector = self._collector(session_id)
        try:
            for step in steps(transcript):
                collector.accept(step.update, step.record_id)
        except RecordError as error:
            return {"updates": collector.updates, "replayError": str(error)}
        return {"updates": collector.updates}

    def page(self, session_id: str, cursor: str | None = None, limit: int = 100) -> dict[str, Any]:
        """One page of a transcript: up to ``limit`` updates from a cursor on, or from the start.

        ``{"v": 1, "sessionId", "events": [{"v": 1, "type": "session_update", "data": update}],
        "nextCursor"?, "hasMore", "startTime", "lastUpdated", "replayError"?}``. ``nextCursor`` is
        there exactly if ``hasMore``; after a ``replayError`` it leads past the record.
        Raises InvalidLimitError, CursorError and StaleCursorError too (all ValueErrors).
        """
        checked_limit(limit)
        with self._store.open(session_id) as transcript:
            start = START if cursor is None else decode_cursor(transcript, cursor)
            collector = self._collector(session_id)
            rest, replay_error = fill_page(collector, transcript, start, limit)
            page: dict[str, Any] = {
                "v": _VERSION,
                "sessionId": session_id,
                "events": [
                    {"v": _VERSION, "type": "session_update", "data": update}
                    for update in collector.take()
                ],
            }
            if rest is not None:
                page["nextCursor"] = encode_cursor(transcript, rest)
            page.update(hasMore=rest is not None, **transcript.times())
        if replay_error is not None:
            page["replayError"] = replay_error
        return page

    def subagent(
        self, parent_session_id: str, agent_id: str, cursor: str | None = None, limit: int = 100
    ) -> dict[str, Any]:
        """One page of a subagent's transcript, under its virtual session id; as ``page``."""
        return self.page(subagent_id(parent_session_id, agent_id), cursor, limit)
