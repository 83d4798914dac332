"""Boundary 1: what a running session sends.

Strategy: each update is recorded as it is, at once, and then waits its turn to be projected and
sent. A slow client delays only what is sent, never the record.

Rules: updates reach the client in the order of the calls, however they overlap; the record never
sees a projected update, and what cannot be recorded is not sent; a client that fails raises to the
caller of that update alone, and the record still holds it.
"""

from __future__ import annotations

import asyncio
from typing import Any, Final, Protocol

from acpbound.collector import CONTRACT
from acpbound.projection import Projector
from acpbound.record import Record


class Client(Protocol):
    """Who receives the updates of a session."""

    async def session_update(self, *, session_id: str, update: Any) -> object:
        """Send or handle one update."""
        ...


class Session:
    """The sending side of one session, for one event loop.

    Without a ``transcript`` nothing is recorded. Recording writes to a file on the calling thread.
    """

    def __init__(
        self,
        session_id: str,
        client: Client,
        projector: Projector = CONTRACT,
        transcript: Record | None = None,
    ) -> None:
        self.session_id: Final = session_id
        self._client = client
        self._projector = projector
        self._transcript = transcript
        self._turn = asyncio.Lock()

    async def send_update(self, update: dict[str, Any]) -> None:
        """Record an update, then send its projection; returns when the client has taken it.

        The update must not be changed before that. Raises what the transcript raises, and then it
        is not sent, and what the client raises.
        """
        # No await comes between: updates wait for their turn in the order of their records.
        if self._transcript is not None:
            self._transcript.append(self.session_id, update)
        async with self._turn:
            projected = self._projector.project_update(update)
            await self._client.session_update(session_id=self.session_id, update=projected)
