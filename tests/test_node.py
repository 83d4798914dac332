"""Sizes against Node's JSON.stringify, for strings that went through JSON."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.node import stringified
from tests.strategies import any_text, tool_update, wire_bytes

# One process of Node for each example, so an example is a list.
node_settings = settings(max_examples=15)
texts = st.lists(any_text, min_size=20, max_size=40)


def through_json(value):
    return json.loads(json.dumps(value))


def test_json_size_of_every_code_point_is_that_of_node(core):
    code_points = [*range(0x20000), *range(0x10F000, 0x110000)]
    chunks = [code_points[i : i + 64] for i in range(0, len(code_points), 64)]
    texts = [through_json("".join(map(chr, chunk))) for chunk in chunks]
    written = stringified([wire_bytes(text) for text in texts])
    assert [core.json_size(text) for text in texts] == [size for size, _ in written]


@node_settings
@given(texts)
def test_json_size_is_that_of_node(core, texts):
    texts = [through_json(text) for text in texts]
    written = stringified([wire_bytes(text) for text in texts])
    assert [core.json_size(text) for text in texts] == [size for size, _ in written]


@node_settings
@given(texts, st.integers(97, 5000))
def test_bounded_fields_are_within_the_budget_for_node(core, texts, budget):
    projector = core.Projector(budget)
    updates = [through_json(tool_update(text, text[:7], rawOutput=text)) for text in texts]
    bounded = [projector.project_update(update) for update in updates]
    fields = [wire_bytes(update[field]) for update in bounded for field in ("content", "rawOutput")]
    assert all(size <= budget for size, _ in stringified(fields))
