"""The shapes of the replay routes, what limits and damage do to them, and what they hold."""

import json
import tracemalloc

import pytest

from tests.histories import (
    call_part,
    chat_record,
    chunk,
    history_of,
    response_part,
    result_record,
)
from tests.strategies import block, tool_update

MARK = "qwen.session.recordId"
FUTURE = {"uuid": "u-9", "sessionId": "s", "v": 2, "update": {"sessionUpdate": "hologram"}}


def own_record(number, **members):
    record = {"uuid": f"u-{number}", "sessionId": "s", "timestamp": f"t-{number}"}
    return {**record, "update": chunk(f"text {number}"), **members}


def delivered(number):
    return {**chunk(f"text {number}"), "_meta": {MARK: f"u-{number}"}}


def test_bulk_has_version_and_updates(core, tmp_path):
    history = history_of(core, tmp_path, own_record(1), own_record(2))
    assert history.bulk("s") == {"v": 1, "updates": [delivered(1), delivered(2)]}


def test_stream_gives_the_updates_one_by_one(core, tmp_path):
    stream = history_of(core, tmp_path, own_record(1), own_record(2)).stream("s")
    assert next(stream) == delivered(1)
    assert list(stream) == [delivered(2)]


def test_a_stream_that_nobody_reads_closes_its_file(core, tmp_path):
    history = history_of(core, tmp_path, own_record(1))
    history.stream("s")  # a file left open would be a ResourceWarning, so an error
    next(history.stream("s"))
    history.stream("s").close()


def test_load_updates_has_the_times_of_the_conversation(core, tmp_path):
    history = history_of(core, tmp_path, own_record(1), own_record(2))
    assert history.load_updates({"sessionId": "s"}) == {
        "updates": [delivered(1), delivered(2)],
        "startTime": "t-1",
        "lastUpdated": "t-2",
    }


def test_load_updates_of_no_such_conversation_is_empty(core, tmp_path):
    history = history_of(core, tmp_path, own_record(1))
    assert history.load_updates({"sessionId": "other"}) == {"updates": []}
    assert history.load_updates({"sessionId": "subagent.cw.YQ"}) == {"updates": []}


@pytest.mark.parametrize(
    "params",
    [None, [], "s", {}, {"sessionId": None}, {"sessionId": 7}, {"sessionId": ["s"]}]
    + [{"sessionId": name} for name in ("", "../s", "a/b", "x" * 201, "NUL", "subagent.x")],
    ids=json.dumps,
)
def test_load_updates_without_a_sound_session_id_is_an_error(core, tmp_path, params):
    history = history_of(core, tmp_path, own_record(1))
    with pytest.raises(ValueError, match=r"session|subagent"):
        history.load_updates(params)


def test_a_page_has_events_and_times(core, tmp_path):
    history = history_of(core, tmp_path, own_record(1), own_record(2))
    assert history.page("s") == {
        "v": 1,
        "sessionId": "s",
        "events": [
            {"v": 1, "type": "session_update", "data": delivered(1)},
            {"v": 1, "type": "session_update", "data": delivered(2)},
        ],
        "hasMore": False,
        "startTime": "t-1",
        "lastUpdated": "t-2",
    }


def test_an_empty_transcript_is_an_empty_history(core, tmp_path):
    history = history_of(core, tmp_path)
    times = {"startTime": None, "lastUpdated": None}
    assert history.bulk("s") == {"v": 1, "updates": []}
    assert list(history.stream("s")) == []
    assert history.load_updates({"sessionId": "s"}) == {"updates": [], **times}
    page = {"v": 1, "sessionId": "s", "events": [], "hasMore": False, **times}
    assert history.page("s") == page


def test_a_subagent_is_served_under_its_virtual_id_by_every_route(core, tmp_path):
    history = history_of(core, tmp_path, own_record(1))
    store = core.module("transcript").TranscriptStore(tmp_path)
    mark = {MARK: store.append("s", chunk("of the agent"), agent_id="a")}
    virtual = "subagent.cw.YQ"
    page = history.subagent("s", "a")
    assert page["sessionId"] == virtual
    assert [event["data"] for event in page["events"]] == [{**chunk("of the agent"), "_meta": mark}]
    assert history.page(virtual) == page
    updates = [event["data"] for event in page["events"]]
    assert history.bulk(virtual)["updates"] == updates
    assert list(history.stream(virtual)) == updates
    assert history.load_updates({"sessionId": virtual})["updates"] == updates


def test_an_unknown_session_is_an_error_at_once(core, tmp_path):
    history = history_of(core, tmp_path, own_record(1))
    for route in (history.bulk, history.stream, history.page):
        for session_id in ("other", "subagent.cw.YQ"):
            with pytest.raises(LookupError, match="there is no session"):
                route(session_id)


@pytest.mark.parametrize(
    "record",
    [
        FUTURE,
        {"uuid": "u-9", "v": "2"},
        {"uuid": "u-9"},
        {"uuid": "u-9", "update": None},
        {"uuid": "u-9", "update": [1]},
        chat_record("hologram", uuid="u-9"),
        chat_record("user", message={"parts": 7}, uuid="u-9"),
    ],
    ids=json.dumps,
)
def test_a_record_that_cannot_be_converted_ends_what_is_delivered_there(core, tmp_path, record):
    history = history_of(core, tmp_path, own_record(1), record, own_record(2), own_record(3))
    offset = len(json.dumps(own_record(1))) + 1
    message = f"the record at byte {offset} cannot be converted: "

    bulk = history.bulk("s")
    assert bulk.pop("replayError").startswith(message)
    assert bulk == {"v": 1, "updates": [delivered(1)], "hasMore": True, "partial": True}

    loaded = history.load_updates({"sessionId": "s"})
    assert loaded["replayError"].startswith(message)
    assert loaded["updates"] == [delivered(1)]

    stream = history.stream("s")
    assert next(stream) == delivered(1)
    with pytest.raises(core.module("replay").RecordError, match=message):
        next(stream)

    page = history.page("s")
    assert page["replayError"].startswith(message)
    assert [event["data"] for event in page["events"]] == [delivered(1)]
    assert page["hasMore"]
    page = history.page("s", page["nextCursor"])
    assert [event["data"] for event in page["events"]] == [delivered(2), delivered(3)]
    assert "replayError" not in page


def test_a_full_page_leaves_the_error_to_the_next_one(core, tmp_path):
    history = history_of(core, tmp_path, own_record(1), FUTURE, own_record(2))
    first = history.page("s", limit=1)
    assert [event["data"] for event in first["events"]] == [delivered(1)]
    assert "replayError" not in first
    second = history.page("s", first["nextCursor"], 1)
    assert (second["events"], second["hasMore"]) == ([], True)
    assert "its version is not 1" in second["replayError"]
    third = history.page("s", second["nextCursor"], 1)
    assert [event["data"] for event in third["events"]] == [delivered(2)]
    assert not third["hasMore"]


def test_a_corrupt_line_is_skipped_and_makes_a_bulk_replay_partial(core, tmp_path, caplog):
    history = history_of(core, tmp_path, own_record(1))
    path = tmp_path / "chats" / "s.jsonl"
    with path.open("a") as file:
        file.write('{"torn\n' + json.dumps(own_record(2)) + "\n")
    both = [delivered(1), delivered(2)]
    assert history.bulk("s") == {"v": 1, "updates": both, "partial": True}
    assert list(history.stream("s")) == both
    assert history.load_updates({"sessionId": "s"})["updates"] == both
    assert [event["data"] for event in history.page("s")["events"]] == both
    assert len(caplog.messages) == 4
    assert "torn" not in caplog.text.replace(str(tmp_path), "")


def test_each_replay_is_limited_by_itself(core, tmp_path):
    limits = core.module("replay").ReplayLimits(max_updates=2)
    history = history_of(core, tmp_path, *map(own_record, range(3)), limits=limits)
    over = core.module("replay").ReplayLimitError
    for route in (history.bulk, history.page):
        with pytest.raises(over) as error:
            route("s")
        assert (error.value.reason, error.value.observed) == ("updates", 3)
    with pytest.raises(over):
        history.load_updates({"sessionId": "s"})
    stream = history.stream("s")
    assert [next(stream), next(stream)] == [delivered(0), delivered(1)]
    with pytest.raises(over):
        next(stream)
    first = history.page("s", limit=2)
    assert len(first["events"]) == 2
    assert len(history.page("s", first["nextCursor"], 2)["events"]) == 1


def test_without_limits_any_number_is_delivered(core, tmp_path):
    history = history_of(core, tmp_path, *map(own_record, range(10_001)))
    assert len(history.bulk("s")["updates"]) == 10_001


def test_a_call_without_a_result_fails_at_the_end_of_the_history(core, tmp_path):
    history = history_of(
        core,
        tmp_path,
        chat_record("assistant", call_part("open", "mcp__x__y"), call_part("done"), uuid="u-1"),
        result_record("done", "output", uuid="u-2"),
        chat_record("user", {"text": "go on"}, uuid="u-3"),
    )
    *_, last = history.stream("s")
    text = core.module("chat_results").MISSING_RESULT
    assert last["content"] == [block(text)]
    assert (last["sessionUpdate"], last["toolCallId"]) == ("tool_call_update", "open")
    assert last["status"] == "failed"
    assert last["_meta"]["toolName"] == "mcp__x__y"
    assert last["_meta"][MARK] == "u-1"
    assert len(history.bulk("s")["updates"]) == 5


def test_our_own_records_get_no_update_that_was_not_recorded(core, tmp_path):
    call = {"sessionUpdate": "tool_call", "toolCallId": "open", "status": "in_progress"}
    history = history_of(core, tmp_path, own_record(1, update=call))
    assert len(history.bulk("s")["updates"]) == 1


def test_an_a2ui_tool_of_a_project_folder_passes_whole(core, tmp_path):
    text = json.dumps([{"createSurface": 1}]) + " and prose " + "x" * 200_000
    part = response_part("c", "mcp__ui__present_ui", output=text)
    result = {"callId": "c", "resultDisplay": text}
    record = chat_record("tool_result", part, toolCallResult=result)
    (update,) = history_of(core, tmp_path, record).bulk("s")["updates"]
    assert update["content"] == [block(text)]
    assert update["rawOutput"] == text


def traced_peak(use):
    tracemalloc.start()
    try:
        use()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_follows_the_record_and_the_page_and_not_the_history(core, tmp_path):
    size = 500_000
    update = tool_update("x" * size, rawOutput="x" * size)
    history = history_of(core, tmp_path, *(own_record(n, update=update) for n in range(60)))
    far = history.page("s", limit=50)["nextCursor"]

    def stream():
        assert sum(1 for _ in history.stream("s")) == 60

    # The file has 60 MB. A record is read as bytes and as text, and its values are copies.
    record = 2 * size
    assert traced_peak(stream) < 5 * record
    assert traced_peak(lambda: history.page("s", limit=1)) < 5 * record
    assert traced_peak(lambda: history.page("s", far, 1)) < 5 * record
    assert traced_peak(lambda: history.page("s", limit=40)) < 5 * record + 40 * 140_000


def test_replay_changes_nothing_that_a_store_gives_it(core, tmp_path):
    update = tool_update("x" * 100_000, _meta={"timestamp": 1})
    history = history_of(core, tmp_path, own_record(1, update=update))
    conversion = core.module("conversion")
    kept = []
    steps = conversion.steps

    def keeping(*arguments, **options):
        for step in steps(*arguments, **options):
            kept.append(step.update)
            yield step

    replay = core.module("replay")
    replay.steps = keeping
    try:
        history.bulk("s")
    finally:
        replay.steps = steps
    assert kept == [update]
