"""Exact results at the edges: what mutation testing found that no other test would have noticed."""

import json

from tests import slow
from tests.strategies import block, tool_update, wire_bytes

BIG = "q" * 3_000
ALL = ("content", "rawInput", "rawOutput", "_meta")


def bound(core, field_json, **options):
    """The JSON that ``field_json`` becomes as the rawOutput of a line."""
    head, tail = b'{"events":[{"data":{"sessionUpdate":"tool_call","rawOutput":', b"}}]}"
    line = core.module("splice").bound_line(head + field_json + tail, core.Projector(**options))
    return line.removeprefix(head).removesuffix(tail)


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


def test_a_field_at_exactly_its_budget_when_written_again_is_written_again(core):
    text = "a" * 498
    assert bound(core, b'"\\u0061' + b"a" * 497 + b'"', budget=500) == wire_bytes(text)
    escaped = b'"\\u0061' + b"a" * 498 + b'"'
    expected = slow.preview(text + "a", 498, ensure_ascii=False)
    assert bound(core, escaped, budget=500) == wire_bytes(expected)


def test_a_line_is_bounded_by_the_serializer_that_the_projector_was_told_of(core):
    # 300 bytes as UTF-8, 600 as escapes.
    text = "\u6c49" * 100
    expected = slow.preview(text, 498, ensure_ascii=True)
    written = json.dumps(text, ensure_ascii=False).encode()
    assert bound(core, written, budget=500, ensure_ascii=True) == wire_bytes(expected)
    assert bound(core, written, budget=500) == written
