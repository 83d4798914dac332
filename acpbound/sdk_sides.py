"""The two sides of a connection of the official SDK, with session updates bounded.

Strategy: a stand-in for the connection that an agent sends by, and one for the client that the SDK
calls; each takes over the method by which updates pass, under both of its names.

Rules: an update is recorded, if at all, before it is sent and as it was; all else is the other
object's (``delegate``).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any

from acpbound.delegate import Delegate
from acpbound.projection import Projector
from acpbound.record import Record
from acpbound.sdk_lengths import plain_characters
from acpbound.sdk_updates import UpdateProjector
from acpbound.sdk_wire import recorded_form


def _session_update(
    conn: Any, updates: UpdateProjector, transcript: Record | None
) -> Callable[..., Awaitable[None]]:
    """A connection's ``session_update``, with the update bounded.

    Written for small updates, which it must cost next to nothing: a function and no method, since
    a delegate's own attributes are slow to read; no coroutine around the connection's; arguments by
    position, and no empty keywords. Each of these would be a percent or more of all that it takes.
    """
    surely_within = updates.surely_within

    async def record_and_send(session_id: str, update: Any, kwargs: dict[str, Any]) -> None:
        assert transcript is not None
        transcript.append(session_id, recorded_form(session_id, update))
        await conn.session_update(session_id, updates.project(update), **kwargs)

    def session_update(session_id: str, update: Any, **kwargs: Any) -> Any:
        """The connection's ``session_update``, with the update bounded."""
        if transcript is not None:
            return record_and_send(session_id, update, kwargs)
        if plain_characters(update) > surely_within:
            update = updates.project(update)
        if kwargs:
            return conn.session_update(session_id, update, **kwargs)
        return conn.session_update(session_id, update)

    return session_update


class BoundedConnection(Delegate):
    """The agent's side: bounds, and records, what is sent."""

    __slots__ = ("_acpbound_transcript", "_acpbound_updates", "session_update")

    _acpbound_transcript: Record | None
    _acpbound_updates: UpdateProjector
    session_update: Callable[..., Awaitable[None]]

    def __init__(self, conn: object, projector: Projector, transcript: Record | None) -> None:
        super().__init__(conn)
        updates = UpdateProjector(projector)
        object.__setattr__(self, "_acpbound_transcript", transcript)
        object.__setattr__(self, "_acpbound_updates", updates)
        sending = _session_update(conn, updates, transcript)
        object.__setattr__(self, "session_update", sending)

    async def sessionUpdate(self, params: Any) -> None:  # noqa: N802 - a deprecated name of the SDK
        """The connection's old spelling of the same, which takes the notification."""
        if self._acpbound_transcript is not None:
            recorded = recorded_form(params.session_id, params.update)
            self._acpbound_transcript.append(params.session_id, recorded)
        projected = self._acpbound_updates.project_notification(params)
        await self._acpbound_target.sessionUpdate(projected)

    async def __aenter__(self) -> BoundedConnection:
        await self._acpbound_target.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> Any:
        return await self._acpbound_target.__aexit__(*error)


class BoundedClient(Delegate):
    """The client's side: bounds what is received, under each name that the client listens to.

    The SDK asks for the two names, so a name that the client lacks must be lacking here too.
    """

    __slots__ = ("_acpbound_updates",)

    _acpbound_updates: UpdateProjector

    def __init__(self, client: object, projector: Projector) -> None:
        super().__init__(client)
        object.__setattr__(self, "_acpbound_updates", UpdateProjector(projector))

    @property
    def session_update(self) -> Callable[..., Awaitable[Any]]:
        """The client's ``session_update``, with the update bounded."""
        handle = self._acpbound_target.session_update
        updates = self._acpbound_updates

        @wraps(handle)
        async def session_update(session_id: str, update: Any, **kwargs: Any) -> Any:
            return await handle(session_id=session_id, update=updates.project(update), **kwargs)

        return session_update

    @property
    def sessionUpdate(self) -> Callable[..., Awaitable[Any]]:  # noqa: N802 - as above
        """The old spelling of the same, which takes the notification."""
        handle = self._acpbound_target.sessionUpdate
        updates = self._acpbound_updates

        @wraps(handle)
        async def session_update(params: Any) -> Any:
            return await handle(updates.project_notification(params))

        return session_update
