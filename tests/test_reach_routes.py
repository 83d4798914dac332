"""Named fields on every route: what a running proxy, a live session and a replay deliver."""

import asyncio
import json

import pytest

from tests.histories import MARK, history_of, joined, own_record, pages_of
from tests.proxying import ECHO, run_proxy
from tests.reaching import assert_field_bounded
from tests.shapes import every_shape
from tests.strategies import line_of, notification, tool_update, wire_bytes

ALL = ("content", "rawInput", "rawOutput", "_meta")
BIG = "q" * 70_000


def assert_marked_and_bounded(delivered, said, field):
    """As replay delivers: the record's mark is in ``_meta``, and within its budget."""
    meta = delivered["_meta"]
    said = {**said, "_meta": {**said.get("_meta", {}), MARK: meta[MARK]}}
    assert meta[MARK].startswith("u-")
    assert_field_bounded(field, delivered, said)


def replayed_by(core, root, route):
    history = history_of(
        core,
        root,
        *(own_record(i, update=update) for i, (_, update) in enumerate(every_shape())),
        projector=core.Projector(also=ALL),
    )
    if route == "bulk":
        return history.bulk("s")["updates"]
    if route == "stream":
        return list(history.stream("s"))
    if route == "load updates":
        return history.load_updates({"sessionId": "s"})["updates"]
    if route == "pages":
        return joined(pages_of(history, 7))
    run = core.run("replay", "--also", "all", str(root))
    assert (run.returncode, run.stderr) == (0, b"")
    return [json.loads(line)["params"]["update"] for line in run.stdout.split(b"\n")[:-1]]


@pytest.mark.parametrize("route", ["bulk", "stream", "load updates", "pages", "command"])
def test_every_shape_is_bounded_when_it_is_replayed(core, tmp_path, route):
    delivered = replayed_by(core, tmp_path, route)
    for new, (field, said) in zip(delivered, every_shape(), strict=True):
        assert_marked_and_bounded(new, said, field)


def test_every_shape_is_bounded_by_a_live_session(core):
    sent = []

    class Client:
        async def session_update(self, *, session_id, update):
            sent.append((session_id, update))

    async def run():
        session = core.module("live").Session("s", Client(), core.Projector(also=ALL))
        for _, update in every_shape():
            await session.send_update(update)

    asyncio.run(run())
    for (_, new), (field, said) in zip(sent, every_shape(), strict=True):
        assert_field_bounded(field, new, said)


def stored(*updates):
    return {"v": 1, "updates": list(updates)}


#: The answers by which an agent sends an update again.
ANSWERS = (
    lambda u: {"id": 1, "result": {"_meta": {"qwen.session.loadReplay": stored(u)}}},
    lambda update: {"id": 2, "result": stored(update)},
    lambda update: {"id": 3, "result": {"events": [{"v": 1, "data": update}]}},
)
#: The frame around the update of a number, live or again.
FRAMES = {
    "live": lambda _, update: notification(update),
    "replay": lambda number, update: ANSWERS[number % len(ANSWERS)](update),
}


def filtered(core, *options, **given):
    return core.run("filter", *options, **given)


def proxied(core, *options, **given):
    return run_proxy(core, ECHO, *options, **given)


@pytest.mark.parametrize("route", [filtered, proxied])
@pytest.mark.parametrize("frame", FRAMES)
def test_every_shape_is_bounded_on_the_wire(core, frame, route):
    said = list(every_shape())
    lines = [line_of(FRAMES[frame](i, update)) for i, (_, update) in enumerate(said)]
    assert route(core, input=b"".join(lines)).stdout == b"".join(lines)
    run = route(core, "--also", "all", input=b"".join(lines))
    assert run.returncode == 0
    assert run.stderr.startswith(b"acpbound: 72 frames")
    assert b"72 bounded" in run.stderr or b"72 frames bounded" in run.stderr
    output = run.stdout.split(b"\n")[:-1]
    for line, original, (field, update) in zip(output, lines, said, strict=True):
        (new,) = updates_in(json.loads(line))
        assert_field_bounded(field, new, update)
        # All else is byte for byte as it was.
        assert original.replace(wire_bytes(update[field]), wire_bytes(new[field])) == line + b"\n"


@pytest.mark.parametrize("words", [("filter",), ("measure", "-"), ("replay", "s"), ("proxy", "--")])
def test_every_command_refuses_an_unknown_field_with_the_known_ones(core, words):
    command, *rest = words
    rest = [*rest, "true"] if command == "proxy" else rest
    run = core.run(command, "--also", "_meta,title", *rest, input=b"")
    assert (run.returncode, run.stdout) == (2, b"")
    assert b"'title' cannot be reached; the fields are content, rawInput, rawOutput, _meta" in (
        run.stderr
    )


def updates_in(value):
    """All session updates in a value, at any depth."""
    if isinstance(value, dict):
        if "sessionUpdate" in value:
            return [value]
        value = list(value.values())
    return [u for item in value for u in updates_in(item)] if isinstance(value, list) else []


def test_a_proxy_that_is_told_one_field_reaches_no_other(core):
    update = tool_update(rawOutput={"x": BIG}, _meta={"x": BIG}, rawInput={"x": BIG})
    line = line_of(notification(update))
    run = run_proxy(core, ECHO, "--quiet", "--also", "_meta", input=line)
    new = json.loads(run.stdout)["params"]["update"]
    assert_field_bounded("_meta", new, update)


def test_a_permission_request_passes_a_proxy_whatever_is_named(core):
    call = tool_update(rawInput={"content": BIG}, rawOutput={"x": BIG})
    frame = {"id": 1, "method": "session/request_permission", "params": {"toolCall": call}}
    run = run_proxy(core, ECHO, "--quiet", "--also", "all", input=line_of(frame))
    assert run.stdout == line_of(frame)


def test_the_mark_of_a_record_is_never_cut(core):
    collector = core.module("collector").ReplayCollector("s", core.Projector(97, also=["_meta"]))
    record_id = "r" * 60
    for meta in ({"x": BIG}, {"x": BIG, "y": BIG, "z": BIG}, {"x": "small"}):
        delivered = collector.accept(tool_update(_meta=meta), record_id)
        assert delivered["_meta"][MARK] == record_id
        assert meta.keys() < delivered["_meta"].keys()
