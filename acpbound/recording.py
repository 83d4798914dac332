"""Every session update of a wire, kept as the agent sent it.

Strategy: a line is decoded only if it can hold the method's name; its updates are found by
``frames`` and handed to a transcript. Numbers keep their exact value or the update is refused.

Rules: recording never stops delivery, whatever the transcript raises; one warning says that
something was not recorded, without its content.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NoReturn

from acpbound.frames import updates_in
from acpbound.native import finite_float
from acpbound.record import Record


def _refuse_constant(name: str) -> NoReturn:
    raise json.JSONDecodeError(f"{name} is not JSON", name, 0)


_decode = json.JSONDecoder(parse_float=finite_float, parse_constant=_refuse_constant).decode


class Recorder:
    """Takes the lines of one agent and keeps their ``session/update`` notifications.

    ``warn`` is called once, with a sentence, when an update cannot be kept.
    """

    def __init__(self, transcript: Record, warn: Callable[[str], object]) -> None:
        self.recorded = 0
        self.failed = 0
        self._transcript = transcript
        self._warn = warn

    def record(self, line: bytes) -> None:
        """Keep what ``line`` notifies of; lines that are no frames are left out."""
        # A letter is written as itself or as a \u escape, so no method is missed.
        if b"update" not in line and b"\\u" not in line:
            return
        try:
            frame = _decode(line.decode())
        except (UnicodeDecodeError, json.JSONDecodeError):
            return
        except (ValueError, OverflowError, RecursionError) as error:
            self._fail(error)
            return
        for path, update in updates_in(frame):
            *way, last = path
            if last != "update":
                continue  # a stored update that is served again, not one that is sent
            params: Any = frame
            for step in way:
                params = params[step]
            self._keep(params.get("sessionId"), update)

    def _keep(self, session_id: str, update: dict[str, Any]) -> None:
        try:
            self._transcript.append(session_id, update)
        except Exception as error:
            self._fail(error)
        else:
            self.recorded += 1

    def _fail(self, error: Exception) -> None:
        if not self.failed:
            reason = error.strerror if isinstance(error, OSError) else type(error).__name__
            self._warn(f"the transcript cannot keep an update ({reason}); delivery goes on without")
        self.failed += 1

    def __str__(self) -> str:
        lost = f", {self.failed} not" if self.failed else ""
        return f"{self.recorded} updates recorded{lost}"
