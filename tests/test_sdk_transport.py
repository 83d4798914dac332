"""``BoundedTransport``: nothing that a connection sends goes around it."""

import asyncio
import copy
import json
from importlib.metadata import version

import pytest
from acp.agent.connection import AgentSideConnection

from tests.sdk_cases import BIG, CASES, ascii_json, delivered, shown
from tests.sdk_sessions import TAKES_TRANSPORTS, model_of
from tests.strategies import notification, tool_update


class Line:
    """A transport that keeps what it is given."""

    def __init__(self, *messages):
        self.sent = []
        self.messages = [*messages, None]
        self.closed = False

    async def send(self, message):
        self.sent.append(message)

    async def receive(self):
        return self.messages.pop(0)

    async def close(self):
        self.closed = True


def replay(*updates):
    return {"v": 1, "updates": list(updates)}


if TAKES_TRANSPORTS:

    def test_a_bounded_transport_bounds_every_way_by_which_updates_leave(core):
        sdk = core.module("sdk")
        big, small = tool_update(BIG), tool_update(shown(BIG))
        places = {
            "live": (notification(big), notification(small)),
            "bulk replay": (
                {"id": 1, "result": {"_meta": {"qwen.session.loadReplay": replay(big, big)}}},
                {"id": 1, "result": {"_meta": {"qwen.session.loadReplay": replay(small, small)}}},
            ),
            "updates": ({"id": 1, "result": replay(big)}, {"id": 1, "result": replay(small)}),
        }
        for given, expected in places.values():
            line = Line()
            before = copy.deepcopy(given)
            asyncio.run(sdk.BoundedTransport(line).send(given))
            assert line.sent == [expected]
            assert given == before

    def test_what_needs_no_bounding_passes_a_transport_as_the_very_object(core):
        sdk = core.module("sdk")
        permission = {
            "method": "session/request_permission",
            "id": 7,
            "params": {"toolCall": tool_update(BIG, rawOutput=BIG), "update": tool_update(BIG)},
        }
        incoming = notification(tool_update(BIG))
        line = Line(incoming)
        transport = sdk.BoundedTransport(line)

        async def session():
            await transport.send(permission)
            assert line.sent[0] is permission
            assert await transport.receive() is incoming
            assert await transport.receive() is None
            await transport.close()

        asyncio.run(session())
        assert line.closed
        assert transport.messages is line.messages
        with pytest.raises(AttributeError, match="nothing"):
            transport.nothing  # noqa: B018 - the look-up is the test

    @pytest.mark.parametrize("form", ["model", "dict"])
    def test_nothing_that_a_connection_sends_goes_around_its_transport(core, form):
        sdk = core.module("sdk")
        line = Line()
        observed = []

        async def session():
            conn = AgentSideConnection(object(), sdk.BoundedTransport(line))
            conn._conn.add_observer(lambda event: observed.append(event.message))
            for update, _ in CASES.values():
                await conn.session_update("s-1", model_of(update) if form == "model" else update)
            await conn._conn.send_notification("session/update", {"update": tool_update(BIG)})
            await conn.close()

        asyncio.run(session())
        sent = json.loads(json.dumps([message["params"]["update"] for message in line.sent]))
        assert sent == [*map(delivered, CASES), tool_update(shown(BIG))]
        # The SDK's own observers see what the agent said.
        assert observed[0]["params"]["update"] == CASES["content"][0]

    def test_a_copy_of_a_bounded_transport_bounds_for_the_same_line(core):
        line = Line()
        transport = copy.copy(core.module("sdk").BoundedTransport(line))
        asyncio.run(transport.send(notification(tool_update(BIG))))
        assert line.sent == [notification(tool_update(shown(BIG)))]

    def test_a_transport_with_another_budget(core):
        line = Line()
        transport = core.module("sdk").BoundedTransport(line, core.Projector(97))
        asyncio.run(transport.send(notification(tool_update(BIG))))
        assert len(ascii_json(line.sent[0]["params"]["update"]["content"])) == 97

else:

    def test_a_transport_on_an_sdk_that_knows_none_is_a_clear_error(core):
        installed = version("agent-client-protocol")
        with pytest.raises(RuntimeError) as caught:
            core.module("sdk").BoundedTransport(Line())
        assert str(caught.value) == (
            "BoundedTransport needs agent-client-protocol 0.12 or later, whose connections take a "
            f"transport; {installed} is installed: use bounded(conn)"
        )
