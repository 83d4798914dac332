"""The projector: exact values of the contract, and its properties over any text and budget."""

import copy
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import slow
from tests.strategies import any_text, block, short_text, tool_update, wire_bytes

budgets = st.integers(97, 700) | st.integers(97, 70_000)
modes = st.booleans()
texts = st.lists(short_text | any_text, max_size=5) | st.lists(short_text, max_size=20)


@st.composite
def updates(draw):
    blocks = draw(texts)
    update = tool_update(content=[block(text) for text in blocks])
    raw = draw(st.sampled_from([None, *blocks[:1]]) | any_text)
    return update if raw is None else {**update, "rawOutput": raw}


def shown_texts(update):
    return [item["content"]["text"] for item in update["content"]]


@given(updates(), budgets, modes)
def test_the_result_is_that_of_the_contract_done_slowly(core, update, budget, ensure_ascii):
    projector = core.Projector(budget, ensure_ascii=ensure_ascii)
    assert projector.project_update(update) == slow.update(update, budget, ensure_ascii)


@given(updates(), budgets, modes)
def test_properties_of_every_result(core, update, budget, ensure_ascii):
    before = copy.deepcopy(update)
    projector = core.Projector(budget, ensure_ascii=ensure_ascii)
    bounded = projector.project_update(update)
    assert update == before, "the input was mutated"
    assert list(bounded) == list(update)
    assert projector.project_update(bounded) is bounded
    for field in {"content", "rawOutput"} & set(update):
        assert len(wire_bytes(bounded[field], ensure_ascii)) <= budget
        fits = len(wire_bytes(update[field], ensure_ascii)) <= budget
        assert (bounded[field] is update[field]) == fits
    assert (bounded is update) == all(bounded[key] is update[key] for key in update)
    assert projector.project_content(update["content"]) == bounded["content"]
    if shown_texts(bounded) != [core.MARKER]:
        assert len(bounded["content"]) == len(update["content"])
        for old, new in zip(update["content"], bounded["content"], strict=True):
            check_block(core, old, new)


def check_block(core, old, new):
    text, shown = old["content"]["text"], new["content"]["text"]
    if old is new:
        return
    assert shown != text
    head, tail = shown.split(core.MARKER, 1)
    # Text may hold the marker itself, so every split has to be allowed for.
    while not (text.startswith(head) and text.endswith(tail)):
        more, tail = tail.split(core.MARKER, 1)
        head += core.MARKER + more
    assert not slow.is_pair(head[-1:] or "x", text[len(head)])
    assert not slow.is_pair(text[-len(tail) - 1], tail[:1] or "x")
    assert "\ufffd" not in shown or "\ufffd" in text


def ascii_parts(text, core):
    head, tail = text.split(core.MARKER)
    return len(head), len(tail)


def test_case_4_half_a_million_ascii_characters_in_both_fields(core):
    text = "a" * 499_999
    update = tool_update(text, rawOutput=text)
    assert len(wire_bytes(update)) > 1_000_000
    bounded = core.project_update(update)
    assert len(wire_bytes(bounded["content"])) == 65_536
    assert len(wire_bytes(bounded["rawOutput"])) == 65_482
    assert bounded["rawOutput"] == shown_texts(bounded)[0]
    assert len(wire_bytes(bounded)) < 131_173


def test_head_and_tail_of_ascii(core):
    only_content = core.project_update(tool_update("a" * 500_000))
    assert ascii_parts(shown_texts(only_content)[0], core) == (13_087, 52_352)
    only_raw = core.project_update(tool_update(rawOutput="a" * 500_000))
    assert ascii_parts(only_raw["rawOutput"], core) == (13_098, 52_395)


def test_head_and_tail_of_cjk(core):
    bounded = core.project_update(tool_update("\u6c49" * 500_001))
    assert len(wire_bytes(bounded["content"])) == 65_533
    assert ascii_parts(shown_texts(bounded)[0], core) == (4_362, 17_450)


def test_equal_texts_keep_their_own_preview_when_there_are_two_blocks(core):
    text = "b" * 100_000
    bounded = core.project_update(tool_update(text, text, rawOutput=text))
    assert ascii_parts(bounded["rawOutput"], core) == (13_098, 52_395)


def test_texts_that_differ_in_the_middle_alone_keep_their_own_previews(core):
    one, other = "c" * 200_001, "c" * 100_000 + "d" + "c" * 100_000
    bounded = core.project_update(tool_update(one, rawOutput=other))
    assert ascii_parts(shown_texts(bounded)[0], core) == (13_087, 52_352)
    assert ascii_parts(bounded["rawOutput"], core) == (13_098, 52_395)


def test_if_only_content_is_over_raw_output_stays_whole(core):
    text = "e" * 65_500
    update = tool_update(text, rawOutput=text)
    bounded = core.project_update(update)
    assert bounded["rawOutput"] is text
    assert bounded["content"] is not update["content"]


@pytest.mark.parametrize("character", list('a"\\\n\x00\x1f\x7f\x80é汉\u2028\ud800\udfff😀'))
@pytest.mark.parametrize("ensure_ascii", [False, True])
def test_case_7_below_at_and_above_the_budget_in_each_class(core, character, ensure_ascii):
    size = slow.character_bytes(character, ensure_ascii)
    projector = core.Projector(ensure_ascii=ensure_ascii)
    for structure, project, field_of in (
        (2, projector.project_text, str),
        (56, projector.project_content, lambda text: [block(text)]),
    ):
        count, padding = divmod(65_536 - structure, size)
        text = character * count + "x" * padding
        for at_most in (text[:-1], text):
            field = field_of(at_most)
            assert len(wire_bytes(field, ensure_ascii)) <= 65_536
            assert project(field) is field
        over = field_of(text + "x")
        assert len(wire_bytes(over, ensure_ascii)) == 65_537
        assert len(wire_bytes(project(over), ensure_ascii)) <= 65_536


@pytest.mark.parametrize(
    ("character", "bytes_each"),
    [("\x00", 6), ('"', 2), ("\\", 2)],
)
def test_case_13_what_escaping_adds_is_counted(core, character, bytes_each):
    for count in (8_192, 20_000, 32_767, 40_000):
        text = character * count
        fits = count * bytes_each + 2 <= 65_536
        assert (core.Projector().project_text(text) is text) == fits
        assert core.json_size(text) == count * bytes_each + 2


@pytest.mark.parametrize("character", ["😀", chr(0xD83D) + chr(0xDE00)])
def test_cases_8_and_9_every_cut_position_leaves_characters_whole(core, character):
    # Case 9 gives the two surrogates as two code points: twelve bytes that are never parted.
    for offset in range(14):
        text = "x" * offset + character * 300 + "x" * offset
        for budget in range(97, 140):
            shown = core.Projector(budget).project_text(text)
            head, tail = shown.split(core.MARKER)
            assert (head + tail).replace(character, "").strip("x") == ""
            assert len(wire_bytes(shown)) <= budget


@pytest.mark.parametrize("budget", [97, 98, 120, 200])
def test_case_14_the_marker_is_inside_the_smallest_budgets(core, budget):
    projector = core.Projector(budget)
    bounded = projector.project_update(tool_update("f" * 500, rawOutput="g" * 500))
    for field in ("content", "rawOutput"):
        assert json.dumps(core.MARKER)[1:-1].encode() in wire_bytes(bounded[field])
        assert len(wire_bytes(bounded[field])) == budget


def test_of_equal_oversized_blocks_682_survive_and_683_collapse(core):
    collapsed = [block(core.MARKER)]
    assert len(core.Projector().project_content([block("h" * 500)] * 682)) == 682
    assert core.Projector().project_content([block("h" * 500)] * 683) == collapsed
    assert core.Projector().project_content([block("")] * 1_192) == collapsed
    empty = [block("")] * 1_191
    assert core.Projector().project_content(empty) is empty


def test_a_collapse_never_shares_its_block(core):
    content = [block("i" * 500)] * 700
    one, other = (core.Projector().project_content(content) for _ in range(2))
    one[0]["content"]["text"] = "changed by a client"
    assert other == [block(core.MARKER)]


def test_small_blocks_stay_whole_beside_a_huge_one(core):
    small = [block("j" * 1_000), block("k" * 20_000)]
    bounded = core.Projector().project_content([small[0], block("l" * 10**6), small[1]])
    assert bounded[0] is small[0]
    assert bounded[2] is small[1]
    assert len(wire_bytes(bounded)) == 65_536


def test_text_that_holds_the_marker_has_no_special_meaning(core):
    small = "m" + core.MARKER + "n"
    assert core.Projector().project_text(small) is small
    big = core.MARKER * 3_000
    assert core.Projector().project_text(big) == slow.preview(big, 65_534, ensure_ascii=False)


def test_case_5_a_growing_buffer_is_bounded_each_time(core):
    buffer = ""
    for _ in range(1_000):
        buffer += "progress: \u2588" * 10
        update = core.project_update(tool_update(buffer, rawOutput=buffer, status="in_progress"))
        assert core.json_size(update["rawOutput"]) <= 65_536
        assert len(wire_bytes(update["content"])) <= 65_536


def test_one_byte_over_budget_for_the_native_serializer_is_over(core, monkeypatch):
    projection = core.module("projection")
    update = tool_update("o" * 70_000)
    monkeypatch.setattr(projection, "payload_bytes", lambda *_: 65_536 - 56)
    assert core.project_update(update)["content"] != [block(core.MARKER)]
    monkeypatch.setattr(projection, "payload_bytes", lambda *_: 65_536 - 55)
    assert core.project_update(update)["content"] == [block(core.MARKER)]
    monkeypatch.setattr(projection, "payload_bytes", lambda *_: 65_536 - 2)
    assert core.Projector().project_text("o" * 70_000) != core.MARKER
    monkeypatch.setattr(projection, "payload_bytes", lambda *_: 65_536 - 1)
    assert core.Projector().project_text("o" * 70_000) == core.MARKER


def test_exemption_is_asked_for_only_once_something_would_change(core, monkeypatch):
    projection = core.module("projection")
    asked = []
    monkeypatch.setattr(projection, "is_a2ui", lambda update: asked.append(update) or True)
    small = tool_update("small", rawOutput="small", _meta={"serverId": "a2ui"})
    assert core.project_update(small) is small
    assert asked == []
    large = tool_update("o" * 70_000)
    assert core.project_update(large) is large
    assert asked == [large]


def test_a_result_over_budget_for_the_native_serializer_collapses(core, monkeypatch):
    # Cannot happen while the kernels are right; the check is what makes that no matter of trust.
    projection = core.module("projection")
    seen = []
    projector = core.Projector(observer=seen.append)
    monkeypatch.setattr(projection, "payload_bytes", lambda *_: 65_535)
    bounded = projector.project_update(tool_update("o" * 70_000, rawOutput="p" * 70_000))
    assert bounded["content"] == [block(core.MARKER)]
    assert bounded["rawOutput"] == core.MARKER
    assert [(one.field, one.collapsed, one.bytes_after) for one in seen] == [
        ("content", True, 97),
        ("rawOutput", True, 43),
    ]
