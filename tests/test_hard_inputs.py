"""Inputs that ask for trouble: hostile subclasses, wrong types, odd containers."""

import ctypes
import enum
import json
import sys
from collections import OrderedDict, defaultdict

import pytest

from tests.strategies import block, tool_update, wire_bytes

BIG = "u" * 70_000


def hostile(base):
    """A subclass of ``base`` whose every overridable method of interest raises."""

    def refuse(*_arguments, **_options):
        raise AssertionError("an overridable method was called")

    names = [
        *("__len__", "__getitem__", "__iter__", "__eq__", "__hash__", "__contains__", "__str__"),
        *("__bool__", "__reversed__", "__format__", "__add__", "__radd__", "__sizeof__"),
        *("get", "keys", "items", "values", "copy", "lower", "upper", "casefold", "encode"),
        *("endswith", "startswith", "translate", "isascii", "count", "index", "strip"),
    ]
    return type(f"Hostile{base.__name__.title()}", (base,), dict.fromkeys(names, refuse))


HostileStr, HostileDict, HostileList, HostileTuple = map(hostile, (str, dict, list, tuple))


def test_str_subclasses_count_as_the_strings_they_serialize_as(core):
    for text in (BIG, "汉" * 70_000, "😀" * 70_000):
        plain = core.project_update(tool_update(text, rawOutput=text))
        odd = core.project_update(tool_update(HostileStr(text), rawOutput=HostileStr(text)))
        assert odd == plain
        assert type(odd["rawOutput"]) is str
        assert type(odd["content"][0]["content"]["text"]) is str


def test_small_str_subclasses_pass_by_reference(core):
    update = tool_update(HostileStr("v"), rawOutput=HostileStr("w"))
    assert core.project_update(update) is update
    assert core.Projector().project_text(update["rawOutput"]) is update["rawOutput"]


def test_json_size_of_a_str_subclass(core):
    for ensure_ascii in (False, True):
        for text in ('a"b', "é\ud800", "汉", "😀" * 5_000):
            expected = len(wire_bytes(text, ensure_ascii))
            assert core.json_size(HostileStr(text), ensure_ascii=ensure_ascii) == expected


def test_hostile_words_are_compared_by_their_characters(core):
    hostile_block = {
        "type": HostileStr("content"),
        "content": {"type": HostileStr("text"), "text": BIG},
    }
    update = {
        "sessionUpdate": HostileStr("tool_call"),
        "content": [hostile_block],
        "_meta": {"serverId": HostileStr("other"), "toolName": HostileStr("shell")},
    }
    assert core.project_update(update)["content"] == core.Projector().project_content([block(BIG)])
    for exempt in ({"serverId": HostileStr("A2UI")}, {"toolName": HostileStr("x__present_ui")}):
        update["_meta"] = exempt
        assert core.project_update(update) is update


@pytest.mark.parametrize("mapping", [HostileDict, OrderedDict, lambda d: defaultdict(list, d)])
def test_dict_subclasses_are_read_by_their_own_storage(core, mapping):
    def built(text):
        return mapping(
            {
                "sessionUpdate": "tool_call_update",
                "content": [
                    mapping({"type": "content", "content": mapping({"type": "text", "text": text})})
                ],
                "_meta": mapping({"toolName": "shell"}),
            }
        )

    small = built("small")
    assert core.project_update(small) is small
    bounded = core.project_update(built(BIG))
    assert type(bounded) is dict
    assert bounded["content"] == core.Projector().project_content([block(BIG)])


def test_an_ordered_dict_keeps_the_order_that_it_has_when_serialized(core):
    update = OrderedDict(tool_update(BIG, rawOutput="r", z=1))
    update.move_to_end("rawOutput", last=False)
    update.move_to_end("status")
    bounded = core.project_update(update)
    assert list(bounded) == list(update)
    assert json.dumps(bounded, default=str).startswith('{"rawOutput": "r"')


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="such strings are gone since 3.12")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_strings_without_their_final_storage_are_measured_like_others(core):
    api = ctypes.pythonapi
    api.PyUnicode_FromUnicode.restype = ctypes.py_object
    api.PyUnicode_FromUnicode.argtypes = [ctypes.c_void_p, ctypes.c_ssize_t]
    api.PyUnicode_AsUnicode.restype = ctypes.c_void_p
    api.PyUnicode_AsUnicode.argtypes = [ctypes.py_object]
    wchar_bytes = ctypes.sizeof(ctypes.c_wchar)

    def legacy(character, count):
        text = api.PyUnicode_FromUnicode(None, count)
        characters = (character * count).encode("utf-32-le" if wchar_bytes == 4 else "utf-16-le")
        ctypes.memmove(api.PyUnicode_AsUnicode(text), characters, len(characters))
        return text

    for character in "a\u6c49":
        expected = core.project_update(tool_update(character * 70_000, rawOutput="b" * 70_000))
        update = tool_update(legacy(character, 70_000), rawOutput=legacy("b", 70_000))
        assert core.project_update(update) == expected
        assert core.json_size(legacy(character, 9)) == core.json_size(character * 9)
        assert core.module("_core").prefix_end(legacy(character, 9), 5, True) in (0, 5)


def test_blocks_that_fit_stay_the_very_objects_even_when_hostile(core):
    kept = HostileDict({"type": "content", "content": HostileDict({"type": "text", "text": "x"})})
    bounded = core.Projector().project_content([kept, block(BIG)])
    assert bounded[0] is kept


@pytest.mark.parametrize("array", [HostileList, tuple, HostileTuple])
def test_what_serializes_as_an_array_counts_as_one(core, array):
    small = array([block("small")])
    assert core.Projector().project_content(small) is small
    bounded = core.Projector().project_content(array([block("y"), block(BIG)]))
    assert bounded == core.Projector().project_content([block("y"), block(BIG)])


def test_an_enum_of_strings_serializes_as_a_string(core):
    class Kind(str, enum.Enum):
        UPDATE = "tool_call_update"

    update = tool_update(BIG, sessionUpdate=Kind.UPDATE)
    assert core.project_update(update)["content"] == core.Projector().project_content([block(BIG)])


@pytest.mark.parametrize(
    "odd", [None, True, 5, 1.5, b"bytes", "text", [], (), {}, {5: 5}, object()]
)
def test_anything_else_comes_back_as_it_is(core, odd):
    projector = core.Projector(97)
    assert projector.project_update(odd) is odd
    assert projector.project_content(odd) is odd
    assert projector.project_text(odd) is odd
    assert core.module("frames").project_frame(odd, projector) is odd
    for field in ("content", "rawOutput", "_meta"):
        update = tool_update(**{field: odd})
        assert projector.project_update(update) is update
    update = tool_update(BIG, _meta=odd)
    assert len(wire_bytes(projector.project_update(update)["content"])) <= 97


@pytest.mark.parametrize("odd", [None, True, 5, 1.5, b"bytes", [], {}])
def test_blocks_with_something_else_for_text_pass(core, odd):
    update = tool_update(content=[block(BIG), block(odd)])
    assert core.project_update(update) is update
    update = tool_update(content=[block(BIG), odd])
    assert core.project_update(update) is update


def test_keys_that_are_no_strings_stay(core):
    update = {5: "five", None: BIG, **tool_update(BIG)}
    bounded = core.project_update(update)
    assert list(bounded) == list(update)
    assert bounded[None] is BIG


@pytest.mark.parametrize("budget", [2**63, 2**70])
def test_huge_budgets_bound_nothing(core, budget):
    update = tool_update(BIG, rawOutput=BIG * 3)
    assert core.Projector(budget).project_update(update) is update


def test_a_cyclic_update_is_no_trouble(core):
    update = tool_update(BIG)
    update["self"] = update
    assert core.project_update(update)["self"] is update
