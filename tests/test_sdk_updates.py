"""Single updates, models and dicts: what leaves is what the contract makes of what would have left.

What the SDK would have written comes from its own serializer; the contract's answer to that, from
the projector, which its own tests hold to independent sources.
"""

import copy
import json
from contextlib import suppress
from enum import Enum

import pytest
from acp.schema import (
    Annotations,
    ContentToolCallContent,
    FileEditToolCallContent,
    TerminalToolCallContent,
    TextContentBlock,
    ToolCallProgress,
    ToolCallStart,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError
from pydantic_core import PydanticSerializationError

from tests.sdk_cases import BIG, CASES, DIFF, MARKER, changes, shown, shown_raw
from tests.sdk_sessions import SDK, model_of, written
from tests.strategies import block, tool_update
from tests.vectors import CASES as VECTORS
from tests.vectors import update_of

FORMS = {"model": model_of, "dict": lambda update: update}


def project(core, update, budget=65_536, also=()):
    projector = core.Projector(budget, ensure_ascii=True, also=also)
    return core.module("sdk_updates").UpdateProjector(projector).project(update)


def text_block(text, **members):
    return TextContentBlock(type="text", text=text, **members)


def content(inner, **members):
    return ContentToolCallContent(type="content", content=inner, **members)


def progress(**fields):
    return ToolCallProgress(session_update="tool_call_update", tool_call_id="call-1", **fields)


def assert_as_on_the_wire(core, update, budget=65_536, also=()):
    """What leaves is the contract's answer to what would have left; returns what leaves."""
    on_wire = written(update)
    expected = core.Projector(budget, ensure_ascii=True, also=also).project_update(on_wire)
    bounded = project(core, update, budget, also)
    assert written(bounded) == json.loads(json.dumps(expected))
    assert (bounded is update) == (expected is on_wire)
    return bounded


def assert_as_on_the_wire_if_at_all(core, update, budget=65_536, also=()):
    """As above; but what the SDK cannot write it still says itself."""
    try:
        written(update)
    except (ValidationError, UnicodeEncodeError, PydanticSerializationError) as error:
        # A model that it does not know; a surrogate in a key, in two versions.
        bounded = project(core, update, budget, also)
        with pytest.raises(type(error)):
            written(bounded)
        return bounded
    return assert_as_on_the_wire(core, update, budget, also)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", VECTORS)
def test_every_vector_that_the_sdk_can_write(core, name, form):
    update = update_of(name)
    with suppress(ValidationError):  # the SDK has no model of some: then a dict again
        update = FORMS[form]({"title": "a title", **update})
    bounded = assert_as_on_the_wire_if_at_all(core, update)
    assert type(bounded) is type(update)
    assert project(core, bounded) is bounded


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", CASES)
def test_the_authors_update_is_never_mutated(core, name, form):
    update = FORMS[form](CASES[name][0])
    before = copy.deepcopy(update)
    bounded = project(core, update)
    assert (bounded is update) == (not changes(name))
    assert type(bounded) is type(update)
    assert update == before
    if form == "model":
        assert update.model_fields_set == before.model_fields_set == bounded.model_fields_set


def test_fields_within_the_budget_and_their_blocks_stay_the_authors_objects(core):
    small, terminal = content(text_block("small")), {"raw": 1}
    update = progress(content=[small, content(text_block(BIG))], raw_output=terminal)
    bounded = project(core, update)
    assert bounded.content[0] is small
    assert bounded.raw_output is terminal
    assert type(bounded.content[1]) is ContentToolCallContent
    assert type(bounded.content[1].content) is TextContentBlock
    as_dict = tool_update("small", BIG)
    assert project(core, as_dict)["content"][0] is as_dict["content"][0]


def test_models_among_the_blocks_of_a_dict_stay_too(core):
    small = content(text_block("small"))
    update = {**tool_update(), "content": [small, content(text_block(BIG))]}
    bounded = assert_as_on_the_wire(core, update)
    assert bounded["content"][0] is small


@pytest.mark.parametrize(
    "extra",
    [{"annotations": None}, {"_meta": None}, {"color": "red"}, {"annotations": None, "x": 1}],
)
def test_a_key_that_the_sdk_leaves_out_does_not_save_a_block(core, extra):
    update = {**tool_update(), "content": [{**block(BIG), "content": {**block(BIG)["content"]}}]}
    update["content"][0]["content"].update(extra)
    bounded = assert_as_on_the_wire(core, update)
    assert bounded["content"] == [block(shown(BIG))]
    bounded = assert_as_on_the_wire(core, model_of(update))
    assert bounded.content[0].content.text == shown(BIG)


@pytest.mark.parametrize("extra", [{"annotations": {}}, {"_meta": {}}, {"_meta": {"a": None}}])
@pytest.mark.parametrize("where", ["block", "inner"])
def test_a_key_that_the_sdk_writes_does(core, extra, where):
    if where == "block":
        if "annotations" in extra:
            extra = {"_meta": {}}
        update = {**tool_update(), "content": [{**block(BIG), **extra}]}
    else:
        inner = {**block(BIG)["content"], **extra}
        update = {**tool_update(), "content": [{"type": "content", "content": inner}]}
    assert assert_as_on_the_wire(core, update) is update
    model = model_of(update)
    assert assert_as_on_the_wire(core, model) is model


def test_explicit_nulls_in_models_count_as_what_is_written(core):
    update = progress(
        content=[content(text_block(BIG, annotations=None, field_meta=None), field_meta=None)]
    )
    assert assert_as_on_the_wire(core, update).content[0].content.text == shown(BIG)
    for saved in (
        content(text_block(BIG, annotations=Annotations())),
        content(text_block(BIG, field_meta={})),
        content(text_block(BIG), field_meta={"a": 1}),
    ):
        update = progress(content=[saved], raw_output=BIG)
        bounded = assert_as_on_the_wire(core, update)
        assert bounded.content is update.content
        assert bounded.raw_output == shown_raw(BIG)


def test_one_block_without_text_saves_the_rest(core):
    for other in (
        FileEditToolCallContent(type="diff", path="/f", new_text="n"),
        TerminalToolCallContent(type="terminal", terminal_id="t-1"),
    ):
        update = progress(content=[other, content(text_block(BIG))])
        assert assert_as_on_the_wire(core, update) is update


@pytest.mark.parametrize("names", ["wire", "model", "model, raw output alone", "both"])
def test_dicts_by_the_models_names(core, names):
    update = {
        "wire": tool_update(BIG, rawOutput=BIG),
        "model": {
            "session_update": "tool_call_update",
            "tool_call_id": "call-1",
            "content": [block(BIG)],
            "raw_output": BIG,
        },
        "model, raw output alone": tool_update("small", raw_output=BIG),
        "both": tool_update(BIG, rawOutput=BIG, raw_output="unseen"),
    }[names]
    bounded = assert_as_on_the_wire(core, update)
    assert list(bounded) == list(update)
    assert (
        bounded.get("raw_output")
        == {
            "wire": None,
            "model": shown(BIG),
            "model, raw output alone": shown_raw(BIG),
            "both": "unseen",
        }[names]
    )


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("meta", [{"serverId": "my-A2UI-x"}, {"toolName": "a__a2ui_action"}])
def test_a2ui_is_exempt_under_either_name_of_its_meta(core, form, meta):
    update = FORMS[form](tool_update(BIG, rawOutput=BIG, _meta=meta))
    assert assert_as_on_the_wire(core, update) is update
    by_name = tool_update(BIG, rawOutput=BIG, field_meta=meta)
    assert assert_as_on_the_wire(core, by_name) is by_name


def test_subclasses_of_the_models_are_bounded_as_they_are_written(core):
    class Own(ToolCallProgress, extra="allow"):
        color: str = "red"

    class OwnBlock(TextContentBlock):
        color: str = "red"

    class OwnContent(ContentToolCallContent, extra="allow"):
        pass

    inner = OwnBlock(type="text", text=BIG, color="blue")
    update = Own(
        session_update="tool_call_update",
        tool_call_id="call-1",
        content=[OwnContent(type="content", content=inner, other=1)],
        raw_output=BIG,
        color="blue",
        another=2,
    )
    bounded = assert_as_on_the_wire(core, update)
    assert type(bounded) is Own
    assert (bounded.color, bounded.model_extra) == ("blue", {"another": 2})
    assert bounded.raw_output == bounded.content[0].content.text == shown(BIG)


def test_subclasses_of_str_and_enums_are_measured_as_they_are_written(core):
    class Liar(str):
        def __len__(self):
            return 0

        def __str__(self):
            return "short"

        def __eq__(self, other):
            return False

        __hash__ = str.__hash__

    class Output(str, Enum):
        LONG = BIG

    assert project(core, progress(raw_output=Liar(BIG))).raw_output == shown_raw(BIG)
    unread = TextContentBlock.model_construct(type="text", text=Liar(BIG))
    bounded = assert_as_on_the_wire(core, progress(content=[content(unread)]))
    assert bounded.content[0].content.text == shown(BIG)
    assert project(core, tool_update(rawOutput=Liar(BIG)))["rawOutput"] == shown_raw(BIG)
    bounded = assert_as_on_the_wire(core, progress(raw_output=Output.LONG))
    assert bounded.raw_output == shown_raw(BIG)


def test_raw_output_that_only_the_sdk_turns_into_a_string(core):
    update = progress(raw_output=BIG.encode())
    bounded = project(core, update)
    if SDK < (0, 11):
        with pytest.raises(TypeError, match="bytes is not JSON serializable"):
            written(update)
        assert bounded is update
    else:
        assert written(bounded)["rawOutput"] == shown_raw(BIG)


def test_a_dict_that_the_sdk_refuses_comes_back_for_it_to_say_so(core):
    update = {"session_update": "tool_call_update", "raw_output": BIG}
    assert assert_as_on_the_wire_if_at_all(core, update) is update
    with pytest.raises(ValidationError, match="toolCallId"):
        written(update)


def test_an_iterator_is_not_consumed(core):
    pieces = iter(["a", "b"])
    update = progress(raw_output=pieces)
    assert project(core, update) is update
    assert list(pieces) == ["a", "b"]


@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")
def test_models_that_were_never_validated(core):
    blocks = [block("small"), block(BIG)]
    update = ToolCallProgress.model_construct(
        session_update="tool_call_update", tool_call_id="call-1", content=blocks
    )
    bounded = assert_as_on_the_wire(core, update)
    assert bounded.content[0] is blocks[0]
    for broken in [
        ToolCallProgress.model_construct(content=[content(text_block(BIG))]),
        ToolCallProgress.model_construct(raw_output=BIG),
        progress().model_copy(update={"content": [ContentToolCallContent.model_construct()] * 9}),
        progress().model_copy(
            update={"content": [content(TextContentBlock.model_construct(type="text"))]}
        ),
        progress().model_copy(update={"content": 7}),
    ]:
        assert_as_on_the_wire_if_at_all(core, broken)


def test_tuples_of_blocks(core):
    as_tuple = (block("small"), block(BIG))
    bounded = assert_as_on_the_wire(core, {**tool_update(), "content": as_tuple})
    assert bounded["content"][0] is as_tuple[0]


def test_what_is_no_update_of_a_tool_call_comes_back(core):
    message = model_of(CASES["a message"][0])
    start = ToolCallStart(session_update="tool_call", tool_call_id="c", title="t")
    for other in (message, start, None, "text", {}, {"sessionUpdate": 7}, tool_update(BIG).keys()):
        assert project(core, other) is other


MEMBERS = st.sampled_from([None, {}, {"a": 1}, "x"])
INNER = st.fixed_dictionaries(
    {"type": st.sampled_from(["text", "text", "text", "image"]), "text": st.text(max_size=60)},
    optional={"annotations": MEMBERS, "_meta": MEMBERS, "field_meta": MEMBERS, "other": MEMBERS},
)
BLOCKS = st.lists(
    st.fixed_dictionaries(
        {"type": st.just("content"), "content": INNER},
        optional={"_meta": MEMBERS, "other": MEMBERS},
    )
    | st.just({**DIFF, "newText": "n" * 300}),
    max_size=4,
)
UPDATES = st.fixed_dictionaries(
    {"toolCallId": st.just("c"), "title": st.just("t")},
    optional={
        "content": BLOCKS | st.none(),
        "rawOutput": st.text(max_size=300) | MEMBERS,
        "_meta": MEMBERS | st.just({"toolName": "present_ui"}),
        "other": MEMBERS,
    },
)


@settings(max_examples=150)
@given(
    update=UPDATES,
    kind=st.sampled_from(["tool_call", "tool_call_update"]),
    names=st.sampled_from([{}, {"sessionUpdate": "session_update", "rawOutput": "raw_output"}]),
)
def test_any_update_leaves_as_the_contract_makes_it(core, update, kind, names):
    update = {"sessionUpdate": kind, **update}
    update = {names.get(key, key): value for key, value in update.items()}
    bounded = assert_as_on_the_wire_if_at_all(core, update, 200)
    assert list(bounded) == list(update)
    try:
        model = model_of(update)
    except ValidationError:
        return
    assert_as_on_the_wire(core, model, 200)


def test_a_collapse(core):
    update = tool_update(*["x"] * 2_000)
    bounded = assert_as_on_the_wire(core, model_of(update))
    assert [each.content.text for each in bounded.content] == [MARKER]
    by_name = {**update, "field_meta": None}
    assert assert_as_on_the_wire(core, by_name)["content"] == [block(MARKER)]
