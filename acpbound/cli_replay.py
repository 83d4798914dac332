"""The subcommands ``export`` and ``replay``: a transcript as NDJSON on stdout.

Strategy: both read a store's session or a single transcript file by the same handle and write line
by line, so that memory follows the record.

Rules: what is skipped is told on stderr by its place; the exit status is 1 if ``export`` skipped
anything, since what it wrote is not all there was, or if ``replay`` had to stop.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import BinaryIO, Final

from acpbound.export import canonical_updates
from acpbound.frames import SESSION_UPDATE_METHOD
from acpbound.identifiers import InvalidIdError
from acpbound.native import json_bytes
from acpbound.progress import open_with_progress
from acpbound.projection import Projector
from acpbound.replay import History, RecordError, Store, UnknownSessionError
from acpbound.standard_streams import standard_output
from acpbound.transcript import TranscriptStore
from acpbound.transcript_reader import DamagedLine, Transcript

Say = Callable[[str], object]

_WRONG_ARGUMENTS: Final = 2


class _SingleFile:
    """A store of one transcript, wherever it lies; may be a pipe. Shows how much of it is read."""

    def __init__(self, path: Path, on_damage: Callable[[DamagedLine], object]) -> None:
        self._path = path
        self._on_damage = on_damage

    def open(self, session_id: str) -> Transcript:
        # On one terminal the bar and the lines would spoil each other.
        file = open_with_progress(self._path, shown=not sys.stdout.isatty())
        return self._transcript(file, session_id)

    def _transcript(self, file: BinaryIO, session_id: str) -> Transcript:
        return Transcript(file, session_id, str(self._path), self._on_damage)

    def recorded_session(self) -> str:
        """The session that the first record names; the file's name if none can be read."""
        if self._path.is_file():
            with self._transcript(self._path.open("rb"), "") as transcript:
                for line in transcript.lines(reported=False):
                    session_id = line.value.get("sessionId")
                    if isinstance(session_id, str):
                        return session_id
                    break
        return self._path.stem


def _sole_session(store: TranscriptStore) -> str:
    sessions = store.session_ids()
    if len(sessions) != 1:
        raise InvalidIdError(f"{store.root} has {len(sessions)} sessions; name one as SESSION")
    return sessions[0]


def _opened(file_or_store: str, session: str | None, say: Say) -> tuple[Store, str]:
    """The store that the arguments mean, and the session in it."""

    def on_damage(damage: DamagedLine) -> None:
        say(f"{damage.path}: the line at byte {damage.offset} is {damage.reason}; it is skipped")

    path = Path(file_or_store)
    if path.is_dir():
        store = TranscriptStore(path, on_damage=on_damage)
        return store, _sole_session(store) if session is None else session
    single = _SingleFile(path, on_damage)
    return single, single.recorded_session() if session is None else session


def _export(file_or_store: str, session: str | None, say: Say, writer: BinaryIO) -> int:
    store, session_id = _opened(file_or_store, session, say)
    with store.open(session_id) as transcript:
        for update in canonical_updates(transcript):
            writer.write(json_bytes(update, ensure_ascii=False) + b"\n")
    return 1 if transcript.damaged_lines else 0


def _replay(
    file_or_store: str, session: str | None, say: Say, writer: BinaryIO, projector: Projector
) -> int:
    store, session_id = _opened(file_or_store, session, say)
    try:
        with closing(History(store, projector).stream(session_id)) as updates:
            for update in updates:
                notification = {
                    "jsonrpc": "2.0",
                    "method": SESSION_UPDATE_METHOD,
                    "params": {"sessionId": session_id, "update": update},
                }
                writer.write(json_bytes(notification, projector.ensure_ascii) + b"\n")
    except RecordError as error:
        say(f"{error}; the replay ends there")
        return 1
    return 0


def run(
    file_or_store: str, session: str | None, say: Say, projector: Projector | None = None
) -> int:
    """Replay through a projector, or export without one; returns the exit status."""
    writer = standard_output()
    try:
        if projector is None:
            status = _export(file_or_store, session, say, writer)
        else:
            status = _replay(file_or_store, session, say, writer, projector)
    except InvalidIdError as error:
        say(str(error))
        return _WRONG_ARGUMENTS
    except UnknownSessionError as error:
        say(f"{file_or_store}: {error}")
        return 1
    finally:
        writer.flush()
    return status
