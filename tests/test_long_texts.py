"""Texts far over the budget leave as they would if all of them were decoded."""

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import slow
from tests.strategies import any_character, block, boundary_character, line_of, tool_update
from tests.wire import written_string

BUDGET = 120
#: Fits every budget, so a field with it is within its own.
SHORT = "short"

segments = st.text(any_character | boundary_character, min_size=1, max_size=9)


@st.composite
def long_value(draw):
    """Some thousand code points, whose middle repeats and whose ends do not."""
    head, middle, tail = (draw(segments) for _ in range(3))
    return head + middle * draw(st.integers(0, 900)) + tail


@st.composite
def written_update(draw, texts, raw_output):
    """An update as somebody may write it: any order of keys, some escapes or all."""
    blocks = []
    for text in texts:
        inner = [("type", '"text"'), ("text", draw(written_string(text)))]
        outer = [("type", '"content"'), ("content", _object(draw, inner))]
        blocks.append(_object(draw, outer))
    members = [
        ("sessionUpdate", '"tool_call_update"'),
        ("content", "[" + ",".join(blocks) + "]"),
        ("rawOutput", draw(written_string(raw_output))),
    ]
    return _object(draw, members)


def _object(draw, members):
    space = draw(st.sampled_from(["", "", " ", "\t"]))
    parts = [
        f'{space}"{key}"{space}:{space}{value}' for key, value in draw(st.permutations(members))
    ]
    return "{" + ",".join(parts) + space + "}"


def bound(core, update, budget=BUDGET):
    """The update that is left of one that is written so, on a line."""
    line = b'{"events":[{"data":' + update.encode() + b"}]}\n"
    bounded = core.module("splice").bound_line(line, core.Projector(budget))
    return json.loads(bounded)["events"][0]["data"]


@settings(max_examples=150)
@given(data=st.data(), texts=st.lists(long_value(), min_size=1, max_size=3))
def test_a_long_text_is_bounded_as_the_contract_says_however_it_is_written(core, data, texts):
    raw_output = data.draw(st.sampled_from([texts[0], SHORT]) | long_value())
    update = data.draw(written_update(texts, raw_output))
    budget = data.draw(st.integers(97 + 60 * len(texts), 400))
    assert bound(core, update, budget) == slow.update(json.loads(update), budget, False)


@pytest.mark.parametrize("first", ["content", "rawOutput"])
@pytest.mark.parametrize(
    ("content", "raw_output", "are_equal"),
    [
        ('"%s"', '"%s"', True),
        # The same value, written in two ways: in escapes, or a single one of them in the middle.
        ('"%s"', '"%s\\u0061%s"', False),
        ('"%s\\u0061%s"', '"%sa%s"', True),
        ('"%s\\/%s"', '"%s/%s"', True),
        # Heads and tails alike, but not the middle.
        ('"%sb%s"', '"%sa%s"', False),
        ('"%sb%s"', '"%sbb%s"', False),
    ],
)
def test_texts_are_equal_by_value_and_only_then(core, first, content, raw_output, are_equal):
    """Equal texts show the same preview, and different ones each its own."""
    written = {
        "content": content.replace("%s", "汉\\n" * 1000),
        "rawOutput": raw_output.replace("%s", "汉\\n" * 1000),
    }
    opening = '[{"type":"content","content":{"type":"text","text":'
    written["content"] = opening + written["content"] + "}}]"
    keys = [first, *({"content", "rawOutput"} - {first})]
    members = ",".join(f'"{key}":{written[key]}' for key in keys)
    after = bound(core, '{"sessionUpdate":"tool_call",' + members + "}", 200)
    shown = after["content"][0]["content"]["text"]
    assert (shown == after["rawOutput"]) is are_equal


def test_a_text_that_is_only_its_own_head_and_tail_does_not_equal_the_longer_one(core):
    """Whatever stands for the longer text inside, it must not be taken for the shorter."""
    for length in range(2 * 184 - 12, 2 * 184 + 12):
        short, long = "x" * length, "x" * 5000
        for content, raw_output in ((short, long), (long, short)):
            update = tool_update(content, rawOutput=raw_output)
            assert bound(core, json.dumps(update)) == slow.update(update, BUDGET, False)


BROKEN = [
    "\x01",
    "\n",
    "\\ ",
    "\\x",
    "\\u12",
    "\\u12g4",
    "\\uD8",
    '"',
    '"x',
    "\\'",
    "\x1f",
    "\\U0041",
]


@pytest.mark.parametrize("broken", BROKEN)
@pytest.mark.parametrize("character", ["x", "汉", "😀", "\\n", "\\\\", "\\u6c49"])
def test_a_line_broken_in_the_middle_of_a_long_text_is_refused(core, broken, character):
    for field in (
        '"rawOutput":%s',
        '"content":[{"type":"content","content":{"type":"text","text":%s}}]',
    ):
        text = '"' + character * 2000 + broken + character * 2000 + '"'
        line = '{"events":[{"data":{"sessionUpdate":"tool_call",' + field % text + "}}]}"
        with pytest.raises(ValueError, match="line 1"):
            json.loads(line)
        splice = core.module("splice")
        with pytest.raises(splice.UnreadableLineError, match=r"^not JSON$"):
            splice.bound_line(line.encode(), core.Projector(BUDGET))


@pytest.mark.parametrize(
    "blocks",
    [
        '[{"type":"content","content":{"type":"text","text":%s,"annotations":null}}]',
        '[{"type":"content","type":"content","content":{"type":"text","text":%s},"type":"x"}]',
        '[{"content":{"type":"text","text":%s}}]',
        '[{"type":"content","content":{"text":%s}}]',
        '[{"type":"content","content":{"type":"text","text":%s}},{"type":"terminal"}]',
        '[{"type":"content","content":{"type":"text","text":%s}},5]',
    ],
)
def test_content_that_is_not_eligible_stays_however_long_its_text_is(core, blocks):
    text = json.dumps("x" * 5000)
    line = (
        b'{"events":[{"data":{"sessionUpdate":"tool_call","content":%s}}]}'
        % (blocks % text).encode()
    )
    assert core.module("splice").bound_line(line, core.Projector(BUDGET)) is line


@pytest.mark.parametrize("end", ["", "]", ",", "}", '},{"x"', ",]", "}]]"])
def test_a_line_broken_behind_a_long_text_is_refused(core, end):
    text = '[{"type":"content","content":{"type":"text","text":"' + "x" * 5000 + '"' + end
    line = '{"events":[{"data":{"sessionUpdate":"tool_call","content":' + text
    splice = core.module("splice")
    with pytest.raises(splice.UnreadableLineError, match=r"^not JSON$"):
        splice.bound_line(line.encode(), core.Projector(BUDGET))


def test_a_block_that_stays_beside_a_long_one_keeps_the_order_of_its_keys(core):
    kept = [
        {"content": {"text": SHORT, "type": "text"}, "type": "content"},
        {"content": {"type": "text", "text": SHORT}, "type": "content"},
        {"type": "content", "content": {"text": SHORT, "type": "text"}},
        block(SHORT),
    ]
    frame = {"events": [{"data": tool_update(content=[*kept, block("x" * 9000)])}]}
    bounded = core.module("splice").bound_line(line_of(frame), core.Projector(600))
    *after, long = json.loads(bounded)["events"][0]["data"]["content"]
    assert json.dumps(after) == json.dumps(kept)
    assert slow.MARKER in long["content"]["text"]


def test_every_update_of_a_line_is_bounded_by_its_own_texts(core):
    choose = random.Random(4)
    long = ["x" * 3000, "y" * 3000, "x" * 3001, "汉\n" * 2000, SHORT]
    updates = [tool_update(choose.choice(long), rawOutput=choose.choice(long)) for _ in range(60)]
    frame = {"id": 1, "result": {"updates": updates}}
    bounded = core.module("splice").bound_line(line_of(frame), core.Projector(BUDGET))
    expected = [slow.update(update, BUDGET, False) for update in updates]
    assert json.loads(bounded)["result"]["updates"] == expected


def test_an_observer_is_told_the_true_length_of_a_long_text(core):
    events = []
    projector = core.Projector(BUDGET, observer=events.append)
    for update in (tool_update("x" * 9000), tool_update(rawOutput="汉" * 8000)):
        core.module("splice").bound_line(line_of({"events": [{"data": update}]}), projector)
    assert [(event.field, event.characters_before) for event in events] == [
        ("content", 9000),
        ("rawOutput", 8000),
    ]
