"""Every byte outside the bounded fields' own values stays, for any stream of lines."""

import json
import shutil
import subprocess
from itertools import pairwise

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import wire
from tests.oracle import BUDGET, bounded_places
from tests.proxying import ECHO, run_proxy
from tests.slow_json import read_json
from tests.strategies import tool_update, wire_bytes


def assert_faithful(core, line, bounded):
    """``bounded`` is ``line`` with nothing changed but values that may not stay."""
    places = bounded_places(line)
    # A line that is no JSON, or has no such value, leaves as it came.
    if not places or len(line) - line.endswith(b"\n") <= BUDGET:
        assert bounded == line
        return
    before, after = line.decode(), bounded.decode()
    projector = core.Projector(BUDGET)
    done_before = done_after = 0
    for start, end in places:
        kept = before[done_before:start]
        assert after[done_after : done_after + len(kept)] == kept
        done_after += len(kept)
        # The new value stands here: it ends where the strict reader says.
        new_text = _value_at(after, done_after)
        old, new = json.loads(before[start:end], parse_int=float), json.loads(new_text)
        assert wire_bytes(new) == new_text.encode()  # compact, UTF-8
        assert len(new_text.encode()) <= BUDGET
        if isinstance(old, str):
            # Equal to content's preview, if content was bounded and its text is the same.
            assert new in (projector.project_text(old), *_preview_as_content(projector, old))
        else:
            assert new == projector.project_content(old)
        done_before, done_after = end, done_after + len(new_text)
    assert after[done_after:] == before[done_before:]


def _value_at(text, start):
    _, end = json.JSONDecoder().raw_decode(text, start)
    return text[start:end]


def _preview_as_content(projector, text):
    [block] = projector.project_content(
        [{"type": "content", "content": {"type": "text", "text": text}}]
    )
    yield block["content"]["text"]


@settings(max_examples=200)
@given(line=wire.line())
def test_a_changed_line_is_the_original_with_new_values_in_it(core, line):
    warnings = []
    line_filter = core.module("lines").LineFilter(core.Projector(BUDGET), warnings.append)
    bounded = line_filter.bound(line)
    assert_faithful(core, line, bounded)
    # What came out needs nothing more.
    assert line_filter.bound(bounded) is bounded


@settings(max_examples=80)
@given(lines=st.lists(wire.line() | st.binary(max_size=400), max_size=6), data=st.data())
def test_where_the_chunks_are_cut_never_matters(core, lines, data):
    stream = b"".join(lines)
    cuts = data.draw(st.lists(st.integers(0, len(stream)), max_size=20))
    whole = _through_chunks(core, [stream])
    assert _through_chunks(core, [stream[i : i + 1] for i in range(len(stream))]) == whole
    bounds = [0, *sorted(cuts), len(stream)]
    chunks = [stream[start:end] for start, end in pairwise(bounds)]
    assert _through_chunks(core, chunks) == whole
    pieces = stream.split(b"\n")
    one_by_one = [piece + b"\n" for piece in pieces[:-1]] + [
        piece for piece in pieces[-1:] if piece
    ]
    assert b"".join(_through_chunks(core, [line]) for line in one_by_one) == whole


@pytest.mark.parametrize(("length", "is_read"), [(BUDGET, False), (BUDGET + 1, True)])
def test_a_line_no_longer_than_the_budget_is_not_even_read(core, length, is_read):
    """Between short lines of one chunk; that a line was read shows in the warning about it."""
    warnings = []
    lines = core.module("lines")
    chunks = core.module("chunks").ChunkFilter(
        lines.LineFilter(core.Projector(BUDGET), warnings.append)
    )
    stream = b"short\n" + b"x" * length + b"\n" + b"short\n"
    assert b"".join(chunks.feed(stream)) == stream
    assert ["line 2 is not JSON" in warning for warning in warnings] == [True] * is_read


def _through_chunks(core, chunks):
    lines = core.module("lines")
    line_filter = lines.LineFilter(core.Projector(BUDGET), lambda _: None)
    chunk_filter = core.module("chunks").ChunkFilter(line_filter)
    pieces = [piece for chunk in chunks for piece in chunk_filter.feed(chunk)]
    output = b"".join([*pieces, *chunk_filter.end()])
    assert line_filter.counts.bytes_in == sum(map(len, chunks))
    assert line_filter.counts.bytes_out == len(output)
    return output


NODE = """
const lines = require('fs').readFileSync(0).toString('latin1').split('\\n').slice(0, -1);
const decoder = new TextDecoder('utf-8', {fatal: true});
const valid = (line) => {
  try { JSON.parse(decoder.decode(Buffer.from(line, 'latin1'))); return 1; } catch { return 0; }
};
console.log(JSON.stringify(lines.map(valid)));
"""


def _valid_for_node(lines):
    node = shutil.which("node")
    assert node, "this test needs Node as a strict parser"
    run = subprocess.run([node, "-e", NODE], input=b"".join(lines), check=True, capture_output=True)
    return json.loads(run.stdout)


def _valid_for_orjson(lines):
    def is_valid(line):
        try:
            orjson.loads(line)
        except orjson.JSONDecodeError:
            return False
        return True

    return [is_valid(line) for line in lines]


@settings(max_examples=12)
@given(lines=st.lists(wire.line(), max_size=20))
def test_a_running_proxy_is_faithful_and_strict_parsers_read_what_they_could_read(core, lines):
    run = run_proxy(core, ECHO, "--quiet", "--budget", str(BUDGET), input=b"".join(lines))
    bounded = [line + b"\n" for line in run.stdout.split(b"\n")[:-1]]
    assert len(bounded) == len(lines)
    for line, bounded_line in zip(lines, bounded, strict=True):
        assert_faithful(core, line, bounded_line)
    for valid in (_valid_for_node, _valid_for_orjson):
        assert [
            index
            for index, (before, after) in enumerate(zip(valid(lines), valid(bounded), strict=True))
            if before and not after
        ] == []


@pytest.mark.parametrize("depth", [500, 100_000])
def test_deep_nesting_beside_a_large_field_harms_neither(core, depth):
    """What is nested deeper than the decoder goes passes as it is, with the warning."""
    nested = b'{"a":' * depth + b"1e400" + b"}" * depth
    text = wire_bytes("x" * 1000)
    line = b'{"method":"session/update","params":{"update":{"sessionUpdate":"tool_call",'
    line += b'"rawInput":%s,"rawOutput":%s}}}\n' % (nested, text)
    warnings = []
    bounded = core.module("lines").LineFilter(core.Projector(BUDGET), warnings.append).bound(line)
    if depth < 1000:
        expected = wire_bytes(core.Projector(BUDGET).project_text("x" * 1000))
        assert bounded == line.replace(text, expected)
        assert warnings == []
    else:
        assert bounded == line
        assert ["nested too deeply" in warning for warning in warnings] == [True]


def test_a_field_written_longer_than_the_budget_is_written_again_with_an_equal_value(core):
    """60 KB of CJK by value, twice that on the wire of an agent that escapes."""
    text = "\u6c49" * 20_000
    frame = {"method": "session/update", "params": {"update": tool_update(rawOutput=text)}}
    line = wire_bytes(frame, ensure_ascii=True) + b"\n"
    assert len(line) > 120_000
    run = run_proxy(core, ECHO, input=line)
    assert run.stdout == wire_bytes(frame) + b"\n"
    assert len(run.stdout) < 60_300
    assert b"1 frames bounded" in run.stderr


def test_the_oracle_reads_what_json_reads():
    """Of the tests' own reader, on the forms that matter, against Python's."""
    for text in ('{"a":[1.0,-0.0,1e400],"a":"\\u00e9\\ud83d\\ude00\\ud800"}', " [ ] ", '{"": {}}'):
        assert _plain(read_json(text)) == json.loads(text, parse_int=str, parse_float=str)


def _plain(value):
    if isinstance(value.value, dict):
        return {key: _plain(member) for key, member in value.value.items()}
    if isinstance(value.value, list):
        return [_plain(item) for item in value.value]
    return value.value
