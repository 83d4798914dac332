"""Exact results of fields that a user named, which mutation testing found untested."""

import pytest

from tests import slow
from tests.strategies import block, tool_update, wire_bytes

BIG = "q" * 3_000
ALL = ("content", "rawInput", "rawOutput", "_meta")


def test_an_observer_is_told_the_counts_of_a_widened_field(core):
    events = []
    raw_output = {"out": BIG, "note": "small", "exit": 0}
    projector = core.Projector(500, also=["rawOutput"], observer=events.append)
    bounded = projector.project_update(tool_update(rawOutput=raw_output))["rawOutput"]
    assert events == [
        core.BoundedField(
            field="rawOutput",
            blocks=2,
            reduced_blocks=1,
            collapsed=False,
            bytes_after=len(wire_bytes(bounded)),
            characters_before=3_005,
        )
    ]
    assert len(wire_bytes(bounded)) == 500


def test_widened_content_is_cut_in_the_texts_of_its_text_blocks_alone(core):
    def content(text):
        annotated = {"type": "text", "text": text, "annotations": {"note": "n" * 200}}
        terminal = {"type": "terminal", "terminalId": "t" * 200}
        return [{"type": "content", "content": annotated}, terminal, {"type": "text", "text": "s"}]

    room = 700 - len(wire_bytes(content("")))
    expected = content(slow.preview(BIG, room, ensure_ascii=False))
    events = []
    projector = core.Projector(700, also=["content"], observer=events.append)
    assert projector.project_content(content(BIG)) == expected
    assert projector.project_update(tool_update(content=content(BIG)))["content"] == expected
    assert {(event.field, event.blocks, event.reduced_blocks) for event in events} == {
        ("content", 2, 1)
    }


def test_project_content_widens_nothing_that_was_not_named(core):
    content = [block(BIG), {"type": "terminal", "terminalId": "t"}]
    assert core.Projector(500).project_content(content) is content
    assert core.Projector(500, also=["rawOutput"]).project_content(content) is content


def test_what_is_no_array_or_object_is_not_widened(core):
    projector = core.Projector(500, also=ALL)
    for members in ({"rawInput": BIG}, {"_meta": BIG}, {"content": {"text": BIG}}):
        update = tool_update(**members)
        assert projector.project_update(update) is update


def test_every_node_of_a_structure_is_visited_once(core):
    structure = core.module("structure").TextStructure({"a": [1, "t"], "b": ("u",)}, 99, False)
    # The object, the array, 1, "t", the second array, "u".
    assert structure.nodes_visited == 6
    assert structure.texts == ["t", "u"]


@pytest.mark.parametrize("array", [list, tuple])
def test_arrays_inside_a_diff_are_structure_too(core, array):
    value = {"type": "diff", "lines": array(["d" * 80, {"x": "e" * 80}]), "path": "p"}
    structure = core.module("structure").TextStructure([value, "t"], 500, False)
    assert structure.texts == ["t"]
    assert structure.json_bytes == len(wire_bytes([value, ""]))


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (object(), "^a object has no JSON form$"),
        (b"bytes", "^a bytes has no JSON form$"),
        (10**5_000, "digits"),
    ],
    ids=["object", "bytes", "digits"],
)
def test_what_a_serializer_refuses_is_refused_with_the_reason(core, value, reason):
    structure = core.module("structure")
    with pytest.raises(structure.NotJsonError, match=reason):
        structure.TextStructure([BIG, value], 10**6, False)


def test_a_value_that_contains_itself_is_refused_and_not_reported(core):
    cyclic = {"text": BIG}
    cyclic["self"] = [cyclic]
    structure = core.module("structure")
    with pytest.raises(
        structure.NotJsonError, match=r"^a value that contains itself has no JSON form$"
    ):
        structure.TextStructure(cyclic, 10**6, False)
    events = []
    update = tool_update(rawOutput=cyclic)
    projector = core.Projector(500, also=["rawOutput"], observer=events.append)
    assert projector.project_update(update) is update
    assert events == []


def test_keys_count_as_the_serializer_writes_them(core):
    value = {"\u6c49" * 20: BIG, "\x7f": 1}
    for ensure_ascii in (False, True):
        projector = core.Projector(500, ensure_ascii=ensure_ascii, also=["rawOutput"])
        bounded = projector.project_update(tool_update(rawOutput=value))["rawOutput"]
        assert len(wire_bytes(bounded, ensure_ascii)) == 500


def test_texts_inside_a_structure_count_as_the_serializer_writes_them(core):
    # 300 bytes as UTF-8, 600 as escapes.
    value = {"out": "\u6c49" * 100}
    update = tool_update(rawOutput=value)
    assert core.Projector(500, also=ALL).project_update(update) is update
    events = []
    projector = core.Projector(500, ensure_ascii=True, also=ALL, observer=events.append)
    bounded = projector.project_update(update)["rawOutput"]
    room = 500 - len(wire_bytes({"out": ""}))
    assert bounded == {"out": slow.preview("\u6c49" * 100, room, ensure_ascii=True)}
    assert [event.bytes_after for event in events] == [len(wire_bytes(bounded, True))]


def test_a_structure_of_exactly_the_budget_with_nothing_in_it_is_within_it(core):
    events = []
    value = {"k" * 490: "", "n": 1}
    projector = core.Projector(len(wire_bytes(value)), also=ALL, observer=events.append)
    update = tool_update(rawOutput=value)
    assert projector.project_update(update) is update
    assert events == []


def test_a_result_that_a_serializer_writes_longer_than_calculated_is_not_used(core, monkeypatch):
    reach = core.module("reach")
    monkeypatch.setattr(reach, "payload_bytes", lambda *_: 10**6)
    found = reach.bound_structure("rawOutput", {"out": BIG}, 500, False)
    assert found == reach.StructureLeftAlone(reach.NO_ROOM_FOR_MARKERS)
