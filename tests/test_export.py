"""Export gives back what was recorded, and nothing else."""

import json

import pytest

from tests.histories import call_part, chat_record, chunk, history_of, own_record
from tests.strategies import tool_update, wire_bytes
from tests.test_transcript import store_at

LONG = 'line of output \u6c49\u5b57 "q"\ud800\u2028\n' * 20_000


def exported(core, store, session_id="s"):
    return [*core.module("export").export_updates(store, session_id)]


def test_a_truncated_result_comes_back_byte_for_byte(core, tmp_path):
    store = store_at(core, tmp_path)
    update = tool_update(LONG, "b" * 100_000, rawOutput=LONG, _meta={"timestamp": 7})
    store.append("s", update)
    (bounded,) = core.module("replay").History(store).stream("s")
    assert len(wire_bytes(bounded["content"])) <= 65_536
    (whole,) = exported(core, store)
    assert whole == update
    assert wire_bytes(whole) == wire_bytes(update)


def test_no_mark_is_added_and_no_call_is_closed(core, tmp_path):
    history_of(core, tmp_path, own_record(1), chat_record("assistant", call_part("open")))
    updates = exported(core, store_at(core, tmp_path))
    assert updates[0] == chunk("text 1")
    assert [update["sessionUpdate"] for update in updates] == ["agent_message_chunk", "tool_call"]
    assert "qwen.session.recordId" not in updates[1]["_meta"]


def test_a_subagent_is_exported_by_its_virtual_id(core, tmp_path):
    store = store_at(core, tmp_path)
    store.append("s", chunk("x"), agent_id="a")
    assert exported(core, store, "subagent.cw.YQ") == [chunk("x")]


def test_what_cannot_be_exported_is_reported_and_the_rest_is_exported(core, tmp_path):
    damage = []
    future = {"uuid": "u", "v": 2}
    history_of(core, tmp_path, own_record(1), future, own_record(2), 42, own_record(3))
    store = store_at(core, tmp_path, on_damage=damage.append)
    assert exported(core, store) == [chunk("text 1"), chunk("text 2"), chunk("text 3")]
    first = len(json.dumps(own_record(1))) + 1
    second = first + len(json.dumps(future) + json.dumps(own_record(2))) + 2
    assert [(one.offset, one.reason) for one in damage] == [
        (first, "no known record: its version is not 1, the only one known here"),
        (second, "not an object"),
    ]


def test_an_unknown_session_is_an_error(core, tmp_path):
    with pytest.raises(LookupError, match="there is no session s"):
        exported(core, store_at(core, tmp_path))
