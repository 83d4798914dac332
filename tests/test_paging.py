"""Pages and cursors: the pages joined are the bulk replay; a bad cursor says what is wrong."""

import base64
import json
import subprocess
import sys

import pytest

from tests.histories import (
    call_part,
    chat_record,
    chunk,
    history_of,
    response_part,
    result_record,
    write_chat,
)


def pages_of(history, limit, session_id="s"):
    pages = [history.page(session_id, limit=limit)]
    while "nextCursor" in pages[-1]:
        assert pages[-1]["hasMore"]
        assert len(pages) < 1000
        pages.append(history.page(session_id, pages[-1]["nextCursor"], limit))
    assert not pages[-1]["hasMore"]
    return pages


def joined(pages):
    return [event["data"] for page in pages for event in page["events"]]


def chat():
    """Records of no, one and several updates, with calls that stay open here and there."""
    yield chat_record("system", subtype="start")
    for turn in range(7):
        yield chat_record("user", {"text": f"do {turn}"}, uuid=f"user-{turn}")
        parts = [{"text": "thinking", "thought": True}, {"text": "now"}]
        calls = [call_part(f"c-{turn}-{n}") for n in range(turn % 4)]
        yield chat_record("assistant", *parts, *calls, uuid=f"agent-{turn}")
        for n in range(turn % 4):
            if (turn, n) not in {(1, 0), (3, 2), (6, 1)}:
                yield result_record(f"c-{turn}-{n}", f"output {turn} {n}", uuid=f"r-{turn}-{n}")
    yield chat_record("system", subtype="end")


@pytest.mark.parametrize("limit", [1, 2, 3, 5, 7, 45, 46, 500])
def test_the_pages_joined_are_the_bulk_replay(core, tmp_path, limit):
    history = history_of(core, tmp_path, *chat())
    bulk = history.bulk("s")["updates"]
    assert len(bulk) == 7 * 3 + 9 + 6 + 3
    pages = pages_of(history, limit)
    assert joined(pages) == bulk
    assert all(len(page["events"]) == limit for page in pages[:-1])
    failed = [update["toolCallId"] for update in bulk if update.get("status") == "failed"]
    assert failed == ["c-1-0", "c-3-2", "c-6-1"]


@pytest.mark.parametrize("limit", [1, 2, 3, 4])
def test_the_last_page_is_never_empty_after_a_full_one(core, tmp_path, limit):
    records = [chat_record("user", {"text": str(n)}) for n in range(12)]
    history = history_of(core, tmp_path, *records, chat_record("system"))
    pages = pages_of(history, limit)
    assert [len(page["events"]) for page in pages] == [limit] * (12 // limit)


def test_a_call_stays_open_on_a_page_with_more_to_come(core, tmp_path):
    history = history_of(
        core,
        tmp_path,
        chat_record("assistant", call_part("open")),
        chat_record("user", {"text": "a"}),
        chat_record("user", {"text": "b"}),
    )
    first, second = pages_of(history, 2)
    assert [update["sessionUpdate"] for update in joined([first])] == [
        *("tool_call", "user_message_chunk"),
    ]
    assert [update.get("status") for update in joined([second])] == [None, "failed"]


def test_a_call_whose_result_is_on_a_later_page_is_not_failed(core, tmp_path):
    history = history_of(
        core,
        tmp_path,
        chat_record("assistant", call_part("c")),
        chat_record("user", {"text": "a"}),
        result_record("c", "late"),
    )
    statuses = [update.get("status") for update in joined(pages_of(history, 1))]
    assert statuses == ["in_progress", None, "completed"]


def test_a_cursor_survives_a_restart(core, tmp_path):
    history = history_of(core, tmp_path, *chat())
    cursor = history.page("s", limit=5)["nextCursor"]
    script = (
        "import json, sys\n"
        "from acpbound.transcript import TranscriptStore\n"
        "from acpbound.replay import History\n"
        "history = History(TranscriptStore(sys.argv[1]))\n"
        "print(json.dumps(history.page('s', sys.argv[2], 500)))\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path), cursor],
        env=core.environment,
        capture_output=True,
        check=True,
    )
    assert json.loads(run.stdout) == history.page("s", cursor, 500)
    assert joined([json.loads(run.stdout)]) == history.bulk("s")["updates"][5:]


def test_a_cursor_survives_appended_records(core, tmp_path):
    store = core.module("transcript").TranscriptStore(tmp_path)
    history = core.module("replay").History(store)
    for number in range(3):
        store.append("s", chunk(f"{number}"))
    cursor = history.page("s", limit=2)["nextCursor"]
    for number in range(3, 300):
        store.append("s", chunk(f"{number}"))
    page = history.page("s", cursor, 500)
    assert [u["content"]["text"] for u in joined([page])] == [str(n) for n in range(2, 300)]


def test_a_result_that_comes_between_two_pages_of_failed_calls_is_delivered(core, tmp_path):
    records = [chat_record("assistant", call_part("a"), call_part("b"))]
    history = history_of(core, tmp_path, *records)
    first = history.page("s", limit=3)
    assert [u["toolCallId"] for u in joined([first])] == ["a", "b", "a"]
    write_chat(tmp_path, *records, result_record("b", "late"))
    second = history.page("s", first["nextCursor"], 3)
    assert [(u["toolCallId"], u["status"]) for u in joined([second])] == [
        *(("b", "completed"), ("a", "failed")),
    ]


def cursor_of(core, tmp_path, limit=5):
    history = history_of(core, tmp_path, *chat())
    return history, history.page("s", limit=limit)["nextCursor"]


def test_a_cursor_is_opaque_and_of_one_length(core, tmp_path):
    history, cursor = cursor_of(core, tmp_path)
    lengths = {len(page["nextCursor"]) for page in pages_of(history, 1)[:-1]}
    assert lengths == {len(cursor)} == {88}
    raw = base64.urlsafe_b64decode(cursor)
    assert str(tmp_path).encode() not in raw
    assert raw[0] == 1  # the version


def test_every_changed_character_is_noticed(core, tmp_path):
    history, cursor = cursor_of(core, tmp_path)
    error = core.module("replay").CursorError
    for i, character in enumerate(cursor):
        changed = cursor[:i] + ("A" if character != "A" else "B") + cursor[i + 1 :]
        with pytest.raises(error, match="was changed"):
            history.page("s", changed)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda cursor: cursor[:-1], "cut short: 87 characters instead of 88"),
        (lambda cursor: cursor[:40], "cut short: 40"),
        (lambda _: "", "cut short: 0"),
        (lambda cursor: cursor + "A", "too long: 89"),
        (lambda cursor: cursor + "=", "too long: 89"),
        (lambda cursor: cursor * 100_000, "too long: 8800000"),
        (lambda cursor: cursor[:-1] + "!", "not base64url"),
        (lambda cursor: cursor[:-1] + "\u0661", "not base64url"),
        (lambda cursor: cursor[:-1] + "\ud800", "not base64url"),
        (lambda cursor: cursor[:-1] + "+", "not base64url"),
        (lambda cursor: cursor[:-1] + "=", "not base64url"),
        (lambda cursor: cursor[:44] + "\n" + cursor[45:], "not base64url"),
        (lambda _: 7, "a cursor is a string, not int"),
        (lambda cursor: cursor.encode(), "a cursor is a string, not bytes"),
    ],
)
def test_a_spoiled_cursor_is_a_clear_error(core, tmp_path, spoil, message):
    history, cursor = cursor_of(core, tmp_path)
    replay = core.module("replay")
    with pytest.raises(replay.CursorError, match=message) as error:
        history.page("s", spoil(cursor))
    assert not isinstance(error.value, replay.StaleCursorError)


def test_a_cursor_of_another_version_is_a_clear_error(core, tmp_path, monkeypatch):
    history, _ = cursor_of(core, tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(core.module("cursor"), "_VERSION", 2)
        future = history.page("s", limit=1)["nextCursor"]
    with pytest.raises(ValueError, match="version 2; only 1 is known"):
        history.page("s", future)


def test_a_cursor_of_another_session_is_a_clear_error(core, tmp_path):
    history, cursor = cursor_of(core, tmp_path)
    write_chat(tmp_path, *chat(), session_id="other")
    store = core.module("transcript").TranscriptStore(tmp_path)
    for number in range(5):
        store.append("s", chunk(str(number)), agent_id="a")
    error = core.module("replay").CursorError
    for session_id in ("other", "subagent.cw.YQ"):
        with pytest.raises(error, match="belongs to another session"):
            history.page(session_id, cursor)


def rewritten(path):
    path.write_bytes(path.read_bytes().replace(b"do 0", b"DO 0"))


def rewritten_before_the_position(path):
    path.write_bytes(path.read_bytes().replace(b"c-6-0", b"C-6-0"))


@pytest.mark.parametrize(
    ("limit", "harm", "message"),
    [
        (5, lambda path: path.write_bytes(b""), "shorter than it was"),
        (38, lambda path: path.write_bytes(path.read_bytes()[:5000]), "shorter than it was"),
        (5, rewritten, "not the file that it was"),
        (1, rewritten, "not the file that it was"),
        (37, rewritten, "not the file that it was"),
        (37, rewritten_before_the_position, "not the file that it was"),
        (5, lambda path: path.write_bytes(b"{}\n" * 9999), "not the file that it was"),
    ],
)
def test_a_cursor_of_a_file_that_is_no_longer_the_same_is_stale(
    core, tmp_path, limit, harm, message
):
    history, cursor = cursor_of(core, tmp_path, limit)
    harm(tmp_path / "chats" / "s.jsonl")
    with pytest.raises(core.module("replay").StaleCursorError, match=message):
        history.page("s", cursor)


def test_a_copy_of_the_store_takes_the_same_cursors(core, tmp_path):
    history, cursor = cursor_of(core, tmp_path / "a")
    copy = history_of(core, tmp_path / "b", *chat())
    assert copy.page("s", cursor) == history.page("s", cursor)


@pytest.mark.parametrize("limit", [0, -1, 501, 10**30, "abc", "5", 1.0, None, True])
def test_a_limit_that_is_none_is_a_clear_error(core, tmp_path, limit):
    history = history_of(core, tmp_path, *chat())
    with pytest.raises(core.module("replay").InvalidLimitError, match="from 1 to 500"):
        history.page("s", limit=limit)


def test_a_page_of_one_and_of_500(core, tmp_path):
    records = [chat_record("user", {"text": str(n)}) for n in range(501)]
    history = history_of(core, tmp_path, *records)
    assert len(history.page("s", limit=1)["events"]) == 1
    page = history.page("s", limit=500)
    assert (len(page["events"]), page["hasMore"]) == (500, True)
    assert len(history.page("s")["events"]) == 100


def test_a_bounded_result_is_the_same_on_a_page_and_in_bulk(core, tmp_path):
    part = response_part("c", output="x" * 200_000)
    record = chat_record("tool_result", part, toolCallResult={"resultDisplay": "y" * 200_000})
    history = history_of(core, tmp_path, record, record, record)
    assert joined(pages_of(history, 1)) == history.bulk("s")["updates"]
