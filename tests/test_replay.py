"""The shapes of the replay routes."""

import json

import pytest

from tests.histories import (
    MARK,
    call_part,
    chat_record,
    chunk,
    delivered,
    history_of,
    own_record,
    response_part,
    result_record,
)
from tests.strategies import block, tool_update


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


def test_replay_changes_nothing_that_a_store_gives_it(core, tmp_path, monkeypatch):
    update = tool_update("x" * 100_000, _meta={"timestamp": 1})
    history = history_of(core, tmp_path, own_record(1, update=update))
    steps = core.module("conversion").steps
    kept = []

    def keeping(*arguments):
        for step in steps(*arguments):
            kept.append(step.update)
            yield step

    with monkeypatch.context() as patch:
        patch.setattr(core.module("replay"), "steps", keeping)
        history.bulk("s")
    assert kept == [update]
