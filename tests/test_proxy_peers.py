"""A client and an agent made with the official SDK, which talk through a proxy.

The client's line limit is asyncio's default, 64 KiB, as the SDK leaves it when it starts an agent.
The SDK's later versions join what exceeds the limit; here a line must fit, as it had to in the
earlier ones and has to in every client that calls ``StreamReader.readline``.
"""

import asyncio
import sys
from contextlib import asynccontextmanager
from pathlib import Path

import acp
import pytest
from acp import schema

from tests.strategies import wire_bytes

AGENT = [sys.executable, str(Path(__file__).parent / "peer_agent.py")]
MARKER = "\n[... truncated for ACP transport ...]\n"
FILE = "line of the file\n" * 60_000


class Client(acp.Client):
    def __init__(self):
        self._updates = asyncio.Queue()

    async def session_update(self, update, **_):
        await self._updates.put(update)

    async def updates(self, count):
        """The next updates, which may be handed over after the response that follows them."""
        return [await self._updates.get() for _ in range(count)]

    def has_updates(self):
        return not self._updates.empty()

    async def read_text_file(self, **_):
        return schema.ReadTextFileResponse(content=FILE)


def only_lines_within_the_limit(reader):
    async def readuntil(separator=b"\n"):
        try:
            return await asyncio.StreamReader.readuntil(reader, separator)
        except asyncio.LimitOverrunError as error:
            raise ValueError(str(error)) from None  # as readline does

    reader.readuntil = readuntil


@asynccontextmanager
async def connected(command, environment, *, seconds_to_leave=30):
    client = Client()
    async with acp.spawn_agent_process(
        client,
        *command,
        env=environment,
        # An agent on a busy machine takes longer to leave than the two seconds that the SDK grants.
        transport_kwargs={"stderr": None, "shutdown_timeout": seconds_to_leave},
    ) as (agent, process):
        only_lines_within_the_limit(process.stdout)
        await agent.initialize(protocol_version=acp.PROTOCOL_VERSION)
        yield client, agent, process
    # A pipe that a failed connection no longer reads is left open by asyncio.
    process._transport.close()


def proxied(core, *options):
    return core.command("proxy", "--quiet", *options, "--", *AGENT)


def run(coroutine):
    async def limited():
        return await asyncio.wait_for(coroutine, 60)

    return asyncio.run(limited())


def assert_bounded(update, budget):
    [item] = update.content
    text = item.content.text
    assert MARKER in text
    assert MARKER in update.raw_output
    content = [item.model_dump(by_alias=True, exclude_none=True)]
    assert budget - 12 < len(wire_bytes(content)) <= budget
    assert len(wire_bytes(update.raw_output)) <= budget


def test_a_whole_session_works_at_the_default_line_limit_with_a_small_budget(core):
    async def session():
        command = proxied(core, "--budget", "16384")
        async with connected(command, core.environment) as (client, agent, process):
            new = await agent.new_session(cwd="/", mcp_servers=[])
            assert new.session_id == "s-1"

            answer = await agent.prompt(session_id="s-1", prompt=[acp.text_block("read")])
            assert answer.stop_reason == "end_turn"
            result, message = await client.updates(2)
            assert_bounded(result, 16_384)
            # A response of 1 MB from client to agent was as long as it is.
            assert message.content.text == f"read {len(FILE)}"

            await agent.load_session(cwd="/", session_id="s-1", mcp_servers=[])
            replayed = await client.updates(2)
            assert [update.tool_call_id for update in replayed] == ["call-1", "call-2"]
            for update in replayed:
                assert_bounded(update, 16_384)

            loaded = await agent.ext_method("qwen/session/loadUpdates", {"sessionId": "s-1"})
            [update] = loaded["updates"]
            assert len(wire_bytes(update["content"])) <= 16_384
            assert len(wire_bytes(update["rawOutput"])) <= 16_384
            assert loaded["asked"] == {"sessionId": "s-1"}

            waiting = asyncio.ensure_future(
                agent.prompt(session_id="s-1", prompt=[acp.text_block("wait")])
            )
            await client.updates(1)
            await agent.cancel(session_id="s-1")
            assert (await waiting).stop_reason == "cancelled"
        # Leaving the connection closes the agent's stdin, which is all that it takes.
        assert process.returncode == 0

    run(session())


def test_without_the_proxy_the_same_session_does_not_work(core):
    async def session():
        # Its output is no longer read, so it cannot leave by itself.
        async with connected(AGENT, core.environment, seconds_to_leave=0.3) as (client, agent, _):
            await agent.new_session(cwd="/", mcp_servers=[])
            prompt = agent.prompt(session_id="s-1", prompt=[acp.text_block("read")])
            with pytest.raises((ConnectionError, ValueError)):
                await prompt
            assert not client.has_updates()

    run(session())


def test_an_agent_process_of_the_sdk_that_is_killed_ends_the_clients_connection(core):
    async def session():
        async with connected(proxied(core), core.environment) as (client, agent, process):
            await agent.new_session(cwd="/", mcp_servers=[])
            prompt = asyncio.ensure_future(
                agent.prompt(session_id="s-1", prompt=[acp.text_block("wait")])
            )
            await client.updates(1)
            process.terminate()
            with pytest.raises(ConnectionError):
                await prompt
            assert await process.wait() == 128 + 15

    run(session())
