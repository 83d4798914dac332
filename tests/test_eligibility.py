"""Which updates and fields the contract covers."""

import pytest

from tests.strategies import block, tool_update

BIG = "x" * 70_000


def is_bounded(core, update):
    return core.project_update(update) is not update


@pytest.mark.parametrize("kind", ["tool_call_update", "tool_call"])
def test_both_kinds_of_tool_call_are_covered(core, kind):
    assert is_bounded(core, tool_update(BIG, sessionUpdate=kind))


@pytest.mark.parametrize(
    "kind",
    ["agent_message_chunk", "plan", "Tool_call", "tool_call ", "tool_call\n", "", None, 5, ["x"]],
)
def test_other_kinds_pass(core, kind):
    assert not is_bounded(core, tool_update(BIG, sessionUpdate=kind))
    without_kind = tool_update(BIG)
    del without_kind["sessionUpdate"]
    assert not is_bounded(core, without_kind)


@pytest.mark.parametrize(
    "meta",
    [
        {"serverId": "a2ui"},
        {"serverId": "dq-A2UI"},
        {"serverId": "xxA2uIxx"},
        {"toolName": "present_ui"},
        {"toolName": "present_choices"},
        {"toolName": "a2ui_action"},
        {"toolName": "mcp__ui__present_ui"},
        {"toolName": "__a2ui_action"},
        {"serverId": 5, "toolName": "x__present_choices"},
        {"serverId": "other", "toolName": "present_ui"},
    ],
)
def test_a2ui_updates_are_exempt_as_a_whole(core, meta):
    text = '[{"surface": 1}] and prose ' * 4000
    update = tool_update(text, rawOutput=text, _meta=meta)
    assert core.project_update(update) is update
    assert core.module("eligibility").eligible_fields(update) == []


@pytest.mark.parametrize(
    "meta",
    [
        None,
        [],
        "a2ui",
        {},
        {"serverId": ["a2ui"]},
        {"serverId": b"a2ui"},
        {"serverId": "a2-ui"},
        {"toolName": "present_ui\n"},
        {"toolName": "present_ui "},
        {"toolName": "Present_ui"},
        {"toolName": "_present_ui"},
        {"toolName": "x_present_ui"},
        {"toolName": "present_ui__x"},
        {"toolName": "a2ui"},
        {"toolName": ["present_ui"]},
        {"server_id": "a2ui", "tool_name": "present_ui"},
    ],
)
def test_what_only_resembles_a2ui_is_bounded(core, meta):
    assert is_bounded(core, tool_update(BIG, _meta=meta))


def test_fields_are_named_whatever_their_size(core):
    eligible_fields = core.module("eligibility").eligible_fields
    assert eligible_fields(tool_update("small", rawOutput="")) == ["content", "rawOutput"]
    assert eligible_fields(tool_update(rawOutput="r")) == ["rawOutput"]
    assert eligible_fields(tool_update("t", rawOutput={"text": "r"})) == ["content"]
    assert eligible_fields(tool_update(content=[])) == ["content"]
    assert eligible_fields(tool_update(content=None, rawOutput=None)) == []
    assert eligible_fields({"sessionUpdate": "plan", "rawOutput": "r"}) == []
    assert eligible_fields(["not an object"]) == []


def test_structured_values_media_and_terminals_pass_by_reference(core):
    image = {"type": "content", "content": {"type": "image", "data": BIG, "mimeType": "image/png"}}
    for members in (
        {"content": [{"type": "terminal", "terminalId": "t"}]},
        {"content": [image]},
        {"content": [block(BIG), {"type": "diff", "path": "p", "newText": BIG, "oldText": BIG}]},
        {"rawOutput": {"stdout": BIG}},
        {"rawOutput": [BIG]},
        {"rawOutput": BIG.encode()},
        {"rawInput": {"content": BIG}},
        {"_meta": {"terminal_output": {"data": BIG * 15}}},
        {"title": BIG},
    ):
        update = tool_update(**members)
        assert core.project_update(update) is update
