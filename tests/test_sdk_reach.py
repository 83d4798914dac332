"""Fields that a user named, in the SDK's models and dicts: judged by what leaves on the wire."""

import asyncio
import copy
import json

import pytest

from tests.reaching import assert_field_bounded
from tests.sdk_cases import BUDGET, ascii_json
from tests.sdk_sessions import (
    TAKES_TRANSPORTS,
    Client,
    agent_side,
    ask,
    both_sides,
    model_of,
    notifications,
    session_with,
    written,
)
from tests.shapes import KINDS, SHAPES, TEXTS, every_shape, field_of, shaped_update
from tests.strategies import wire_bytes

ALL = ("content", "rawInput", "rawOutput", "_meta")
FORMS = {"model": model_of, "dict": lambda update: update}


def naming(core, *fields, **options):
    return core.Projector(ensure_ascii=True, also=fields, **options)


def assert_bounded(field, delivered, said):
    if field == "content":
        # A preview is a new block, whose keys are in the contract's order and not in the SDK's.
        said, delivered = (
            json.loads(json.dumps(each, sort_keys=True)) for each in (said, delivered)
        )
    assert_field_bounded(field, delivered, said, ensure_ascii=True)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_leaves_bounded_when_its_field_is_named(core, shape, text, kind, form):
    sdk = core.module("sdk")
    field = field_of(shape)
    update = FORMS[form](shaped_update(shape, TEXTS[text], kind))
    before = copy.deepcopy(update)

    async def session():
        async with agent_side() as (conn, next_line):
            bounded = sdk.bounded(conn, naming(core, field))
            await bounded.session_update("s-1", update)
            return await next_line()

    line = asyncio.run(session())
    delivered = json.loads(line)["params"]["update"]
    assert update == before
    assert ascii_json(delivered[field]) in line
    assert_bounded(field, delivered, written(update))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("shape", SHAPES)
def test_what_is_not_named_or_within_its_budget_stays_the_very_object(core, shape, form):
    field = field_of(shape)
    project = core.module("sdk_updates").UpdateProjector
    update = FORMS[form](shaped_update(shape, TEXTS["quotes"]))
    contract = project(core.Projector(ensure_ascii=True)).project(update)
    # The SDK leaves out what is null: then the contract covers it.
    assert (contract is update) == (shape != "content with an annotated block")
    others = project(naming(core, *set(ALL) - {field}))
    assert wire_bytes(written(others.project(update))) == wire_bytes(written(contract))
    assert (others.project(update) is update) == (contract is update)
    small = FORMS[form](shaped_update(shape, "small"))
    named = project(naming(core, *ALL))
    assert named.project(small) is small
    bounded = named.project(update)
    assert bounded is not update
    assert type(bounded) is type(update)
    assert named.project(bounded) is bounded


@pytest.mark.parametrize("form", FORMS)
def test_a_text_three_times_in_one_object_shares_fairly(core, form):
    update = FORMS[form](shaped_update("raw object, three times the same", TEXTS["ascii"]))
    project = core.module("sdk_updates").UpdateProjector(naming(core, "rawOutput")).project
    bounded = written(project(update))["rawOutput"]
    sizes = {len(ascii_json(bounded[key])) for key in ("stdout", "aggregated_output")}
    assert max(sizes) - min(sizes) <= 1
    assert len(bounded["formatted_output"]) > 20_000
    assert bounded["exit_code"] == 0
    assert bounded["duration"] == {"secs": 1, "nanos": 5}


@pytest.mark.parametrize("form", FORMS)
def test_live_updates_and_their_replay_by_a_real_agent(core, form):
    options = [word for field in ALL for word in ("--also", field)]

    async def session():
        async with session_with(core, *options) as (connection, lines, client):
            await ask(connection, shapes=True, form=form)
            live = len(lines)
            await connection.load_session(cwd="/", session_id="s-1", mcp_servers=[])
            return notifications(lines[:live]), notifications(lines[live:]), client

    live, replayed, client = asyncio.run(session())
    expected = [(field, written(update)) for field, update in every_shape()]
    assert len(live) == len(replayed) == len(expected) == len(client.updates) / 2
    assert [line for line, _ in live] == [line for line, _ in replayed]
    for (line, frame), (field, said) in zip(live, expected, strict=True):
        delivered = frame["params"]["update"]
        assert ascii_json(delivered[field]) in line
        assert_bounded(field, delivered, said)
        assert len(line) < BUDGET + 2_000


@pytest.mark.parametrize("shape", SHAPES)
def test_a_client_that_names_fields_gets_them_bounded(core, shape):
    sdk = core.module("sdk")
    field = field_of(shape)
    given = model_of(shaped_update(shape, TEXTS["cjk"]))

    class Listening(Client):
        def __init__(self):
            super().__init__()
            self.got = asyncio.Event()

        async def session_update(self, session_id, update, **kwargs):
            await super().session_update(session_id, update, **kwargs)
            self.got.set()

    async def session():
        client = Listening()
        async with both_sides(sdk.bounded_client(client, naming(core, field))) as agent:
            await agent.session_update("s-1", given)
            await asyncio.wait_for(client.got.wait(), 60)
        return client.updates

    [update] = asyncio.run(session())
    assert type(update) is type(given)
    assert_bounded(field, json.loads(json.dumps(written(update))), written(given))


if TAKES_TRANSPORTS:

    class Line:
        """A transport that keeps what it is given."""

        def __init__(self):
            self.sent = []

        async def send(self, message):
            self.sent.append(message)

        async def receive(self):
            await asyncio.Event().wait()

        async def close(self):
            pass

    @pytest.mark.parametrize("form", FORMS)
    def test_a_transport_bounds_named_fields_live_and_replayed(core, form):
        from acp.agent.connection import AgentSideConnection

        sdk = core.module("sdk")
        line = Line()

        async def session():
            transport = sdk.BoundedTransport(line, naming(core, *ALL))
            conn = AgentSideConnection(object(), transport)
            for _, update in every_shape():
                await conn.session_update("s-1", FORMS[form](update))
            await conn.close()
            updates = [update for _, update in every_shape()]
            await transport.send({"id": 1, "result": {"updates": updates}})

        asyncio.run(session())
        *live, replay = line.sent
        assert len(live) == len(replay["result"]["updates"]) == len(list(every_shape()))
        for (field, update), frame in zip(every_shape(), live, strict=True):
            assert_bounded(field, frame["params"]["update"], written(update))
        for (field, update), delivered in zip(
            every_shape(), replay["result"]["updates"], strict=True
        ):
            assert_bounded(field, delivered, update)
