"""What a type checker sees of the SDK's objects in their bounded form (``test_sdk_typing``)."""

from typing import Any

import acp
from acp.agent.connection import AgentSideConnection
from acp.interfaces import Client
from acp.schema import ToolCallProgress
from typing_extensions import assert_type

from acpbound import Projector
from acpbound.sdk import BoundedTransport, Transport, bounded, bounded_client


class Agent:
    def on_connect(self, conn: Client) -> None:
        self.conn = bounded(conn)
        assert_type(self.conn, Client)

    async def tell(self, update: ToolCallProgress) -> None:
        await self.conn.session_update(session_id="s-1", update=update)
        answer = await self.conn.read_text_file(path="/f", session_id="s-1")
        assert_type(answer.content, str)


class MyClient:
    name: str = "mine"

    async def session_update(self, session_id: str, update: Any, **kwargs: Any) -> None: ...


class MyTransport:
    async def send(self, message: dict[str, Any]) -> None: ...

    async def receive(self) -> dict[str, Any] | None: ...

    async def close(self) -> None: ...


def with_a_budget(conn: AgentSideConnection) -> None:
    assert_type(bounded(conn, Projector(16_384, ensure_ascii=True)), AgentSideConnection)


assert_type(bounded_client(MyClient()), MyClient)
assert_type(bounded_client(MyClient()).name, str)
transport: Transport = BoundedTransport(MyTransport())


def connect(client: Client) -> None:
    acp.connect_to_agent(bounded_client(client), transport, None)


# mypy must object to each of these.
print(bounded_client(MyClient()).nothing)
BoundedTransport(MyClient())
bounded(transport, 16_384)
