"""Fields that a user named: bounded in every recorded shape, and never out of shape."""

import base64
import copy
import math
from collections import OrderedDict, defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import slow
from tests.shapes import SHAPES, TEXTS, field_of, shaped_update
from tests.strategies import block, tool_update, wire_bytes
from tests.test_hard_inputs import HostileDict, HostileList, HostileStr, HostileTuple
from tests.test_structure import containers, emptied

ALL = ("content", "rawInput", "rawOutput", "_meta")
BIG = "q" * 70_000


def texts_in(value):
    return emptied(value)[1]


@pytest.mark.parametrize("kind", ["tool_call_update", "tool_call"])
@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("ensure_ascii", [False, True])
def test_every_shape_is_bounded_when_its_field_is_named(core, shape, text, kind, ensure_ascii):
    update = shaped_update(shape, TEXTS[text], kind)
    field = field_of(shape)
    before = copy.deepcopy(update)
    assert core.Projector(ensure_ascii=ensure_ascii).project_update(update) is update
    others = set(ALL) - {field}
    assert core.Projector(also=others).project_update(update) is update
    projector = core.Projector(also={field}, ensure_ascii=ensure_ascii)
    bounded = projector.project_update(update)
    assert update == before
    assert len(wire_bytes(bounded[field], ensure_ascii)) <= 65_536
    assert len(wire_bytes(bounded[field], ensure_ascii)) > 65_536 - 200
    assert emptied(bounded[field])[0] == emptied(update[field])[0]
    assert {**bounded, field: None} == {**update, field: None}
    assert projector.project_update(bounded) is bounded
    for old, new in zip(texts_in(update[field]), texts_in(bounded[field]), strict=True):
        assert (new is old) == (len(old) < 100)
        assert new is old or core.MARKER in new


def test_a_text_three_times_in_one_object_shares_fairly(core):
    update = shaped_update("raw object, three times the same", TEXTS["ascii"])
    bounded = core.Projector(also=["rawOutput"]).project_update(update)["rawOutput"]
    sizes = {len(wire_bytes(bounded[key])) for key in ("stdout", "aggregated_output")}
    assert max(sizes) - min(sizes) <= 1
    assert len(bounded["stdout"]) > 20_000
    assert bounded["exit_code"] == 0


budgets = st.integers(97, 600)


@given(containers, budgets, st.booleans(), st.sampled_from(["rawOutput", "rawInput", "_meta"]))
def test_properties_over_any_json(core, value, budget, ensure_ascii, field):
    update = tool_update(**{field: value})
    before = copy.deepcopy(update)
    events = []
    projector = core.Projector(
        budget, ensure_ascii=ensure_ascii, also={field}, observer=events.append
    )
    bounded = projector.project_update(update)
    assert wire_bytes(update) == wire_bytes(before), "the input was mutated"
    old, new = update[field], bounded[field]
    if len(wire_bytes(old, ensure_ascii)) <= budget:
        assert (bounded, events) == (update, []) or wire_bytes(bounded) == wire_bytes(update)
        assert bounded is update
        return
    (event,) = events
    if isinstance(event, core.FieldLeftAlone):
        assert bounded is update
        room = budget - len(wire_bytes(emptied(old)[0], ensure_ascii))
        reserves = [min(slow.payload(text, ensure_ascii), 41) for text in texts_in(old)]
        assert sum(reserves) > room
        assert ("alone exceeds" in event.reason) == (room < 0)
        return
    assert len(wire_bytes(new, ensure_ascii)) == event.bytes_after <= budget
    assert wire_bytes(emptied(new)[0]) == wire_bytes(emptied(old)[0])
    assert projector.project_update(bounded) is bounded
    available = budget - len(wire_bytes(emptied(old)[0], ensure_ascii))
    texts = texts_in(old)
    demands = [slow.payload(text, ensure_ascii) for text in texts]
    shares = slow.shares(demands, available, 41)
    assert texts_in(new) == [
        text if demand <= share else slow.preview(text, share, ensure_ascii)
        for text, demand, share in zip(texts, demands, shares, strict=True)
    ]


def test_media_blobs_diffs_and_terminals_are_never_cut(core):
    encoded = base64.b64encode(bytes(range(256)) * 120).decode()
    uncut = {
        "image": {"type": "image", "mimeType": "image/png", "data": encoded},
        "audio": {"type": "audio", "data": encoded},
        "media": {"mimeType": "application/pdf", "data": encoded, "note": encoded},
        "blob": {"mimeType": "x/y", "blob": encoded},
        "resource": {"type": "resource", "resource": {"uri": "file:///a", "blob": encoded}},
        "diff": {"type": "diff", "path": "p", "oldText": "o" * 40_000, "newText": "n" * 40_000},
        "nested": {"type": "image", "file": {"base64": encoded}},
    }
    projector = core.Projector(also=ALL)
    for part in uncut.values():
        update = tool_update(rawOutput={"part": part, "log": BIG}, _meta={"x": [part, BIG]})
        bounded = projector.project_update(update)
        for field in ("rawOutput", "_meta"):
            if len(wire_bytes(part)) < 60_000:
                assert len(wire_bytes(bounded[field])) <= 65_536
                assert part in (bounded[field].get("part"), *bounded[field].get("x", ()))
            else:
                assert bounded[field] is update[field]
    content = [block(BIG), uncut["image"], {"type": "terminal", "terminalId": "t"}]
    bounded = projector.project_content(content)
    assert bounded[1:] == content[1:]
    assert core.MARKER in bounded[0]["content"]["text"]
    assert base64.b64decode(bounded[1]["data"]) == bytes(range(256)) * 120


def test_a_field_that_cannot_be_bounded_stays_and_the_reason_is_told(core):
    events = []
    projector = core.Projector(also=ALL, observer=events.append)
    for value, reason in (
        ({"k" * 100_000: "v"}, "its structure alone exceeds the budget"),
        (["t" * 3] * 60_000, "its structure alone exceeds the budget"),
        ([0] * 10**6, "its structure alone exceeds the budget"),
        (["u" * 60] * 1_500, "its structure leaves no room for markers"),
    ):
        update = tool_update(rawOutput=value)
        assert projector.project_update(update) is update
        assert events.pop() == core.FieldLeftAlone("rawOutput", reason)
    assert events == []


def test_contract_fields_are_bounded_beside_one_that_is_left_alone(core):
    update = tool_update(BIG, rawOutput=BIG, _meta={"k" * 100_000: "v"})
    bounded = core.Projector(also=["_meta"]).project_update(update)
    assert bounded == {**core.project_update(update), "_meta": update["_meta"]}
    assert bounded["_meta"] is update["_meta"]


def test_cyclic_and_unserializable_values_are_left_alone(core):
    cyclic = {"text": BIG}
    cyclic["self"] = cyclic
    deep = BIG
    for _ in range(100_000):
        deep = [deep]
    for value in (cyclic, {"text": BIG, "odd": b"bytes"}, {"text": BIG, ("k",): 1}, deep):
        update = tool_update(rawOutput=value)
        assert core.Projector(also=ALL).project_update(update) is update
        assert core.Projector(2**70, also=ALL).project_update(update) is update


def test_subclasses_in_a_named_field_are_read_by_their_own_storage(core):
    for mapping in (HostileDict, OrderedDict, lambda members: defaultdict(list, members)):
        for array in (HostileList, HostileTuple, tuple):
            value = mapping({"log": HostileStr(BIG), "all": array([mapping({"small": "s"}), BIG])})
            update = tool_update(rawOutput=value)
            bounded = core.Projector(also=["rawOutput"]).project_update(update)["rawOutput"]
            assert type(bounded) is dict
            assert type(bounded["all"]) is list
            assert type(bounded["log"]) is str
            assert 65_000 < len(wire_bytes(bounded["log"]) + wire_bytes(bounded["all"][1])) < 65_536
    small = HostileDict({"log": HostileStr("small"), "all": HostileList(["x"])})
    update = tool_update(rawOutput=small)
    assert core.Projector(also=["rawOutput"]).project_update(update) is update


def test_keys_that_are_no_strings_and_numbers_that_are_none_stay(core):
    value = {5: BIG, None: math.nan, 1.5: [math.inf, -math.inf, -0.0], True: "t"}
    for ensure_ascii in (False, True):
        projector = core.Projector(also=["_meta"], ensure_ascii=ensure_ascii)
        bounded = projector.project_update(tool_update(_meta=value))["_meta"]
        assert list(map(repr, bounded)) == list(map(repr, value))
        assert repr({**bounded, 5: ""}) == repr({**value, 5: ""})
        assert 65_500 < len(wire_bytes(bounded, ensure_ascii)) <= 65_536


def test_canonical_content_keeps_its_own_rule(core):
    projector = core.Projector(also=ALL)
    for content in ([block("t" * 500)] * 700, [block(BIG), block(BIG)]):
        update = tool_update(content=content)
        assert projector.project_update(update) == core.project_update(update)
    # Not canonical, and too many blocks: the shape is never given up.
    odd = [*[block("t" * 500)] * 1_200, {"type": "terminal", "terminalId": "t"}]
    assert projector.project_content(odd) is odd


def test_a2ui_is_exempt_whatever_is_named(core):
    update = tool_update(rawOutput={"x": BIG}, _meta={"serverId": "a2ui", "y": BIG})
    assert core.Projector(also=ALL).project_update(update) is update


def test_permission_requests_stay_out_of_reach(core):
    call = tool_update(rawInput={"content": BIG}, rawOutput={"x": BIG})
    frame = {"id": 1, "method": "session/request_permission", "params": {"toolCall": call}}
    projector = core.Projector(also=ALL)
    assert core.module("frames").project_frame(frame, projector) is frame


def test_unknown_names_are_an_error_that_lists_the_known_ones(core):
    known = "the fields are content, rawInput, rawOutput, _meta"
    with pytest.raises(ValueError, match=f"'title' cannot be reached; {known}"):
        core.Projector(also={"title", "rawOutput"})
    with pytest.raises(ValueError, match=f"'x', 5 cannot be reached; {known}|5, 'x'"):
        core.Projector(also=["x", 5])
    assert core.Projector(also="_meta").also == ("_meta",)
    assert core.Projector(also=iter(["rawOutput", "content"])).also == ("content", "rawOutput")
    assert core.Projector().also == ()
    assert repr(core.Projector(also=["_meta"])).endswith("also=('_meta',))")
