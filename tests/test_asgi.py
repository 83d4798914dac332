"""The transcript route over HTTP: a real server, asked by a real client."""

import json

import httpx
import pytest

from tests.histories import chat_record, history_of, own_record, write_chat
from tests.server import served
from tests.strategies import tool_update, wire_bytes


@pytest.fixture(scope="module")
def site(core, tmp_path_factory):
    """A served history of some sessions: its address, the history, and its folder."""
    root = tmp_path_factory.mktemp("store")
    records = [own_record(n) for n in range(150)]
    history = history_of(core, root, *records)
    write_chat(root, *records, session_id="other")
    store = core.module("transcript").TranscriptStore(root)
    for text in ("x\ud800\u2028" * 40_000, "short \udfff"):
        store.append("large", tool_update(text, rawOutput=text), agent_id="a")
    (root / "chats" / "folder.jsonl").mkdir()
    with served(core.module("asgi").transcript_app(history)) as address:
        yield address, history, root


def get(site, session_id, **query):
    return httpx.get(f"{site[0]}/session/{session_id}/transcript", params=query)


def assert_error(answer, status, code):
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/json"
    error = answer.json()
    assert set(error) == {"code", "message"}
    assert error["code"] == code
    return error["message"]


def test_a_page_is_what_the_history_gives(site):
    answer = get(site, "s")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")
    assert answer.json() == site[1].page("s")
    assert len(answer.json()["events"]) == 100
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("limit", [7, 75, 149, 150, 500])
def test_the_pages_joined_are_the_bulk_replay(site, limit):
    answer = get(site, "s", limit=limit).json()
    events = answer["events"]
    while answer["hasMore"]:
        answer = get(site, "s", limit=limit, cursor=answer["nextCursor"]).json()
        events += answer["events"]
    assert [event["data"] for event in events] == site[1].bulk("s")["updates"]


def test_a_subagent_is_bounded_and_its_surrogates_are_escapes(site):
    answer = get(site, "subagent.bGFyZ2U.YQ")
    assert answer.status_code == 200
    page = json.loads(answer.content)
    assert page == site[1].subagent("large", "a")
    large, short = [event["data"] for event in page["events"]]
    assert len(wire_bytes(large["content"])) <= 65_536
    assert short["rawOutput"] == "short \udfff"
    assert b"short \\udfff" in answer.content


@pytest.mark.parametrize(
    "limit", ["0", "501", "abc", "-1", "+1", "1.0", "", " 1", "\u0661", "9" * 5000, "1e2", "0x10"]
)
def test_a_bad_limit_is_400(site, limit):
    assert "from 1 to 500" in assert_error(get(site, "s", limit=limit), 400, "bad_limit")


def test_a_bad_cursor_is_400(site):
    cursor = get(site, "s", limit=10).json()["nextCursor"]
    changed = ("A" if cursor[9] != "A" else "B").join((cursor[:9], cursor[10:]))
    for bad, message in (
        (changed, "was changed"),
        (cursor[:-1], "cut short"),
        ("", "cut short"),
        (cursor + "A" * 4, "too long"),
        (cursor[:-1] + "!", "not base64url"),
    ):
        assert message in assert_error(get(site, "s", cursor=bad), 400, "bad_cursor")
    foreign = get(site, "other", cursor=cursor)
    assert "another session" in assert_error(foreign, 400, "bad_cursor")


def test_a_stale_cursor_is_409(site):
    write_chat(site[2], *(own_record(n) for n in range(20)), session_id="gone")
    cursor = get(site, "gone", limit=10).json()["nextCursor"]
    write_chat(site[2], *(own_record(n) for n in range(5)), session_id="gone")
    assert "shorter" in assert_error(get(site, "gone", cursor=cursor), 409, "stale_cursor")
    write_chat(site[2], *(own_record(-n) for n in range(30)), session_id="gone")
    assert "not the file" in assert_error(get(site, "gone", cursor=cursor), 409, "stale_cursor")


@pytest.mark.parametrize(
    "session_id",
    [
        "nobody",
        "subagent.cw.YQ",
        "subagent.x",
        "..%5Cs",
        "%00",
        "NUL",
        "x" * 300,
        "%EF%BC%8E%EF%BC%8E",
        "s%E2%88%95s",
        "s%20",
        "%2E%2E",
        "%FF",
    ],
)
def test_a_session_that_is_not_or_cannot_be_is_404(site, session_id):
    assert_error(get(site, session_id), 404, "unknown_session")


@pytest.mark.parametrize("path", ["/", "/session/s", "/session/..%2Fs/transcript", "/session/a/b"])
def test_any_other_path_is_404_as_json(site, path):
    assert_error(httpx.get(site[0] + path), 404, "not_found")


def test_any_other_method_is_405_as_json(site):
    answer = httpx.post(f"{site[0]}/session/s/transcript")
    assert_error(answer, 405, "method_not_allowed")
    assert "GET" in answer.headers["allow"]


def test_a_transcript_that_cannot_be_read_is_500_without_its_path(site, caplog):
    message = assert_error(get(site, "folder"), 500, "unreadable")
    assert "folder" not in message
    assert str(site[2]) not in message
    assert "a transcript cannot be read" in caplog.messages


@pytest.mark.parametrize(("limits", "fits"), [({"max_updates": 5}, 5), ({"max_bytes": 600}, 4)])
def test_a_page_over_the_limits_is_413_and_a_smaller_one_is_served(core, tmp_path, limits, fits):
    limits = core.module("replay").ReplayLimits(**limits)
    history = history_of(core, tmp_path, *map(own_record, range(10)), limits=limits)
    with served(core.module("asgi").transcript_app(history)) as address:
        site = (address, history, tmp_path)
        assert len(get(site, "s", limit=fits).json()["events"]) == fits
        message = assert_error(get(site, "s", limit=fits + 1), 413, "page_too_large")
    assert "would deliver" in message


def test_a_record_that_cannot_be_converted_is_told_in_the_page(core, tmp_path):
    records = [own_record(1), chat_record("hologram"), own_record(2)]
    history = history_of(core, tmp_path, *records)
    with served(core.module("asgi").transcript_app(history)) as address:
        site = (address, history, tmp_path)
        page = get(site, "s").json()
        assert "cannot be converted" in page["replayError"]
        assert len(page["events"]) == 1
        rest = get(site, "s", cursor=page["nextCursor"]).json()
    assert [event["data"]["content"]["text"] for event in rest["events"]] == ["text 2"]
