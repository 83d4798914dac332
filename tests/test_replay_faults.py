"""What limits, damage and large histories do to the replay routes."""

import json
import tracemalloc

import pytest

from tests.histories import chat_record, delivered, history_of, own_record
from tests.strategies import tool_update

FUTURE = {"uuid": "u-9", "sessionId": "s", "v": 2, "update": {"sessionUpdate": "hologram"}}


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

    store = core.module("transcript").TranscriptStore(tmp_path)
    export_updates = core.module("export").export_updates

    def stream():
        assert sum(1 for _ in history.stream("s")) == 60

    def export():
        assert sum(1 for _ in export_updates(store, "s")) == 60

    # The file has 60 MB. A record is read as bytes and as text, and its values are copies.
    record = 2 * size
    assert traced_peak(stream) < 5 * record
    assert traced_peak(export) < 5 * record
    assert traced_peak(lambda: history.page("s", limit=1)) < 5 * record
    assert traced_peak(lambda: history.page("s", far, 1)) < 5 * record
    assert traced_peak(lambda: history.page("s", limit=40)) < 5 * record + 40 * 140_000
