"""The lossless record: what goes in comes out, whatever happens in between."""

import json
import re

import pytest

from tests.strategies import tool_update, wire_bytes

SURROGATES = "a\ud800b\udfffc\ud83d"
SEPARATORS = "a\u2028b\u2029c\x85d\x0ce\x0bf\rg\x1ch\r\ni"


def store_at(core, root, **options):
    return core.module("transcript").TranscriptStore(root, **options)


def recorded(store, session_id="s"):
    with store.open(session_id) as transcript:
        return [line.value["update"] for line in transcript.lines()]


@pytest.mark.parametrize(
    "text",
    [
        SURROGATES,
        SEPARATORS,
        "".join(map(chr, range(0x20))),
        '"\\',
        "\U0001f600\u6c49",
        pytest.param("x\u6c49" * 12_500_000, id="50 MB"),
    ],
)
def test_a_text_goes_in_and_comes_out_equal_on_one_line(core, tmp_path, text):
    store = store_at(core, tmp_path)
    update = tool_update(text, rawOutput=text)
    store.append("s", update)
    store.append("s", {"sessionUpdate": "plan", "entries": []})
    assert recorded(store) == [update, {"sessionUpdate": "plan", "entries": []}]
    assert (tmp_path / "chats" / "s.jsonl").read_bytes().count(b"\n") == 2


def test_a_record_has_the_members_of_the_design(core, tmp_path):
    store = store_at(core, tmp_path)
    update = tool_update(SURROGATES)
    first = store.append("s", update)
    second = store.append("s", update, agent_id="a")
    chat = (tmp_path / "chats" / "s.jsonl").read_bytes()
    subagent = (tmp_path / "subagents" / "s" / "agent-a.jsonl").read_bytes()
    record = json.loads(chat)
    assert list(record) == ["uuid", "sessionId", "timestamp", "update"]
    assert (record["uuid"], record["sessionId"], record["update"]) == (first, "s", update)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", record["timestamp"])
    assert wire_bytes(record) + b"\n" == chat
    record = json.loads(subagent)
    assert (record["uuid"], record["sessionId"], record["agentId"]) == (second, "s", "a")
    assert first != second


def test_a_virtual_id_names_the_subagents_transcript(core, tmp_path):
    store = store_at(core, tmp_path)
    store.append("s", tool_update("one"), agent_id="a")
    store.append("subagent.cw.YQ", tool_update("two"))
    assert recorded(store, "subagent.cw.YQ") == [tool_update("one"), tool_update("two")]
    with pytest.raises(core.module("transcript_reader").UnknownSessionError):
        store.open("s")


def test_reading_creates_nothing(core, tmp_path):
    store = store_at(core, tmp_path / "root")
    with pytest.raises(LookupError, match="there is no session s"):
        store.open("s")
    assert store.session_ids() == []
    assert not [*tmp_path.iterdir()]


def test_session_ids_are_those_that_have_a_transcript(core, tmp_path):
    store = store_at(core, tmp_path)
    for name in ("b", "a", "c.d"):
        store.append(name, tool_update("x"))
    (tmp_path / "chats" / "no id.jsonl").write_bytes(b"")
    (tmp_path / "chats" / "a.meta.json").write_bytes(b"")
    store.append("s", tool_update("x"), agent_id="q")
    assert store.session_ids() == ["a", "b", "c.d"]


@pytest.mark.parametrize(
    ("update", "error"),
    [
        ([], TypeError),
        (None, TypeError),
        ({"n": float("nan")}, ValueError),
        ({"n": float("inf")}, ValueError),
        ({"o": object()}, TypeError),
    ],
)
def test_what_is_no_json_object_is_refused_and_leaves_nothing(core, tmp_path, update, error):
    store = store_at(core, tmp_path)
    with pytest.raises(error):
        store.append("s", update)
    assert not [*tmp_path.iterdir()]


def test_an_update_is_not_changed_by_recording(core, tmp_path):
    update = tool_update("x" * 100_000, _meta={"timestamp": 1})
    before = json.dumps(update)
    store_at(core, tmp_path).append("s", update)
    assert json.dumps(update) == before


def test_the_times_are_those_of_the_first_and_last_whole_record(core, tmp_path):
    (tmp_path / "chats").mkdir()
    path = tmp_path / "chats" / "s.jsonl"
    store = store_at(core, tmp_path)

    def times(content):
        path.write_bytes(content)
        with store.open("s") as transcript:
            return tuple(transcript.times().values())

    assert times(b"") == (None, None)
    assert times(b'{"timestamp":"one"}\n') == ("one", "one")
    padding = b"x" * 200_000
    content = (
        b'not\n{}\n{"timestamp":"a","p":"' + padding + b'"}\n{"timestamp":7}\n'
        b'{"timestamp":"z","p":"' + padding + b'"}\n{"timestamp":3}\nnot\n{"timestamp":"torn'
    )
    assert times(content) == ("a", "z")
