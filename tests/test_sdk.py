"""The agent's side: what ``bounded`` takes over, and that all else is the connection's."""

import asyncio
import copy
import doctest
import json
import subprocess
import sys
from importlib.util import find_spec

import pytest
from acp.agent.connection import AgentSideConnection

from tests.sdk_cases import BIG, shown
from tests.sdk_sessions import agent_side, model_of
from tests.strategies import tool_update


def test_a_bounded_connection_is_the_connection_in_all_else(core):
    sdk = core.module("sdk")

    async def session():
        async with agent_side() as (conn, _):
            bounded = sdk.bounded(conn)
            assert isinstance(bounded, AgentSideConnection)
            assert not callable(bounded)
            assert bounded.request_permission == conn.request_permission
            assert dir(bounded) == dir(conn)
            assert repr(conn) in repr(bounded)
            bounded.label = "mine"
            assert conn.label == bounded.label == "mine"
            del bounded.label
            assert not hasattr(conn, "label")
            with pytest.raises(AttributeError, match="no attribute 'nothing'"):
                bounded.nothing  # noqa: B018 - the look-up is the test
            with pytest.raises(AttributeError, match="_acpbound_target"):
                copy.copy(bounded)

    asyncio.run(session())


def test_its_other_methods_send(core):
    sdk = core.module("sdk")

    async def session():
        async with agent_side() as (conn, next_line):
            await sdk.bounded(conn).ext_notification("mine", {"text": BIG})
            return json.loads(await next_line())

    assert asyncio.run(session()) == {
        "jsonrpc": "2.0",
        "method": "_mine",
        "params": {"text": BIG},
    }


def test_entering_a_bounded_connection_gives_the_bounded_one(core):
    sdk = core.module("sdk")

    async def session():
        async with agent_side() as (conn, next_line), sdk.bounded(conn) as entered:
            assert type(entered) is not type(conn)
            await entered.session_update(session_id="s-1", update=tool_update(BIG))
            return json.loads(await next_line())["params"]["update"]

    assert asyncio.run(session()) == tool_update(shown(BIG))


def test_leaving_a_bounded_connection_leaves_the_connection(core):
    left = []

    class Connection:
        async def __aenter__(self):
            left.append("entered")

        async def __aexit__(self, kind, error, traceback):
            left.append(kind)
            return True

    async def session():
        async with core.module("sdk").bounded(Connection()):
            raise KeyError

    asyncio.run(session())
    assert left == ["entered", KeyError]


def test_a_connection_within_its_budget_gets_the_very_object(core):
    sdk = core.module("sdk")
    taken = []

    class Connection:
        async def session_update(self, session_id, update, **kwargs):
            taken.append((session_id, update, kwargs))

    update = model_of(tool_update("small", rawOutput="small"))
    bounded = sdk.bounded(Connection())
    asyncio.run(bounded.session_update("s-1", update, more=1))
    asyncio.run(bounded.session_update(update=tool_update("small"), session_id="s-2"))
    assert taken[0] == ("s-1", update, {"more": 1})
    assert taken[0][1] is update
    assert taken[1] == ("s-2", tool_update("small"), {})


def test_another_budget_and_observer(core):
    sdk = core.module("sdk")
    fields = []
    projector = core.Projector(16_384, ensure_ascii=True, observer=fields.append)

    async def session():
        async with agent_side() as (conn, next_line):
            await sdk.bounded(conn, projector).session_update("s-1", model_of(tool_update(BIG)))
            return json.loads(await next_line())["params"]["update"]

    assert asyncio.run(session()) == tool_update(shown(BIG, 16_384))
    assert [field.field for field in fields] == ["content"]


def test_measured_as_utf_8_a_field_of_cjk_takes_131_kb_on_this_wire(core):
    sdk = core.module("sdk")

    async def session(*projector):
        async with agent_side() as (conn, next_line):
            bounded = sdk.bounded(conn, *projector)
            await bounded.session_update("s-1", model_of(tool_update("汉" * 500_000)))
            return len(await next_line())

    assert 130_900 < asyncio.run(session(core.Projector())) < 131_300
    assert asyncio.run(session()) < 65_536 + 200


def test_the_docstrings_example_is_true(core):
    assert doctest.testmod(core.module("sdk")) == (0, 5)


if find_spec("acp.experimental") is not None:

    def test_a_connection_of_protocol_version_2_is_refused(core):
        from acp.experimental.v2 import AgentSideConnection as Version2

        with pytest.raises(TypeError, match=r"protocol version 1.*BoundedTransport"):
            core.module("sdk").bounded(Version2.__new__(Version2))


def test_without_the_sdk_the_import_error_names_the_extra(core):
    program = "import sys; sys.modules['acp'] = None; import acpbound.sdk"
    run = subprocess.run(
        [sys.executable, "-c", program],
        env=core.environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 1
    assert run.stderr.endswith(
        "ImportError: acpbound.sdk needs the official ACP SDK, agent-client-protocol 0.8 or later: "
        "pip install 'acpbound[sdk]'\n"
    )


def test_the_package_itself_needs_no_sdk(core):
    program = "import sys; sys.modules['acp'] = sys.modules['pydantic'] = None; import acpbound.cli"
    run = subprocess.run([sys.executable, "-c", program], env=core.environment, check=False)
    assert run.returncode == 0
