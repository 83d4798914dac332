"""A real agent process and a real client on the official SDK, judged by the bytes on the pipe."""

import asyncio
import json

import pytest

from tests.sdk_cases import (
    ASCII,
    BUDGET,
    CASES,
    MARKER,
    STRUCTURE,
    ascii_json,
    changes,
    delivered,
    shown,
)
from tests.sdk_sessions import READS_LONG_LINES, ask, notifications, session_with

FORMS = ("model", "dict")


def in_wire_order(line):
    """The fields of the update in a line, each as the bytes that it takes there."""
    update = json.loads(line)["params"]["update"]
    fields = {name: ascii_json(value) for name, value in update.items()}
    for name, value in fields.items():
        assert f'"{name}":'.encode() + value in line
    return fields


@pytest.mark.parametrize("form", FORMS)
def test_live_updates_and_their_replay_are_bounded_on_the_pipe(core, form):
    async def session():
        async with session_with(core) as (connection, lines, client):
            await ask(connection, cases=list(CASES), form=form)
            live = len(lines)
            await connection.load_session(cwd="/", session_id="s-1", mcp_servers=[])
            return notifications(lines[:live]), notifications(lines[live:]), client

    live, replayed, client = asyncio.run(session())
    for sent in (live, replayed):
        assert len(sent) == len(CASES)
        for name, (line, frame) in zip(CASES, sent, strict=True):
            assert frame["params"] == {"sessionId": "s-1", "update": delivered(name)}, name
            fields = in_wire_order(line)
            for field in changes(name):
                assert len(fields[field]) <= BUDGET, name
    assert [line for line, _ in live] == [line for line, _ in replayed]
    assert len(client.updates) == 2 * len(CASES)


def test_the_known_sizes_of_half_a_million_characters_in_both_fields(core):
    async def session():
        async with session_with(core) as (connection, lines, client):
            await ask(connection, cases=["both equal"], form="model")
            return notifications(lines), client

    [(line, frame)], client = asyncio.run(session())
    fields = in_wire_order(line)
    assert len(fields["content"]) == 65_536
    assert len(fields["rawOutput"]) == 65_481 + 1
    assert len(line) < 131_400
    preview = frame["params"]["update"]["rawOutput"]
    assert preview == ASCII[:13_087] + MARKER + ASCII[-52_352:]
    assert client.updates[0].content[0].content.text == client.updates[0].raw_output == preview


@pytest.mark.parametrize("form", FORMS)
def test_lone_surrogates_leave_as_their_escapes(core, form):
    async def session():
        async with session_with(core) as (connection, lines, _):
            await ask(connection, cases=["a small lone surrogate", "lone surrogates"], form=form)
            return notifications(lines)

    (small, _), (large, _) = asyncio.run(session())
    assert rb'"text":"a\ud800b"' in small
    assert rb'"rawOutput":"\udc00"' in small
    assert rb"\ud83d\ude00\udc00x\ud800" in large
    assert small.isascii()
    assert large.isascii()


@pytest.mark.parametrize("form", FORMS)
def test_keywords_land_in_meta_of_the_parameters_and_change_nothing(core, form):
    meta = {"serverId": "a2ui", "toolName": "present_ui", "big": "m" * 100_000}

    async def session():
        async with session_with(core) as (connection, lines, client):
            await ask(connection, cases=["content"], form=form, meta=meta)
            return notifications(lines), client

    [(_, frame)], client = asyncio.run(session())
    assert frame["params"]["_meta"] == meta
    assert frame["params"]["update"] == delivered("content")
    assert client.meta == [meta]


def test_a_growing_buffer_is_bounded_every_time_it_is_resent(core):
    async def session():
        async with session_with(core) as (connection, lines, client):
            await ask(connection, grow=1_000)
            return notifications(lines), client

    sent, client = asyncio.run(session())
    assert len(sent) == len(client.updates) == 1_000
    for i, (line, frame) in enumerate(sent, start=1):
        buffer = "0123456789" * 10 * i
        update = frame["params"]["update"]
        within = len(buffer) <= BUDGET - STRUCTURE
        expected = buffer if within else buffer[:13_087] + MARKER + buffer[-52_352:]
        assert update["content"][0]["content"]["text"] == expected
        assert len(ascii_json(update["content"])) <= BUDGET
        assert len(ascii_json(update["rawOutput"])) <= BUDGET
        assert len(line) <= 131_400


#: What a client at asyncio's default line limit cannot read: text alone, in both fields (a frame of
#: 132 KB), and the largest frame that the default budget leaves.
LONG_LINES = {
    "66 KB in one block": ({"once": [66_000]}, ["--unbounded"]),
    "132 KB": ({"twice": [66_000]}, ["--unbounded"]),
    "two fields at the default budget": ({"twice": [500_000]}, []),
}
DEFAULT_LIMIT = 65_536


@pytest.mark.parametrize("name", LONG_LINES)
def test_a_client_at_the_default_line_limit_lives_with_a_lower_budget(core, name):
    order, _ = LONG_LINES[name]

    async def session():
        options = ("--budget", "16384")
        async with session_with(core, *options, record=False, limit=DEFAULT_LIMIT) as (
            connection,
            _,
            client,
        ):
            await ask(connection, **order, form="model")
            await ask(connection, cases=["a small lone surrogate"], form="model")
            return client

    client = asyncio.run(asyncio.wait_for(session(), 60))
    assert len(client.updates) == 2
    ((characters,),) = order.values()
    assert client.updates[0].content[0].content.text == shown("a" * characters, 16_384)


@pytest.mark.parametrize("name", LONG_LINES)
def test_a_client_at_the_default_line_limit_dies_of_a_longer_line_up_to_0_10(core, name, caplog):
    order, options = LONG_LINES[name]

    async def session():
        async with session_with(core, *options, record=False, limit=DEFAULT_LIMIT) as (
            connection,
            _,
            client,
        ):
            prompt = asyncio.ensure_future(ask(connection, **order, form="model"))
            try:
                await asyncio.wait_for(prompt, 60)
            except Exception as error:
                return client, error
            return client, None

    client, error = asyncio.run(session())
    if READS_LONG_LINES:
        assert error is None
        assert len(client.updates) == 1
    else:
        assert isinstance(error, (ValueError, ConnectionError))
        assert client.updates == []
        assert "Receive loop failed" in caplog.text
