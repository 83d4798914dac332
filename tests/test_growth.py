"""Hostile inputs take work in proportion to their size: four times the input, four times the calls.

Calls of Python and of C functions are counted, not time. What a single call does to a large text is
the business of test_work.py.
"""

import json
import sys

import pytest

from tests.strategies import block, line_of, notification, tool_update

TIMES = 4
PROBE = "y" * 70_000  # makes every line one that is read


def calls_of(function, *arguments):
    """How many functions are called meanwhile."""
    calls = 0

    def count(_frame, event, _argument):
        nonlocal calls
        calls += event in ("call", "c_call")

    previous = sys.getprofile()
    sys.setprofile(count)
    try:
        function(*arguments)
    finally:
        sys.setprofile(previous)
    return calls


def escaped(text):
    return "".join(f"\\u{ord(character):04x}" for character in text)


def raw(members):
    """A notification whose update has these members, as they are written."""
    update = '{"sessionUpdate":"tool_call_update",' + members + "}"
    frame = '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":%s}}'
    return frame.replace("%s", update).encode() + b"\n"


HOSTILE = {
    "many frames in a batch": (50, lambda n: line_of([notification(tool_update(PROBE))] * n)),
    "many updates in a response": (
        50,
        lambda n: line_of({"id": 1, "result": {"updates": [tool_update(PROBE)] * n}}),
    ),
    "many blocks": (
        250,
        lambda n: line_of(notification({**tool_update(), "content": [block("x" * 300)] * n})),
    ),
    "one field again and again": (
        20,
        lambda n: raw(",".join(f'"rawOutput":{json.dumps(PROBE + str(i))}' for i in range(n))),
    ),
    "one key with another text again and again": (
        500,
        lambda n: raw(",".join(['"title":"t"'] * n) + f',"rawOutput":{json.dumps(PROBE)}'),
    ),
    "escapes in place of characters": (
        4_000,
        lambda n: raw(f'"rawOutput":"{escaped("a" * n)}{PROBE}"'),
    ),
    "backslashes": (4_000, lambda n: raw(f'"rawOutput":{json.dumps(chr(92) * n + PROBE)}')),
    "space between the tokens": (
        4_000,
        lambda n: raw(f'"rawOutput"{" " * n}:{" " * n}{json.dumps(PROBE)}{" " * n}'),
    ),
    "many texts in an object": (
        400,
        lambda n: line_of(
            notification({**tool_update(), "rawOutput": {f"k{i}": "x" * 200 for i in range(n)}})
        ),
    ),
    "deep objects": (
        100,
        lambda n: raw(f'"_meta":{"[" * n}{json.dumps(PROBE)}{"]" * n}'),
    ),
    "no JSON at all": (4_000, lambda n: b"[" * n + PROBE.encode() + b"\n"),
}


@pytest.mark.parametrize("also", [(), ("content", "rawInput", "rawOutput", "_meta")])
@pytest.mark.parametrize("hostile", HOSTILE)
def test_work_on_a_line_grows_with_the_line_and_no_faster(core, hostile, also):
    size, line = HOSTILE[hostile]
    projector = core.Projector(also=also)
    line_filter = core.module("lines").LineFilter(projector, lambda _: None)
    line_filter.bound(line(size))  # what is imported at first is not counted
    calls, more_calls = (
        calls_of(line_filter.bound, given) for given in (line(size), line(TIMES * size))
    )
    assert more_calls <= TIMES * calls + 100


def test_chunks_of_a_byte_take_work_in_proportion(core):
    def feed(length):
        line_filter = core.module("lines").LineFilter(core.Projector(), lambda _: None)
        chunks = core.module("chunks").ChunkFilter(line_filter)
        for _ in range(length):
            chunks.feed(b"x")
        chunks.end()

    feed(10)
    calls = calls_of(feed, 4_000)
    assert calls_of(feed, TIMES * 4_000) <= TIMES * calls + 100


def test_a_count_that_grows_faster_is_noticed():
    def quadratic(size):
        for i in range(size):
            for _ in range(i):
                len("")

    assert calls_of(quadratic, TIMES * 50) > TIMES * calls_of(quadratic, 50) + 100
