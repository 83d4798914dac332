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
from acpbound.sdk_updates import UpdateProjector
from acpbound.sdk_wire import recorded_form


class BoundedConnection(Delegate):
    """The agent's side: bounds, and records, what is sent."""

    __slots__ = ("_acpbound_transcript", "_acpbound_updates")

    _acpbound_transcript: Record | None
    _acpbound_updates: UpdateProjector

    def __init__(self, conn: object, projector: Projector, transcript: Record | None) -> None:
        super().__init__(conn)
        object.__setattr__(self, "_acpbound_transcript", transcript)
        object.__setattr__(self, "_acpbound_updates", UpdateProjector(projector))

    async def session_update(self, /, session_id: str, update: Any, **kwargs: Any) -> None:
        """The connection's ``session_update``, with the update bounded."""
        if self._acpbound_transcript is not None:
            self._acpbound_transcript.append(session_id, recorded_form(session_id, update))
        projected = self._acpbound_updates.project(update)
        # By position: keywords would cost a small update two percent more.
        await self._acpbound_target.session_update(session_id, projected, **kwargs)

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
