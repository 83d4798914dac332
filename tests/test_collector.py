"""The collector: the order of its steps, what it counts, and where it stops."""

import json

import pytest

from tests.strategies import tool_update, wire_bytes

LONG = "x" * 200_000
MARK = "qwen.session.recordId"


def collector_of(core, limits=None, **options):
    return core.module("collector").ReplayCollector("s", core.Projector(**options), limits)


def limits_of(core, **limits):
    return core.module("collector").ReplayLimits(**limits)


def test_an_update_within_its_budget_passes_by_reference(core):
    collector = collector_of(core)
    update = tool_update("short")
    assert collector.accept(update) is update
    assert collector.updates == [update]


def test_a_record_id_is_set_in_a_copy_and_the_timestamp_lifted(core):
    update = tool_update(LONG, _meta={"timestamp": 7, "a": [1]})
    before = json.dumps(update)
    delivered = collector_of(core).accept(update, "r-1")
    assert json.dumps(update) == before
    assert delivered["_meta"] == {"timestamp": 7, "a": [1], MARK: "r-1"}
    assert delivered["timestamp"] == 7
    assert len(wire_bytes(delivered["content"])) == 65_536


@pytest.mark.parametrize("meta", [None, [], "text", 7, ...])
def test_a_record_id_finds_its_place_where_there_is_no_meta_object(core, meta):
    update = tool_update("x") if meta is ... else tool_update("x", _meta=meta)
    assert collector_of(core).accept(update, "r-1")["_meta"] == {MARK: "r-1"}
    assert collector_of(core).accept(update) is update


@pytest.mark.parametrize("timestamp", [0, 1.5, "2026-12-02T08:48:33.306Z", "", -1])
def test_a_number_or_string_is_lifted(core, timestamp):
    update = tool_update("x", _meta={"timestamp": timestamp})
    assert collector_of(core).accept(update) == {**update, "timestamp": timestamp}
    assert "timestamp" not in update


@pytest.mark.parametrize("timestamp", [None, True, [1], {"ms": 1}])
def test_nothing_else_is_lifted(core, timestamp):
    update = tool_update("x", _meta={"timestamp": timestamp}, timestamp="own")
    assert collector_of(core).accept(update) is update


def test_a2ui_is_judged_before_the_record_id_is_set_and_passes_whole(core):
    update = tool_update(LONG, rawOutput=LONG, _meta={"serverId": "dq-A2UI"})
    delivered = collector_of(core).accept(update, "r")
    assert delivered == {**update, "_meta": {"serverId": "dq-A2UI", MARK: "r"}}


def test_a_subclass_of_dict_has_no_say(core):
    class Own(dict):
        def copy(self):
            raise AssertionError

        def get(self, *_):
            raise AssertionError

    update = Own(tool_update("x", _meta=Own(timestamp=7)))
    delivered = collector_of(core).accept(update, "r")
    assert delivered["timestamp"] == 7
    assert delivered["_meta"] == {"timestamp": 7, MARK: "r"}


@pytest.mark.parametrize("ensure_ascii", [False, True])
def test_bytes_are_counted_on_the_json_array_of_what_is_delivered(core, ensure_ascii):
    updates = [tool_update("\u6c49\ud800" * 40_000), tool_update("b"), tool_update(_meta=None)]
    counting = collector_of(core, limits_of(core), ensure_ascii=ensure_ascii)
    for number, update in enumerate(updates):
        counting.accept(update, f"r-{number}")
        assert counting.delivered_bytes == len(wire_bytes(counting.updates, ensure_ascii))
    exact = counting.delivered_bytes

    def replay(max_bytes):
        limits = limits_of(core, max_bytes=max_bytes)
        collector = collector_of(core, limits, ensure_ascii=ensure_ascii)
        for number, update in enumerate(updates):
            collector.accept(update, f"r-{number}")
        return collector

    assert replay(exact + 1).accepted == replay(exact).accepted == 3
    with pytest.raises(core.module("collector").ReplayLimitError) as over:
        replay(exact - 1)
    error = over.value
    assert (error.session_id, error.reason, error.observed, error.limit) == (
        *("s", "bytes", exact, exact - 1),
    )
    assert str(error) == f"replay of session s would deliver {exact} bytes; {exact - 1} are allowed"


def test_the_count_of_updates_stops_above_its_limit(core):
    collector = collector_of(core, limits_of(core, max_updates=2))
    collector.accept(tool_update("a"))
    collector.accept(tool_update("b"))
    with pytest.raises(core.module("collector").ReplayLimitError) as over:
        collector.accept(tool_update("c"))
    assert (over.value.reason, over.value.observed, over.value.limit) == ("updates", 3, 2)
    assert collector.updates == [tool_update("a"), tool_update("b")]
    assert collector.accepted == 2


def test_the_count_is_checked_before_the_bytes(core):
    collector = collector_of(core, limits_of(core, max_bytes=0, max_updates=0))
    with pytest.raises(core.module("collector").ReplayLimitError) as over:
        collector.accept(tool_update("a"))
    assert over.value.reason == "updates"


def test_an_update_over_the_limit_is_neither_kept_nor_counted(core):
    small, large = tool_update("a"), tool_update("a" * 1000)
    collector = collector_of(core, limits_of(core, max_bytes=500))
    collector.accept(small)
    before = collector.delivered_bytes
    with pytest.raises(core.module("collector").ReplayLimitError):
        collector.accept(large)
    assert (collector.delivered_bytes, collector.updates) == (before, [small])
    collector.accept(small)
    assert collector.delivered_bytes == len(wire_bytes([small, small]))


def test_limits_are_checked_on_the_bounded_update(core):
    collector = collector_of(core, limits_of(core, max_bytes=70_000))
    collector.accept(tool_update("x" * 10_000_000))
    assert collector.accepted == 1


def test_updates_that_were_taken_still_count(core):
    collector = collector_of(core, limits_of(core, max_updates=2))
    for _ in range(2):
        collector.accept(tool_update("a"))
        assert collector.take() == [tool_update("a")]
    assert collector.updates == []
    with pytest.raises(core.module("collector").ReplayLimitError):
        collector.accept(tool_update("a"))
    assert collector.delivered_bytes == len(wire_bytes([tool_update("a")] * 2))


def test_the_default_limits_are_those_of_the_design(core):
    limits = limits_of(core)
    assert (limits.max_bytes, limits.max_updates) == (33_554_432, 10_000)
