"""The client's side: what ``bounded_client`` takes over, and that all else is the client's."""

import asyncio
import json

import pytest
from acp.schema import SessionNotification

from tests.sdk_cases import BIG, CASES, delivered, shown
from tests.sdk_sessions import Client, both_sides, model_of, written
from tests.strategies import tool_update


class Listening(Client):
    def __init__(self):
        super().__init__()
        self.got = asyncio.Event()

    async def session_update(self, session_id, update, **kwargs):
        await super().session_update(session_id, update, **kwargs)
        self.got.set()


async def receive(client, update):
    """Have the SDK deliver one update to a client."""
    async with both_sides(client) as agent:
        await agent.session_update("s-1", update)
        await asyncio.wait_for(client.got.wait(), 60)


@pytest.mark.parametrize("name", ["content", "both equal", "CJK", "an image", "A2UI by server"])
def test_a_bounded_client_gets_bounded_models(core, name):
    sdk = core.module("sdk")

    async def session():
        client = Listening()
        await receive(sdk.bounded_client(client), model_of(CASES[name][0]))
        return client.updates

    [update] = asyncio.run(session())
    assert type(update) is type(model_of(CASES[name][0]))
    assert json.loads(json.dumps(written(update))) == delivered(name)
    assert (update.raw_output is not None) == ("rawOutput" in CASES[name][0])


@pytest.mark.filterwarnings("ignore:.*deprecated:DeprecationWarning")
def test_a_client_in_the_old_style_is_bounded_too(core):
    sdk = core.module("sdk")
    taken = []

    class Old:
        def __init__(self):
            self.got = asyncio.Event()

        async def sessionUpdate(self, params):  # noqa: N802 - the SDK's deprecated name
            taken.append(params)
            self.got.set()

    async def session():
        client = sdk.bounded_client(Old())
        assert not hasattr(client, "session_update")
        await receive(client, model_of(tool_update(BIG, rawOutput=BIG)))

    asyncio.run(session())
    assert taken[0].session_id == "s-1"
    assert taken[0].update.raw_output == taken[0].update.content[0].content.text == shown(BIG)


def test_a_client_in_the_old_style_gets_a_small_notification_as_the_very_object(core):
    taken = []

    class Old:
        async def sessionUpdate(self, params):  # noqa: N802 - the SDK's deprecated name
            taken.append(params)

    small = SessionNotification(session_id="s-1", update=model_of(tool_update("small")))
    asyncio.run(core.module("sdk").bounded_client(Old()).sessionUpdate(small))
    assert taken[0] is small


def test_a_bounded_client_is_the_client_in_all_else(core):
    sdk = core.module("sdk")

    class Mine(Client):
        def on_connect(self, conn):
            self.conn = conn

    mine = Mine()
    client = sdk.bounded_client(mine)
    assert isinstance(client, Mine)
    assert not callable(client)
    client.on_connect("connection")
    assert mine.conn == client.conn == "connection"
    assert not hasattr(client, "sessionUpdate")
    assert not hasattr(sdk.bounded_client(object()), "session_update")
