"""Texts inside arbitrary JSON values, and the structure around them."""

import copy
import enum
import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import any_text, short_text, wire_bytes

keys = short_text | st.sampled_from(["type", "text", "data", "mimeType", "blob", "uri", "stdout"])
scalars = st.none() | st.booleans() | st.integers() | st.floats()
strings = short_text | st.sampled_from(["image", "audio", "diff", "text"])
json_values = st.recursive(
    scalars | strings,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4),
    max_leaves=25,
)
containers = json_values.filter(lambda value: isinstance(value, (dict, list)))
modes = st.booleans()


def read(core, value, limit=10**9, ensure_ascii=False, **options):
    return core.module("structure").TextStructure(value, limit, ensure_ascii, **options)


def emptied(value, is_uncut=False):
    """The value with all texts empty, and the texts, by recursion."""
    if isinstance(value, str):
        return (value, []) if is_uncut else ("", [value])
    if isinstance(value, dict):
        is_uncut = is_uncut or carries_media(value)
        pairs = {key: emptied(item, is_uncut) for key, item in value.items()}
        new = {key: item for key, (item, _) in pairs.items()}
        return new, [text for _, texts in pairs.values() for text in texts]
    if isinstance(value, list):
        items = [emptied(item, is_uncut) for item in value]
        return [new for new, _ in items], [text for _, texts in items for text in texts]
    return value, []


def carries_media(value):
    return (
        value.get("type") in ("image", "audio", "diff")
        or ("mimeType" in value and ("data" in value or "blob" in value))
        or ("uri" in value and "blob" in value)
    )


@given(containers, modes)
def test_structure_is_the_json_with_all_texts_empty(core, value, ensure_ascii):
    empty, texts = emptied(value)
    structure = read(core, value, ensure_ascii=ensure_ascii)
    assert structure.texts == texts
    assert structure.json_bytes == len(wire_bytes(empty, ensure_ascii))


@given(containers, st.integers(0, 200))
def test_the_walk_ends_when_the_structure_exceeds_the_limit(core, value, limit):
    exact = len(wire_bytes(emptied(value)[0]))
    structure = read(core, value, limit)
    assert structure.json_bytes == exact if exact <= limit else structure.json_bytes > limit
    assert structure.nodes_visited <= limit + 1


@given(containers)
def test_new_texts_stand_where_the_old_ones_stood_and_the_rest_is_shared(core, value):
    before = copy.deepcopy(value)
    structure = read(core, value)
    assert structure.with_texts(structure.texts) is value
    numbered = [f"#{i}" for i in range(len(structure.texts))]
    changed = structure.with_texts(numbered)
    assert wire_bytes(value) == wire_bytes(before), "the value was mutated"
    assert read(core, changed).texts == numbered
    assert wire_bytes(emptied(changed)[0]) == wire_bytes(emptied(value)[0])
    if len(numbered) > 1:
        only_first = structure.with_texts(["first", *structure.texts[1:]])
        assert read(core, only_first).texts == ["first", *structure.texts[1:]]


def test_untouched_parts_are_the_very_objects(core):
    value = {"big": ["a", {"b": "c"}], "other": {"x": ["y"]}}
    changed = read(core, value).with_texts(["A", "c", "y"])
    assert changed == {"big": ["A", {"b": "c"}], "other": {"x": ["y"]}}
    assert changed["other"] is value["other"]
    assert changed["big"][1] is value["big"][1]
    assert changed["big"] is not value["big"]


@given(any_text, any_text)
def test_keys_are_structure(core, key, text):
    assert read(core, {key: text}).json_bytes == len(wire_bytes({key: ""}))
    assert read(core, {key: text}).texts == [text]


@pytest.mark.parametrize("key", [5, -1, 1.5, True, False, None, math.inf, 2**70])
def test_keys_that_are_no_strings_count_as_a_serializer_writes_them(core, key):
    structure = read(core, {key: "text"})
    assert structure.json_bytes == len(wire_bytes({key: ""}))


@pytest.mark.parametrize("number", [0, -0.0, 1e400, math.nan, -math.inf, 2**200, 1e22, 0.1, True])
def test_numbers_count_as_a_serializer_writes_them(core, number):
    assert read(core, [number]).json_bytes == len(wire_bytes([number]))


def test_a_number_of_a_line_counts_as_it_is_written(core):
    number = core.module("structure").NumberAsWritten("1.50000e+0001")
    assert number == 15.0
    assert read(core, [number]).json_bytes == len("[1.50000e+0001]")


@pytest.mark.parametrize(
    "odd",
    [
        b"bytes",
        {1, 2},
        object(),
        1j,
        pytest.param(10**5000, id="5001 digits"),
        ("tuple", b"in it"),
        {(1, 2): 3},
    ],
)
def test_what_a_serializer_refuses_is_an_error(core, odd):
    with pytest.raises(core.module("structure").NotJsonError):
        read(core, ["text", odd])


def test_subclasses_and_tuples_count_as_what_they_serialize_as(core):
    class Text(str):
        pass

    class Level(enum.IntEnum):
        HIGH = 3

    structure = read(core, {"a": (Text("x"), Level.HIGH)})
    assert structure.texts == ["x"]
    assert structure.json_bytes == len('{"a":["",3]}')
    assert structure.with_texts(["y"]) == {"a": ["y", 3]}


def test_nesting_needs_no_recursion(core):
    nested = "deep"
    for _ in range(100_000):
        nested = [nested]
    structure = read(core, nested)
    assert structure.texts == ["deep"]
    assert structure.json_bytes == 200_002
    changed = structure.with_texts(["new"])
    for _ in range(100_000):
        changed = changed[0]
    assert changed == "new"
    assert read(core, nested, limit=65_536).json_bytes > 65_536


def test_a_value_that_contains_itself_is_an_error(core):
    cyclic = {}
    cyclic["self"] = [cyclic]
    ring = []
    ring.append({"ring": ring})
    for value in (cyclic, ring):
        with pytest.raises(core.module("structure").NotJsonError, match="contains itself"):
            read(core, value, limit=2**70)


def test_a_value_that_stands_in_two_places_counts_twice(core):
    shared = {"text": "x"}
    structure = read(core, [shared, shared])
    assert structure.texts == ["x", "x"]
    assert structure.with_texts(["y", "x"]) == [{"text": "y"}, {"text": "x"}]


def test_the_walk_of_ten_million_numbers_ends_early(core):
    numbers = list(range(10_000_000))
    structure = read(core, numbers, limit=65_536)
    assert structure.json_bytes > 65_536
    assert structure.nodes_visited <= 65_537


def test_text_blocks_are_the_texts_of_content_that_is_not_canonical(core):
    content = [
        {"type": "content", "content": {"type": "text", "text": "wrapped", "annotations": None}},
        {"type": "text", "text": "bare"},
        {"type": "content", "content": {"type": "image", "data": "base64", "mimeType": "x"}},
        {"type": "diff", "path": "p", "oldText": "old", "newText": "new"},
        {"type": "terminal", "terminalId": "t"},
        {"type": "content", "content": {"type": "resource", "resource": {"text": "r", "uri": "u"}}},
        {"type": "content", "content": {"type": "text", "text": 5}},
        {"_meta": {"deep": [{"type": "text", "text": "not a block"}]}, "type": "content"},
        {"_meta": {"type": "text", "text": "no block either"}, "type": "content"},
        "loose string",
    ]
    structure = read(core, content, text_blocks_only=True)
    assert structure.texts == ["wrapped", "bare"]
    without = json.loads(json.dumps(content).replace("wrapped", "").replace("bare", ""))
    assert structure.json_bytes == len(wire_bytes(without))
