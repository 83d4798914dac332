"""Sessions between the official SDK's two sides, with what passes on the pipe written down.

``session_with`` starts a real agent process and a real SDK client; every line that the agent writes
is taken from the pipe before the client gets it. ``agent_side`` is the agent's connection alone, on
a socket whose other end gives the lines.
"""

import asyncio
import json
import socket
import sys
from contextlib import asynccontextmanager
from importlib.metadata import version

import acp
from acp.agent.connection import AgentSideConnection
from acp.client.connection import ClientSideConnection
from acp.schema import SessionNotification
from acp.utils import serialize_params

SDK = tuple(int(part) for part in version("agent-client-protocol").split(".")[:2])
TAKES_TRANSPORTS = SDK >= (0, 12)
READS_LONG_LINES = SDK >= (0, 11)
_LONG = 1 << 27


class Client:
    """Keeps what it is told."""

    def __init__(self):
        self.updates = []
        self.meta = []

    async def session_update(self, session_id, update, **kwargs):  # noqa: ARG002 - the protocol's name
        self.updates.append(update)
        self.meta.append(kwargs)

    def on_connect(self, conn):
        pass


def model_of(update):
    """The SDK's model of an update in the wire's form."""
    return SessionNotification.model_validate({"sessionId": "s-1", "update": update}).update


def written(update):
    """An update, model or dict, as the SDK's own connection writes it; decoded again."""
    notification = SessionNotification(session_id="s-1", update=update)
    return json.loads(json.dumps(serialize_params(notification)))["update"]


@asynccontextmanager
async def session_with(core, *options, client=None, record=True, limit=_LONG):
    """An agent process with these options: its SDK connection, the lines it wrote, the client."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.sdk_agent",
        *options,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env=core.environment,
        limit=limit,
    )
    client = client or Client()
    lines = []
    reader = process.stdout
    pump = None
    if record:
        reader = asyncio.StreamReader(limit=limit)

        async def copy():
            async for line in process.stdout:
                lines.append(line)
                reader.feed_data(line)
            reader.feed_eof()

        pump = asyncio.create_task(copy())
    connection = ClientSideConnection(client, process.stdin, reader)
    try:
        await connection.initialize(protocol_version=acp.PROTOCOL_VERSION)
        await connection.new_session(cwd="/", mcp_servers=[])
        yield connection, lines, client
    finally:
        await connection.close()
        process.stdin.close()
        if pump is not None:
            await pump
        await process.communicate()


async def ask(connection, **order):
    """Prompt the agent of ``tests.sdk_agent``."""
    block = acp.schema.TextContentBlock(type="text", text=json.dumps(order))
    await connection.prompt(prompt=[block], session_id="s-1")


def notifications(lines):
    """The ``session/update`` notifications among lines: each as its bytes and decoded."""
    frames = [(line, json.loads(line)) for line in lines]
    return [(line, frame) for line, frame in frames if frame.get("method") == "session/update"]


@asynccontextmanager
async def agent_side():
    """The agent's SDK connection, and a function that reads the next line it wrote."""
    ours, theirs = socket.socketpair()
    reader, writer = await asyncio.open_connection(sock=ours)
    lines, lines_writer = await asyncio.open_connection(sock=theirs, limit=_LONG)
    connection = AgentSideConnection(object(), writer, reader)

    async def next_line():
        return await asyncio.wait_for(lines.readline(), timeout=60)

    try:
        yield connection, next_line
    finally:
        await connection.close()
        await _closed(writer, lines_writer)


@asynccontextmanager
async def both_sides(client):
    """The agent's SDK connection to a client that listens on the SDK's other side."""
    ours, theirs = socket.socketpair()
    reader, writer = await asyncio.open_connection(sock=ours)
    client_reader, client_writer = await asyncio.open_connection(sock=theirs, limit=_LONG)
    connection = AgentSideConnection(object(), writer, reader)
    listening = ClientSideConnection(client, client_writer, client_reader)
    try:
        yield connection
    finally:
        await connection.close()
        await listening.close()
        await _closed(writer, client_writer)


async def _closed(*writers):
    for writer in writers:
        writer.close()
        await writer.wait_closed()
