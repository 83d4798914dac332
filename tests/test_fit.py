"""Kernel 2: which content is canonical, whether it fits, what each block wants."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import slow
from tests.strategies import any_text, block, short_text

few_texts = st.lists(any_text | short_text, max_size=6)
modes = st.booleans()


def canonical_texts(core, content):
    return core.module("_core").canonical_texts(content)


def test_texts_of_canonical_content_are_the_very_strings(core):
    texts = ["", "a" * 3, "\ud800", "😀"]
    found = canonical_texts(core, [block(text) for text in texts])
    assert found == texts
    assert all(one is other for one, other in zip(found, texts, strict=True))
    assert canonical_texts(core, []) == []


def test_key_order_does_not_matter(core):
    reordered = {"content": {"text": "t", "type": "text"}, "type": "content"}
    assert canonical_texts(core, [reordered]) == ["t"]


@pytest.mark.parametrize(
    "item",
    [
        None,
        True,
        5,
        "text",
        b"text",
        [],
        {},
        {"type": "text", "text": "t"},
        {"type": "content", "content": "t"},
        {"type": "content", "content": None},
        {"type": "content", "content": {"type": "text"}},
        {"type": "content", "content": {"type": "text", "text": None}},
        {"type": "content", "content": {"type": "text", "text": 5}},
        {"type": "content", "content": {"type": "text", "text": b"t"}},
        {"type": "content", "content": {"type": "image", "text": "t"}},
        {"type": "content", "content": {"type": "text", "text": "t", "annotations": None}},
        {"type": "content", "content": {"type": "text", "text": "t"}, "_meta": None},
        {"type": "content", "content": {"type": "text", "text": "t", 5: 5}},
        {"type": "Content", "content": {"type": "text", "text": "t"}},
        {"type": b"content", "content": {"type": "text", "text": "t"}},
        {"type": "diff", "path": "p", "oldText": None, "newText": "t"},
        {"type": "terminal", "terminalId": "t"},
        {5: "content", "content": {"type": "text", "text": "t"}},
    ],
)
def test_one_item_of_another_form_makes_all_content_ineligible(core, item):
    assert canonical_texts(core, [item]) is None
    assert canonical_texts(core, [block("t")] * 3 + [item]) is None
    assert canonical_texts(core, [item] + [block("t")] * 3) is None


@pytest.mark.parametrize("content", [None, "text", 5, {}, block("t"), {block("t")["type"]}])
def test_what_is_no_array_is_not_canonical(core, content):
    assert canonical_texts(core, content) is None


@given(few_texts, st.integers(-50, 50), modes)
def test_texts_fit_exactly_up_to_their_payload(core, texts, offset, ensure_ascii):
    total = sum(slow.payload(text, ensure_ascii) for text in texts)
    available = total + offset
    assert core.module("_core").fits(texts, available, ensure_ascii) == (offset >= 0)


@given(few_texts, st.integers(-5, 80_000), st.integers(0, 60), modes)
def test_demands_are_exact_up_to_the_largest_share(core, texts, available, reserve, ensure_ascii):
    payloads = [slow.payload(text, ensure_ascii) for text in texts]
    reserves = [min(payload, reserve) for payload in payloads]
    demands = core.module("_core").demands(texts, available, reserve, ensure_ascii)
    if available < 0 or sum(reserves) > available:
        assert demands is None
        return
    for demand, payload, own_reserve in zip(demands, payloads, reserves, strict=True):
        largest_share = available - sum(reserves) + own_reserve
        assert demand == payload if payload <= largest_share else demand > largest_share
