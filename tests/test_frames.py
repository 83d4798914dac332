"""Where session updates sit in JSON-RPC messages, and what a projected message shares."""

import copy
import json

import pytest

from tests.strategies import block, notification, tool_update

BIG = "u" * 70_000
UPDATE = tool_update(BIG, rawOutput=BIG)
SMALL = tool_update("small")
OTHER = {"sessionUpdate": "plan", "entries": [BIG]}
REPLAY = "qwen.session.loadReplay"


def project(core, frame, budget=65_536):
    before = copy.deepcopy(frame)
    projected = core.module("frames").project_frame(frame, core.Projector(budget))
    assert frame == before, "the frame was mutated"
    return projected


def result(value, **members):
    return {"jsonrpc": "2.0", "id": 1, "result": value, **members}


PLACES = {
    "notification": notification(UPDATE, extra=[BIG]),
    "load updates": result({"updates": [SMALL, UPDATE, OTHER, UPDATE], "startTime": 1}),
    "bulk load": result({"_meta": {REPLAY: {"v": 1, "updates": [UPDATE, SMALL]}, "x": BIG}}),
    "page in a result": result({"events": [{"v": 1, "data": SMALL}, {"v": 1, "data": UPDATE}]}),
    "bare page": {"events": [{"type": "session_update", "data": UPDATE}], "hasMore": False},
    "all in one": {
        **notification(UPDATE),
        "result": {"updates": [UPDATE], "events": [{"data": UPDATE}]},
        "events": [{"data": UPDATE}],
    },
}


def replaced(value, old, new):
    """``value`` with every ``old`` in it replaced, by a walk that knows nothing of places."""
    if value == old:
        return new
    if isinstance(value, dict):
        return {key: replaced(item, old, new) for key, item in value.items()}
    if isinstance(value, list):
        return [replaced(item, old, new) for item in value]
    return value


@pytest.mark.parametrize("place", PLACES)
def test_updates_are_projected_in_every_place(core, place):
    frame = PLACES[place]
    projected = project(core, frame)
    assert projected == replaced(frame, UPDATE, core.project_update(UPDATE))
    assert json.dumps(projected) != json.dumps(frame)
    assert project(core, projected) is projected
    assert project(core, frame, budget=10**9) is frame


def test_a_batch_is_an_array_of_messages(core):
    untouched = notification(SMALL)
    batch = [untouched, *PLACES.values(), 5, None, "text", [notification(UPDATE)]]
    projected = project(core, batch)
    assert projected[0] is untouched
    assert projected[1:-4] == [project(core, frame) for frame in PLACES.values()]
    assert all(new is old for new, old in zip(projected[-4:], batch[-4:], strict=True))
    assert project(core, [untouched]) == [untouched]
    quiet = [untouched, 5]
    assert project(core, quiet) is quiet


def test_tuples_are_arrays_as_a_serializer_writes_them(core):
    for frame, array in (
        (result({"updates": (SMALL, UPDATE)}), ["result", "updates"]),
        ((notification(UPDATE), 5), []),
        ({"events": ({"data": UPDATE},)}, ["events"]),
    ):
        projected = project(core, frame)
        as_lists = json.loads(json.dumps(frame))
        assert json.dumps(projected) == json.dumps(project(core, as_lists))
        for key in array:
            projected = projected[key]
        assert type(projected) is list
    quiet = (notification(SMALL),)
    assert project(core, quiet) is quiet


def test_what_does_not_change_is_shared(core):
    frame = PLACES["bulk load"]
    projected = project(core, frame)
    replay, projected_replay = (f["result"]["_meta"][REPLAY] for f in (frame, projected))
    assert projected_replay["updates"][1] is replay["updates"][1]
    assert projected["result"]["_meta"]["x"] is BIG
    assert list(projected) == list(frame)


@pytest.mark.parametrize(
    "frame",
    [
        {"jsonrpc": "2.0", "id": 3, "method": "session/request_permission", "params": {
            "sessionId": "s", "toolCall": UPDATE, "update": UPDATE, "options": []}},
        {"jsonrpc": "2.0", "method": "session/updates", "params": {"update": UPDATE}},
        {"jsonrpc": "2.0", "method": None, "params": {"update": UPDATE}},
        {"jsonrpc": "2.0", "params": {"update": UPDATE}},
        {"method": "session/update", "params": [UPDATE]},
        {"method": "session/update", "params": {"update": [UPDATE]}},
        {"method": "session/update", "update": UPDATE},
        result({"update": UPDATE}),
        result({"updates": UPDATE}),
        result({"updates": {"0": UPDATE}}),
        result([UPDATE]),
        result({"_meta": {"qwen": {"session": {"loadReplay": {"updates": [UPDATE]}}}}}),
        result({"events": [UPDATE, {"update": UPDATE}, [UPDATE]]}),
        {"updates": [UPDATE]},
        {"error": {"data": {"updates": [UPDATE]}}},
        {"id": 5, "result": {"content": BIG}},
        [[notification(UPDATE)]],
        UPDATE,
    ],
)  # fmt: skip
def test_updates_anywhere_else_are_not_updates(core, frame):
    assert project(core, frame) is frame


def test_ten_thousand_updates_copy_their_array_once(core):
    updates = [UPDATE] * 10_000
    frame = result({"updates": updates})
    projector = core.Projector()
    copies = []
    frames = core.module("frames")
    original = frames.array_items

    def counted(array):
        copies.append(len(array))
        return original(array)

    frames.array_items = counted
    try:
        projected = frames.project_frame(frame, projector)
    finally:
        frames.array_items = original
    assert copies == [10_000]
    assert projected["result"]["updates"] == [core.project_update(UPDATE)] * 10_000


def test_a_page_of_blocks_and_plain_values_is_left_alone(core):
    frame = result({"events": [None, 5, {"data": None}, {"data": 5}, {"data": [block(BIG)]}]})
    assert project(core, frame) is frame
