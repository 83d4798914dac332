"""qwen-code's own records, read as the updates its agent sends."""

import json

import pytest

from tests.conftest import DATA
from tests.histories import EPOCH_MS, call_part, chat_record, response_part, result_record
from tests.strategies import block


def updates_of(core, record):
    return core.module("chat_records").updates_of(record)


def replayed_sample():
    lines = (DATA / "agent_session_replay.ndjson").read_text("utf-8").strip().split("\n")
    return [json.loads(line)["params"]["update"] for line in lines]


def test_the_sample_becomes_what_the_agent_itself_replays(core, tmp_path):
    (tmp_path / "chats").mkdir()
    (tmp_path / "chats" / "s.jsonl").write_bytes((DATA / "agent_chat.jsonl").read_bytes())
    store = core.module("transcript").TranscriptStore(tmp_path)
    ours = [*core.module("export").export_updates(store, "s")]
    theirs = replayed_sample()
    assert [u["sessionUpdate"] for u in ours] == [u["sessionUpdate"] for u in theirs]
    user, call, usage, result = ours
    assert (user, usage) == (theirs[0], theirs[2])
    assert set(theirs[1]) == set(call)
    for key in set(call) - {"title", "_meta"}:  # the agent asks its tools for a title
        assert call[key] == theirs[1][key]
    assert set(theirs[3]) == set(result)
    for key in ("toolCallId", "status", "rawOutput"):
        assert result[key] == theirs[3][key]
    for ours_, theirs_ in ((call, theirs[1]), (result, theirs[3])):
        assert ours_["_meta"] == {**theirs_["_meta"], "provenance": "builtin"}
    # The recording shows another shortening than the record, so the text is the record's.
    record = json.loads((DATA / "agent_chat.jsonl").read_text("utf-8").split("\n")[2])
    output = record["message"]["parts"][0]["functionResponse"]["response"]["output"]
    assert result["content"] == [block(output)]
    assert len(theirs[3]["content"]) == 1
    assert set(theirs[3]["content"][0]["content"]) == {"type", "text"}


def test_the_sample_replayed_is_bounded(core, tmp_path):
    (tmp_path / "chats").mkdir()
    (tmp_path / "chats" / "s.jsonl").write_bytes((DATA / "agent_chat.jsonl").read_bytes())
    store = core.module("transcript").TranscriptStore(tmp_path)
    *_, result = core.module("replay").History(store).stream("s")
    whole = replayed_sample()[3]["rawOutput"]
    head, marker, tail = result["rawOutput"].partition("\n[... truncated for ACP transport ...]\n")
    assert marker
    assert whole.startswith(head)
    assert whole.endswith(tail)
    assert 65_500 < len(json.dumps(result["rawOutput"], ensure_ascii=False).encode()) <= 65_536
    assert result["_meta"]["qwen.session.recordId"] == "00000000-0000-4000-8000-000000000006"
    assert result["timestamp"] == 1796201316745


def test_a_project_folder_is_read_as_it_lies_on_disk(core, tmp_path):
    content = (DATA / "agent_chat.jsonl").read_bytes()
    for name in ("chats/one.jsonl", "subagents/one/agent-Explore-1a2b.jsonl"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    (tmp_path / "chats" / "one.runtime.json").write_bytes(b"{}")
    (tmp_path / "subagents" / "one" / "agent-Explore-1a2b.meta.json").write_bytes(b"{}")
    store = core.module("transcript").TranscriptStore(tmp_path)
    history = core.module("replay").History(store)
    page = history.subagent("one", "Explore-1a2b")
    assert store.session_ids() == ["one"]
    assert [event["data"] for event in page["events"]] == history.bulk("one")["updates"]
    assert page["startTime"] == "2026-12-02T08:48:33.306Z"
    assert page["lastUpdated"] == "2026-12-02T08:48:36.745Z"
    assert len(page["events"]) == 4


def test_text_parts_become_chunks_and_thoughts(core):
    meta = {"_meta": {"timestamp": EPOCH_MS}}
    record = chat_record("assistant", {"text": "a", "thought": True}, {"text": "b"}, {"text": ""})
    assert updates_of(core, record) == [
        {
            "sessionUpdate": "agent_thought_chunk",
            "content": {"type": "text", "text": "a"},
            **meta,
        },
        {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "b"}, **meta},
    ]
    record = chat_record("user", {"text": "c"}, {"inlineData": {"data": "="}}, timestamp="?")
    assert updates_of(core, record) == [
        {"sessionUpdate": "user_message_chunk", "content": {"type": "text", "text": "c"}}
    ]


def test_a_function_call_becomes_a_tool_call(core):
    part = call_part("c-1", "run_shell_command", command="ls", description=" list ")
    (update,) = updates_of(core, chat_record("assistant", part))
    assert json.dumps(update) == json.dumps(
        {
            "sessionUpdate": "tool_call",
            "toolCallId": "c-1",
            "status": "in_progress",
            "title": "run_shell_command: list",
            "content": [],
            "locations": [],
            "kind": "execute",
            "rawInput": {"command": "ls", "description": " list "},
            "_meta": {
                "toolName": "run_shell_command",
                "provenance": "builtin",
                "timestamp": EPOCH_MS,
            },
        }
    )


@pytest.mark.parametrize(
    ("tool", "source"),
    [
        ("read_file", {"provenance": "builtin"}),
        ("mcp__files__read", {"provenance": "mcp", "serverId": "files"}),
        ("mcp__a_b__c__d", {"provenance": "mcp", "serverId": "a_b"}),
        ("mcp____read", {"provenance": "builtin"}),
        ("mcp__files", {"provenance": "builtin"}),
        ("mcpx__files__read", {"provenance": "builtin"}),
    ],
)
def test_meta_names_the_server_of_an_mcp_tool(core, tool, source):
    (call,) = updates_of(core, chat_record("assistant", call_part("c", tool), timestamp=None))
    (result,) = updates_of(
        core, chat_record("tool_result", response_part("c", tool, output=""), timestamp=None)
    )
    assert call["_meta"] == {"toolName": tool, **source}
    assert result["_meta"] == {"toolName": tool, **source}
    assert call["kind"] == ("read" if tool == "read_file" else "other")


def test_system_records_and_empty_messages_stand_for_nothing(core):
    for record in (
        chat_record("system", {"text": "x"}, subtype="chat_compression"),
        chat_record("user"),
        chat_record("assistant", message={"parts": None}),
    ):
        assert updates_of(core, record) == []


@pytest.mark.parametrize(
    "record",
    [
        chat_record("hologram", {"text": "x"}),
        chat_record(None),
        chat_record(["user"]),
        chat_record("user", "text"),
        chat_record("user", message=[]),
        chat_record("user", message={"parts": "text"}),
        chat_record("assistant", {"functionCall": "f"}),
        chat_record("assistant", {"functionCall": {"args": "f"}}),
        chat_record("assistant", usageMetadata=7),
        chat_record("tool_result", toolCallResult=7),
        chat_record("tool_result", {"functionResponse": []}),
        chat_record("tool_result", {"text": "of no call"}),
    ],
    ids=json.dumps,
)
def test_a_record_of_another_form_is_refused_without_its_content(core, record):
    with pytest.raises(core.module("chat_fields").UnconvertibleError) as refused:
        updates_of(core, record)
    assert "text" not in str(refused.value)


def test_a_call_without_an_id_gets_the_same_one_every_time(core):
    part = {"functionCall": {"name": "glob"}}
    record = chat_record("assistant", {"text": "x"}, part, part)
    ids = [u.get("toolCallId") for u in updates_of(core, record)]
    assert ids == [None, "u-1-1", "u-1-2"]


def test_records_are_not_changed(core):
    record = result_record("c", "x")
    before = json.dumps(record)
    updates_of(core, record)
    assert json.dumps(record) == before
