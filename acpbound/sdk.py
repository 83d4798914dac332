"""The official Python SDK, ``agent-client-protocol`` 0.8 or later: one line for each side.

An agent wraps the connection that it is given (``bounded``), a client wraps itself
(``bounded_client``), and from SDK 0.12 on a transport can be wrapped (``BoundedTransport``), which
nothing that the connection sends can go around.

Strategy: each is a stand-in that takes over the one method by which session updates pass; all else
is the wrapped object's. ``sdk_updates`` bounds models and dicts, ``frames`` whole messages.

Rules: model in, model out, dict in, dict out; an author's object is never mutated; what is within
its budget goes on as the very object. Sizes are those of ``ensure_ascii=True``, for the SDK writes
with ``json.dumps``. Measured otherwise, a field would be bounded to less than it takes there: a
budget of 65,536 UTF-8 bytes of CJK text is 131 KB on this wire, each character being 3 bytes in
UTF-8 and 6 as an escape::

    >>> import json
    >>> from acpbound import Projector
    >>> text = "\u6c49" * 500_000
    >>> len(json.dumps(Projector().project_text(text)))
    131029
    >>> len(json.dumps(Projector(ensure_ascii=True).project_text(text)))
    65533
"""

from __future__ import annotations

import inspect
from importlib.metadata import version
from typing import Any, Final, Protocol, TypeVar, cast

from acpbound.frames import project_frame
from acpbound.projection import Projector
from acpbound.record import Record

try:
    from acp import connect_to_agent

    from acpbound.sdk_sides import BoundedClient, BoundedConnection
except ImportError as error:
    raise ImportError(
        "acpbound.sdk needs the official ACP SDK, agent-client-protocol 0.8 or later: "
        "pip install 'acpbound[sdk]'"
    ) from error

__all__ = ["SDK_CONTRACT", "BoundedTransport", "Record", "Transport", "bounded", "bounded_client"]

#: The contract's budget, measured as the SDK writes.
SDK_CONTRACT: Final = Projector(ensure_ascii=True)

_Connection = TypeVar("_Connection")
_Client = TypeVar("_Client")


class Transport(Protocol):
    """What the SDK, from 0.12 on, sends and receives whole JSON-RPC messages by."""

    async def send(self, message: dict[str, Any]) -> None:
        """Send one message."""

    async def receive(self) -> dict[str, Any] | None:
        """The next message; None at the end."""

    async def close(self) -> None:
        """Close both directions."""


def bounded(
    conn: _Connection, projector: Projector = SDK_CONTRACT, *, transcript: Record | None = None
) -> _Connection:
    """The connection that an agent is given, with the session updates it sends bounded::

        def on_connect(self, conn: Client) -> None:
            self.conn = bounded(conn)

    Covers what runs live and what the agent itself replays in ``load_session``. Every other
    attribute and method is the connection's. ``update`` is a model of ``acp.schema`` or a dict.

    ``projector`` sets the budget, in bytes: ``Projector(16_384, ensure_ascii=True)``. With a
    ``transcript`` each update is first recorded as it is, on the calling thread: a model as the SDK
    would have written it, a dict with all its keys; what cannot be recorded is not sent.

    It may name further fields, by their names on the wire: with
    ``Projector(ensure_ascii=True, also={"rawOutput", "_meta"})`` the objects and arrays in
    ``raw_output`` and ``field_meta`` are bounded too; one that changes is then plain JSON.

    ``session_update`` raises what the connection raises, and before that what the transcript
    raises. Raises TypeError for a connection of the SDK's experimental protocol version 2, whose
    updates are other models: wrap its transport.
    """
    if type(conn).__module__.startswith("acp.experimental."):
        raise TypeError(
            f"bounded() knows the updates of protocol version 1, not those of {type(conn)!r}; "
            "give that connection a BoundedTransport"
        )
    return cast(_Connection, BoundedConnection(conn, projector, transcript))


def bounded_client(client: _Client, projector: Projector = SDK_CONTRACT) -> _Client:
    """A client whose ``session_update`` gets session updates bounded::

        connect_to_agent(bounded_client(MyClient()), process.stdin, process.stdout)

    This bounds what the client keeps and shows, not what the agent sent it. Everything else is the
    client's own.
    """
    return cast(_Client, BoundedClient(client, projector))


class BoundedTransport:
    """A transport that bounds the session updates in every message it sends::

        connection = AgentSideConnection(agent, BoundedTransport(transport))

    Live updates and those in results of requests alike (``frames.UPDATE_PLACES``). Messages are
    never mutated; what is received is passed on as it is. Other attributes are the transport's.

    Raises RuntimeError when the installed SDK is older than 0.12, which knows no transports.
    """

    def __init__(self, transport: Transport, projector: Projector = SDK_CONTRACT) -> None:
        if not _connections_take_a_transport():
            raise RuntimeError(
                "BoundedTransport needs agent-client-protocol 0.12 or later, whose connections "
                f"take a transport; {version('agent-client-protocol')} is installed: "
                "use bounded(conn)"
            )
        self._transport = transport
        self._projector = projector

    async def send(self, message: dict[str, Any]) -> None:
        """Send one message, bounded. Raises what the transport raises."""
        await self._transport.send(project_frame(message, self._projector))

    async def receive(self) -> dict[str, Any] | None:
        """The next message, as it came; None at the end."""
        return await self._transport.receive()

    async def close(self) -> None:
        """Close the transport."""
        await self._transport.close()

    def __getattr__(self, name: str) -> Any:
        if name == "_transport":
            raise AttributeError(name)
        return getattr(self._transport, name)


def _connections_take_a_transport() -> bool:
    # A transport comes alone; the two streams of older versions are both required.
    output_stream = inspect.signature(connect_to_agent).parameters["output_stream"]
    return output_stream.default is not inspect.Parameter.empty
