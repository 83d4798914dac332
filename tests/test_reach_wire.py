"""Named fields on the wire: bounded as they are written, with numbers and keys as they were."""

import json

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.node import stringified
from tests.shapes import SHAPES, TEXTS, field_of, shaped_update
from tests.strategies import line_of, notification, tool_update, wire_bytes
from tests.test_structure import containers, emptied

ALL = ("content", "rawInput", "rawOutput", "_meta")
BIG = "q" * 70_000
NUMBERS = "[123456789012345678901234567890,1e400,-0.0,1.0,1E+2,0.10,-0," + "9" * 5_000 + "]"


def bound(core, line, budget=65_536, also=ALL):
    return core.module("splice").bound_line(line, core.Projector(budget, also=also))


@pytest.mark.parametrize("kind", ["tool_call_update", "tool_call"])
@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("written", [wire_bytes, lambda v: json.dumps(v, indent=1).encode()])
def test_every_shape_leaves_as_the_library_projects_it(core, shape, text, kind, written):
    update = shaped_update(shape, TEXTS[text], kind)
    field = field_of(shape)
    bounded = core.Projector(also=[field]).project_update(update)
    # Replay as an answer; live as a notification.
    for template in (
        b'{"method":"session/update","params":{"update":%s}}\n',
        b' {"id":1, "result" : {"updates":[null,%s]}}\r\n',
    ):
        line = template % written(update)
        value = written(update[field])
        if written is not wire_bytes:
            value = value.replace(b"\n", b"\n ")
        assert line.count(value) == 1
        assert bound(core, line, also=[field]) == line.replace(value, wire_bytes(bounded[field]))
        assert bound(core, line, also=set(ALL) - {field}) is line


def test_the_filter_reaches_what_it_is_told_to(core):
    updates = [shaped_update(shape, TEXTS["quotes"]) for shape in SHAPES]
    data = b"".join(line_of(notification(update)) for update in updates)
    assert core.run("filter", input=data).stdout == data
    for words, also in (("all", ALL), ("rawOutput, _meta", ("rawOutput", "_meta"))):
        projector = core.Projector(also=also)
        expected = [line_of(notification(projector.project_update(update))) for update in updates]
        done = core.run("filter", "--also", words, input=data)
        assert done.stdout == b"".join(expected)
    assert b"12 frames, 8 bounded" in done.stderr


def test_numbers_keep_every_digit(core):
    line = (
        '{"events":[{"data":{"sessionUpdate":"tool_call","n":1.50,"rawOutput":{"numbers":'
        f'{NUMBERS},"text":"{BIG}","none":null,"yes":true}},"x":1E5}}}}]}}'
    ).encode()
    bounded = bound(core, line)
    (text,) = emptied(json.loads(bounded, parse_int=float)["events"][0]["data"]["rawOutput"])[1]
    assert bounded == line.replace(BIG.encode(), json.dumps(text)[1:-1].encode())
    raw_output = bounded[bounded.index(b'"rawOutput":') + 12 : bounded.index(b',"x":1E5')]
    assert len(raw_output) == 65_536


def test_a_named_field_that_is_only_written_too_long_is_written_again(core):
    value = {"汉" * 10_000: "汉" * 10_000, "n": 1.500}
    template = '{"events":[{"data":{"sessionUpdate":"tool_call","rawOutput":%s}}]}'
    line = (template % json.dumps(value).replace("1.5", "1.500")).encode()
    expected = template % json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    assert bound(core, line) == expected.replace("1.5", "1.500").encode()
    assert bound(core, line, also=()) is line


def test_a_named_field_that_cannot_be_bounded_stays_byte_for_byte(core):
    for value in ({"k" * 70_000: "汉"}, ["t"] * 60_000, {"image": {"type": "image", "d": BIG}}):
        line = json.dumps(notification(tool_update(rawOutput=value)), indent=None).encode()
        assert bound(core, line) is line


@given(containers, st.integers(97, 400), st.sampled_from(["rawOutput", "_meta"]))
def test_what_leaves_is_within_the_budget_or_as_it_was(core, value, budget, field):
    # As the wire has it: no NaN, no pairs of surrogates as two code points.
    assume("NaN" not in json.dumps(value) and "Infinity" not in json.dumps(value))
    value = json.loads(json.dumps(value))
    for line in (
        line_of(notification(tool_update(**{field: value}))),
        json.dumps(notification(tool_update(**{field: value}))).encode(),
    ):
        bounded = bound(core, line, budget)
        if bounded is line:
            continue
        new = json.loads(bounded)["params"]["update"][field]
        assert len(wire_bytes(new)) <= budget
        assert wire_bytes(new) in bounded
        assert wire_bytes(emptied(new)[0]) == wire_bytes(emptied(value)[0])
        assert bound(core, bounded, budget) is bounded


def test_lines_with_rewritten_objects_are_valid_for_node(core):
    lines = [
        bound(core, line_of(notification(shaped_update(shape, text))))
        for shape in SHAPES
        for text in TEXTS.values()
    ]
    assert None not in stringified([line.rstrip(b"\n") for line in lines])


def test_what_the_decoder_still_reads_is_bounded_however_deep(core):
    value = {"log": BIG}
    for i in range(300):
        value = {"in": [value]} if i % 2 else [value]
    line = line_of(notification(tool_update(rawOutput=value)))
    new = json.loads(bound(core, line))["params"]["update"]["rawOutput"]
    assert 65_000 < len(wire_bytes(new)) <= 65_536
    assert emptied(new)[0] == emptied(value)[0]


def test_what_is_deeper_than_the_decoder_goes_passes_with_a_warning(core):
    log = json.dumps(BIG).encode()
    nested = b"[" * 100_000 + log + b"]" * 100_000
    line = (
        b'{"method":"session/update","params":{"update":{"sessionUpdate":"tool_call","rawOutput":'
    )
    line += nested + b"}}}\n"
    run = core.run("filter", "--also", "all", input=line + line_of({"a": 1}))
    assert run.stdout == line + line_of({"a": 1})
    assert b"nested too deeply" in run.stderr
