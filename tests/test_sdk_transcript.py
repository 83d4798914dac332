"""``bounded(conn, transcript=...)``: the record is what the agent said, not what was sent."""

import asyncio
import json

import pytest
from acp.schema import SessionNotification

from tests.sdk_cases import BIG, CASES, delivered, shown
from tests.sdk_sessions import agent_side, model_of
from tests.strategies import tool_update


class Record:
    """What a TranscriptStore is to the connection."""

    def __init__(self, _=None):
        self.records = []

    def append(self, session_id, update):
        self.records.append((session_id, json.loads(json.dumps(update, allow_nan=False))))
        return str(len(self.records))

    def updates(self, session_id):
        return [update for recorded_id, update in self.records if recorded_id == session_id]


class Store:
    """The real store, read back from its file."""

    def __init__(self, root):
        from acpbound.transcript import TranscriptStore

        self._root = root
        self.append = TranscriptStore(root).append

    def updates(self, session_id):
        lines = (self._root / "chats" / f"{session_id}.jsonl").read_bytes().split(b"\n")
        return [json.loads(line)["update"] for line in lines[:-1]]


STORES = {"record": Record, "store": Store}


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("form", ["model", "dict"])
def test_a_transcript_keeps_every_update_as_it_was(core, tmp_path, store, form):
    sdk = core.module("sdk")
    record = STORES[store](tmp_path)

    async def session():
        async with agent_side() as (conn, next_line):
            bounded = sdk.bounded(conn, transcript=record)
            sent = []
            for update, _ in CASES.values():
                given = model_of(update) if form == "model" else update
                await bounded.session_update("s-1", given, key="of the parameters")
                parameters = json.loads(await next_line())["params"]
                assert parameters["_meta"] == {"key": "of the parameters"}
                sent.append(parameters["update"])
            return sent

    sent = asyncio.run(session())
    assert sent == [delivered(name) for name in CASES]
    assert record.updates("s-1") == [json.loads(json.dumps(case[0])) for case in CASES.values()]


def test_a_transcript_keeps_keys_of_a_dict_that_the_sdk_leaves_out(core):
    sdk = core.module("sdk")
    record = Record()
    update = {**tool_update("t"), "title": None, "vendor": {"a": None}}
    update["content"].append(model_of(tool_update("u")).content[0])

    async def session():
        async with agent_side() as (conn, next_line):
            await sdk.bounded(conn, transcript=record).session_update("s-1", update)
            by_name = {"session_update": "tool_call", "tool_call_id": "c", "title": "t"}
            await sdk.bounded(conn, transcript=record).session_update("s-1", by_name)
            return [json.loads(await next_line())["params"]["update"] for _ in range(2)]

    first, second = asyncio.run(session())
    assert record.updates("s-1")[0] == {
        **tool_update("t", "u"),
        "title": None,
        "vendor": {"a": None},
    }
    assert record.updates("s-1")[1] == second
    assert first == tool_update("t", "u")


def test_what_cannot_be_recorded_is_not_sent(core):
    sdk = core.module("sdk")

    class Full:
        def append(self, _session_id, _update):
            raise OSError("no space left on device")

    async def session():
        async with agent_side() as (conn, next_line):
            bounded = sdk.bounded(conn, transcript=Full())
            with pytest.raises(OSError, match="no space"):
                await bounded.session_update("s-1", tool_update("t"))
            await conn.ext_notification("next", {})
            return json.loads(await next_line())["method"]

    assert asyncio.run(session()) == "_next"


@pytest.mark.filterwarnings("ignore:.*deprecated:DeprecationWarning")
def test_the_old_spelling_of_session_update_is_bounded_and_recorded(core):
    sdk = core.module("sdk")
    record = Record()
    parameters = SessionNotification(
        session_id="s-1", update=model_of(tool_update(BIG)), field_meta={"a": 1}
    )

    async def session():
        async with agent_side() as (conn, next_line):
            await sdk.bounded(conn, transcript=record).sessionUpdate(parameters)
            return json.loads(await next_line())["params"]

    sent = asyncio.run(session())
    assert sent == {"sessionId": "s-1", "update": tool_update(shown(BIG)), "_meta": {"a": 1}}
    assert record.updates("s-1") == [tool_update(BIG)]
    assert parameters.update.content[0].content.text == BIG


@pytest.mark.filterwarnings("ignore:.*deprecated:DeprecationWarning")
def test_the_old_spelling_without_a_record(core):
    async def session():
        async with agent_side() as (conn, next_line):
            update = model_of(tool_update(BIG))
            parameters = SessionNotification(session_id="s-1", update=update)
            await core.module("sdk").bounded(conn).sessionUpdate(parameters)
            return json.loads(await next_line())["params"]

    assert asyncio.run(session()) == {"sessionId": "s-1", "update": tool_update(shown(BIG))}
