"""Cursors: they survive restarts and new records, and a bad one says what is wrong with it."""

import base64
import json
import subprocess
import sys

import pytest

from tests.histories import (
    chunk,
    history_of,
    joined,
    long_chat,
    pages_of,
    write_chat,
)


def test_a_cursor_survives_a_restart(core, tmp_path):
    history = history_of(core, tmp_path, *long_chat())
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


def cursor_of(core, tmp_path, limit=5):
    history = history_of(core, tmp_path, *long_chat())
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
    write_chat(tmp_path, *long_chat(), session_id="other")
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
    copy = history_of(core, tmp_path / "b", *long_chat())
    assert copy.page("s", cursor) == history.page("s", cursor)
