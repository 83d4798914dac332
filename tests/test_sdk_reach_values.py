"""Named fields of single updates, models and dicts, whatever a Python program may put into them."""

import base64
import copy
import datetime
import math

import pytest
from acp.schema import (
    Annotations,
    ContentToolCallContent,
    FileEditToolCallContent,
    ImageContentBlock,
    TerminalToolCallContent,
    TextContentBlock,
)
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from tests.sdk_cases import BIG, BUDGET, MARKER, STRUCTURE, ascii_json
from tests.sdk_sessions import SDK, model_of, written
from tests.strategies import block, tool_update, wire_bytes
from tests.test_sdk_updates import (
    UPDATES,
    assert_as_on_the_wire,
    assert_as_on_the_wire_if_at_all,
    content,
    progress,
    project,
    text_block,
)
from tests.test_structure import json_values

ALL = ("content", "rawInput", "rawOutput", "_meta")
MODEL_NAMES = {"rawInput": "raw_input", "rawOutput": "raw_output", "_meta": "field_meta"}
WRITES_MORE_THAN_JSON = SDK >= (0, 11)
named = st.sets(st.sampled_from(ALL))


def same(value):
    """For comparison: NaN equals itself here."""
    return repr(value)


@given(json_values, st.sampled_from([*MODEL_NAMES]), st.integers(97, 400), named, st.booleans())
def test_any_value_leaves_as_the_projector_makes_it(core, value, field, budget, also, by_name):
    if field == "_meta" and not isinstance(value, dict):
        value = {"of": value}
    as_dict = tool_update(**{MODEL_NAMES[field] if by_name else field: value})
    model = progress(**{MODEL_NAMES[field]: value})
    for update in (as_dict, model):
        before = same(update)
        bounded = assert_as_on_the_wire_if_at_all(core, update, budget, also)
        assert same(update) == before
        assert type(bounded) is type(update)
        assert project(core, bounded, budget, also) is bounded


@given(UPDATES, named, st.sampled_from(["tool_call", "tool_call_update"]))
def test_any_content_leaves_as_the_projector_makes_it(core, update, also, kind):
    update = {"sessionUpdate": kind, **update}
    bounded = assert_as_on_the_wire_if_at_all(core, update, 200, also)
    assert list(bounded) == list(update)
    try:
        model = model_of(update)
    except ValidationError:
        return
    before = copy.deepcopy(model)
    bounded = assert_as_on_the_wire(core, model, 200, also)
    assert model == before
    assert project(core, bounded, 200, also) is bounded


def test_only_the_models_of_blocks_that_are_cut_are_copied(core):
    class OwnContent(ContentToolCallContent):
        pass

    class OwnText(TextContentBlock):
        color: str = "red"

    encoded = base64.b64encode(bytes(range(256)) * 60).decode()
    image = content(ImageContentBlock(type="image", data=encoded, mime_type="image/png"))
    diff = FileEditToolCallContent(type="diff", path="/f", new_text="n" * 10_000)
    terminal = TerminalToolCallContent(type="terminal", terminal_id="t-1")
    own = OwnContent(type="content", content=OwnText(type="text", text=BIG, color="blue"))
    marked = content(text_block(BIG, field_meta={"a": 1}), field_meta={"b": 2})
    small = content(text_block("small"))
    blocks = [image, own, diff, small, terminal, marked]
    update = progress(content=blocks, raw_input={"path": "/f"})
    bounded = assert_as_on_the_wire(core, update, also={"content"})
    assert BUDGET - 10 < len(ascii_json(written(bounded)["content"])) <= BUDGET
    for i in (0, 2, 3, 4):
        assert bounded.content[i] is blocks[i]
    assert base64.b64decode(bounded.content[0].content.data) == bytes(range(256)) * 60
    assert bounded.raw_input is update.raw_input
    cut, cut_too = bounded.content[1], bounded.content[5]
    assert (type(cut), type(cut.content), cut.content.color) == (OwnContent, OwnText, "blue")
    assert (cut_too.field_meta, cut_too.content.field_meta) == ({"b": 2}, {"a": 1})
    assert cut_too.field_meta is marked.field_meta
    assert MARKER in cut.content.text
    assert MARKER in cut_too.content.text
    assert own.content.text == marked.content.text == BIG
    # As a dict, with a model among its blocks.
    mixed = {**tool_update(), "content": [small, {**block(BIG), "_meta": {"c": 3}}, diff, own]}
    bounded = assert_as_on_the_wire(core, mixed, also={"content"})
    assert bounded["content"][0] is small
    assert bounded["content"][2] is diff
    assert type(bounded["content"][3]) is OwnContent
    assert bounded["content"][1]["_meta"] == {"c": 3}


@pytest.mark.parametrize("field", MODEL_NAMES)
def test_dicts_by_the_models_names(core, field):
    value = {"log": BIG}
    update = {**tool_update("small"), MODEL_NAMES[field]: value, "unknown": 1}
    bounded = assert_as_on_the_wire(core, update, also={field})
    assert list(bounded) == list(update)
    assert MARKER in bounded[MODEL_NAMES[field]]["log"]
    assert value == {"log": BIG}


def test_what_stands_beside_a_text_in_its_block_counts(core):
    fits = "a" * (BUDGET - STRUCTURE)
    plain = progress(content=[content(text_block(fits))])
    assert assert_as_on_the_wire(core, plain, also={"content"}) is plain
    for block_over in (
        content(text_block(fits, annotations=Annotations(priority=1.0))),
        content(text_block(fits, field_meta={"a": 1})),
        content(text_block(fits), field_meta={"a": 1}),
    ):
        update = progress(content=[block_over])
        bounded = assert_as_on_the_wire(core, update, also={"content"})
        assert MARKER in bounded.content[0].content.text
        assert bounded.content[0].field_meta is block_over.field_meta
        assert bounded.content[0].content.annotations is block_over.content.annotations


def test_strings_and_numbers_in_named_fields_are_the_contracts_business(core):
    update = progress(raw_input=BIG, raw_output=7, field_meta={"n": 1})
    assert assert_as_on_the_wire(core, update, also=ALL) is update
    update = progress(raw_output=BIG, raw_input=BIG)
    bounded = assert_as_on_the_wire(core, update, also=ALL)
    assert bounded.raw_input is BIG
    assert MARKER in bounded.raw_output


def test_canonical_content_keeps_its_own_rule(core):
    update = model_of(tool_update(*["x"] * 2_000))
    bounded = assert_as_on_the_wire(core, update, also=ALL)
    assert [each.content.text for each in bounded.content] == [MARKER]
    assert type(bounded.content[0]) is ContentToolCallContent


def test_a2ui_is_exempt_whatever_is_named(core):
    meta = {"serverId": "a2ui", "more": BIG}
    update = progress(raw_output={"x": BIG}, field_meta=meta)
    assert assert_as_on_the_wire(core, update, also=ALL) is update
    update = tool_update(rawOutput={"x": BIG}, field_meta=meta)
    assert assert_as_on_the_wire(core, update, also=ALL) is update


def test_models_in_a_value_are_measured_as_they_are_written(core):
    result = {"result": [text_block(BIG, field_meta=None)], "exit": None}
    bounded = assert_as_on_the_wire(core, progress(raw_output=result), also={"rawOutput"})
    (shown,) = bounded.raw_output["result"]
    assert MARKER in (shown["text"])
    assert bounded.raw_output["exit"] is None
    assert result["result"][0].text == BIG
    bounded = assert_as_on_the_wire(core, progress(raw_output=text_block(BIG)), also={"rawOutput"})
    assert MARKER in bounded.raw_output["text"]


def test_what_only_the_sdk_knows_how_to_write(core):
    value = {"at": datetime.date(2026, 1, 2), "log": BIG, "odd": b"bytes"}
    update = progress(raw_output=value)
    bounded = project(core, update, also={"rawOutput"})
    if WRITES_MORE_THAN_JSON:
        assert bounded.raw_output["at"] == "2026-01-02"
        assert bounded.raw_output["odd"] == "bytes"
        assert MARKER in bounded.raw_output["log"]
        assert len(ascii_json(written(bounded)["rawOutput"])) <= BUDGET
    else:
        assert bounded is update
        with pytest.raises(TypeError, match="not JSON serializable"):
            written(update)


@pytest.mark.parametrize("deep", [False, True])
def test_an_iterator_in_a_value_is_not_consumed(core, deep):
    pieces = iter(["a", "b"])
    value = {"x": [text_block("m"), {"y": (pieces,)}], "log": BIG} if deep else pieces
    update = progress(raw_output=value)
    assert project(core, update, also=ALL) is update
    beside = tool_update(BIG, _meta={"x": pieces})
    assert MARKER in project(core, beside)["content"][0]["content"]["text"]
    assert project(core, model_of(beside), also={"content"}).field_meta["x"] is pieces
    assert list(pieces) == ["a", "b"]


def test_numbers_and_keys_that_json_does_not_know(core):
    for value in (
        {5: BIG, None: "n", True: "t", 1.5: "f"},
        {"a": math.nan, "b": [math.inf, -math.inf], "log": BIG},
        {math.nan: BIG},
    ):
        before = same(value)
        bounded = project(core, progress(raw_output=value), also={"rawOutput"})
        assert same(value) == before
        assert BUDGET - 20 < len(ascii_json(written(bounded)["rawOutput"])) <= BUDGET
    # NaN leaves as null from some versions on, a byte longer.
    update = progress(raw_output=["q" * 25_000, *[math.nan] * 9_000])
    bounded = project(core, update, also={"rawOutput"})
    assert len(ascii_json(written(bounded)["rawOutput"])) <= BUDGET


def test_values_that_contain_themselves_or_are_too_deep_are_the_sdks_to_refuse(core):
    cyclic = {"log": BIG}
    cyclic["self"] = cyclic
    deep = BIG
    for _ in range(100_000):
        deep = [deep]
    for value in (cyclic, deep, {"log": BIG, "odd": object()}):
        update = progress(raw_output=value)
        assert project(core, update, also=ALL) is update


def test_a_field_that_cannot_be_bounded_stays_and_the_observer_is_told(core):
    events = []
    projector = core.Projector(ensure_ascii=True, also=ALL, observer=events.append)
    updates = core.module("sdk_updates").UpdateProjector(projector)
    for update in (
        progress(raw_output=["t" * 3] * 60_000),
        tool_update(rawOutput={"k" * 100_000: "v"}),
        progress(raw_output=list(range(1_000_000))),
    ):
        assert updates.project(update) is update
        reason = "its structure alone exceeds the budget"
        assert [events.pop()] == [core.FieldLeftAlone("rawOutput", reason)]
    assert events == []


def test_a_transcript_keeps_what_was_cut_in_named_fields(core):
    import asyncio

    class Kept:
        def __init__(self):
            self.updates = []

        def append(self, _, update):
            self.updates.append(update)

        async def session_update(self, _, update):
            self.sent = update

    kept = Kept()
    projector = core.Projector(ensure_ascii=True, also=["_meta"])
    update = progress(field_meta={"terminal_output": {"data": BIG}})
    bounded = core.module("sdk").bounded(kept, projector, transcript=kept)
    asyncio.run(bounded.session_update("s-1", update))
    assert wire_bytes(kept.updates[0]) == wire_bytes(written(update))
    assert MARKER in kept.sent.field_meta["terminal_output"]["data"]
