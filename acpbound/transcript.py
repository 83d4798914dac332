"""The canonical record of sessions: every update as it was, one JSON record a line.

Strategy: one file for each session and subagent under one root, ``chats/<session>.jsonl`` and
``subagents/<session>/agent-<agent>.jsonl``, appended by ``jsonl``. qwen-code lays out a project
folder the same way, so the store reads one as it lies on disk.

Rules: what was appended is never projected and never changed; ids are plain names and no link
leads out of the root; folders are created 0700 and files 0600; nothing is created by reading.
"""

from __future__ import annotations

import errno
import json
import os
import stat
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path
from typing import Final
from uuid import uuid4

from acpbound.identifiers import InvalidIdError, TranscriptKey, checked_id, parse_id
from acpbound.jsonl import append_line
from acpbound.native import utf8
from acpbound.transcript_reader import DamagedLine, Transcript, UnknownSessionError, log_damage

_CHATS: Final = "chats"
_SUBAGENTS: Final = "subagents"
_ENDING: Final = ".jsonl"
_READ_BUFFER_BYTES: Final = 1 << 18

# O_NOFOLLOW: a link put in the file's place after the check is refused all the same.
# O_NONBLOCK: nor does a pipe in its place hang the reader.
_COMMON: Final = (
    getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_NONBLOCK", 0)
)
_TO_READ: Final = os.O_RDONLY | _COMMON
_TO_APPEND: Final = os.O_RDWR | os.O_APPEND | os.O_CREAT | _COMMON

# Unlike the projector's serializer this one refuses NaN: a record must be JSON.
_record_json: Final = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, separators=(",", ":")
).encode


def _now() -> str:
    """The time as ``Date.toISOString`` writes it, in UTC to the millisecond."""
    now = datetime.now(timezone.utc).isoformat(timespec="milliseconds")
    return now.replace("+00:00", "Z")


class TranscriptStore:
    """The transcripts under one folder, which need not exist yet.

    ``on_damage`` is called with a ``DamagedLine`` for each line that reading skips; by default a
    warning is logged.
    """

    def __init__(
        self,
        root: str | os.PathLike[str],
        *,
        on_damage: Callable[[DamagedLine], object] = log_damage,
    ) -> None:
        self.root: Final = Path(root)
        self._on_damage = on_damage

    def append(
        self, session_id: str, update: dict[str, object], *, agent_id: str | None = None
    ) -> str:
        """Record an update of a session, or of one of its subagents; returns the record's uuid.

        A subagent is named by its ``agent_id``, or with its parent by a virtual session id.
        When it returns, the whole record is in the file. Raises InvalidIdError; TypeError or
        ValueError if the update is not an object or has no JSON (NaN, cycles); OSError if it cannot
        be written, after which nothing of it is read back.
        """
        if not isinstance(update, dict):
            raise TypeError(f"a session update is a dict, not {type(update).__name__}")
        key = parse_id(session_id)
        if agent_id is not None:
            key = TranscriptKey(checked_id(session_id), checked_id(agent_id, "agent id"))
        record_id = str(uuid4())
        record: dict[str, object] = {
            "uuid": record_id,
            "sessionId": key.session_id,
            "timestamp": _now(),
            "update": update,
        }
        if key.agent_id is not None:
            record["agentId"] = key.agent_id
        line = utf8(_record_json(record)) + b"\n"
        path = self._path(key)
        try:
            fd = _open_regular(path, _TO_APPEND)
        except FileNotFoundError:
            self._make_folders(path.parent)
            fd = _open_regular(path, _TO_APPEND)
        try:
            append_line(fd, line)
        finally:
            os.close(fd)
        return record_id

    def open(self, session_id: str) -> Transcript:
        """The transcript of a session id, plain or virtual (``subagent.<parent>.<agent>``).

        Raises InvalidIdError, UnknownSessionError, and OSError if the file cannot be read.
        """
        key = parse_id(session_id)
        path = self._path(key)
        try:
            fd = _open_regular(path, _TO_READ)
        except FileNotFoundError:
            raise UnknownSessionError(f"there is no session {session_id}") from None
        file = os.fdopen(fd, "rb", buffering=_READ_BUFFER_BYTES)
        return Transcript(file, key.delivered_id, str(path), self._on_damage)

    def session_ids(self) -> list[str]:
        """The sessions that have a transcript, sorted; without subagents. Raises OSError."""
        folder = self._inside(self.root / _CHATS)
        return sorted(path.stem for path in folder.glob(f"*{_ENDING}") if _is_id(path.stem))

    def _path(self, key: TranscriptKey) -> Path:
        path = self.root / _CHATS / f"{key.session_id}{_ENDING}"
        if key.agent_id is not None:
            path = self.root / _SUBAGENTS / key.session_id / f"agent-{key.agent_id}{_ENDING}"
        return self._inside(path)

    def _inside(self, path: Path) -> Path:
        """The path with no link left in it, or an OSError if one leads out of the root."""
        try:
            resolved = path.resolve()
        except RuntimeError:  # Python before 3.13
            raise OSError(errno.ELOOP, "links lead in a circle", str(path)) from None
        if not resolved.is_relative_to(self.root.resolve()):
            raise PermissionError(errno.EACCES, "a link leads out of the transcripts", str(path))
        return resolved

    def _make_folders(self, folder: Path) -> None:
        root = self.root.resolve()
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        for name in folder.relative_to(root).parts:
            root /= name
            root.mkdir(mode=0o700, exist_ok=True)


def _open_regular(path: Path, flags: int) -> int:
    fd = os.open(path, flags, 0o600)
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise OSError(errno.EINVAL, "not a regular file", str(path))
    return fd


def _is_id(name: str) -> bool:
    try:
        checked_id(name)
    except InvalidIdError:
        return False
    return True
