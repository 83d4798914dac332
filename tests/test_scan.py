"""Kernel 1: sizes and cuts, against json.dumps and against cuts found one code point at a time."""

import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import slow
from tests.strategies import any_character, any_text, boundary_character, short_text

ensure_ascii_modes = st.booleans()
# Around the sizes at which either implementation changes its step.
lengths = st.sampled_from([1, 15, 16, 17, 255, 256, 257, 511, 513, 4095, 4096, 4097, 9000])


def json_payload(text, ensure_ascii):
    written = json.dumps(text, ensure_ascii=ensure_ascii)
    return len(written.encode("utf-8", "backslashreplace")) - 2


@given(any_text, ensure_ascii_modes)
def test_json_size_is_what_json_dumps_writes(core, text, ensure_ascii):
    size = core.json_size(text, ensure_ascii=ensure_ascii)
    assert size == json_payload(text, ensure_ascii) + 2


@pytest.mark.parametrize("ensure_ascii", [False, True])
def test_json_size_of_every_code_point(core, ensure_ascii):
    for first in range(0, sys.maxunicode + 1, 256):
        text = "".join(map(chr, range(first, first + 256)))
        # The same code points also in the storage that a wider neighbour forces on them.
        for wider in ("", "\u6c49", "\U0001f600"):
            assert core.json_size(text + wider, ensure_ascii=ensure_ascii) == (
                json_payload(text + wider, ensure_ascii) + 2
            ), f"somewhere in U+{first:04X}..U+{first + 255:04X}"
    for code_point in [*range(0x900), *range(0xD7F0, 0xE010), *range(0xFFF0, 0x10010)]:
        character = chr(code_point)
        assert core.json_size(character, ensure_ascii=ensure_ascii) == (
            json_payload(character, ensure_ascii) + 2
        ), f"U+{code_point:04X}"


@pytest.mark.parametrize("ensure_ascii", [False, True])
def test_every_one_byte_character_between_plain_ones_at_every_place_of_a_block(core, ensure_ascii):
    plain = "plain text, " * 64
    for code_point in range(256):
        character = chr(code_point)
        longer = json_payload(character, ensure_ascii) - 1
        for place in (*range(256, 288), 511, 512, 767):
            text = plain[:place] + character + plain[place + 1 :]
            size = core.json_size(text, ensure_ascii=ensure_ascii)
            assert size == 2 + len(plain) + longer, f"U+{code_point:04X} at {place}"


@given(any_text, st.integers(-2, 70_000), ensure_ascii_modes)
def test_payload_is_exact_up_to_the_stop_and_above_it_beyond(core, text, stop, ensure_ascii):
    exact = json_payload(text, ensure_ascii)
    size = core.module("_core").payload_size(text, stop, ensure_ascii)
    assert size == exact if exact <= stop else size > stop


@given(st.data(), any_text, ensure_ascii_modes)
def test_prefix_and_suffix_are_the_longest_that_fit(core, data, text, ensure_ascii):
    budget = data.draw(st.integers(-1, json_payload(text, ensure_ascii) + 2), label="budget")
    kernels = core.module("_core")
    assert kernels.prefix_end(text, budget, ensure_ascii) == (
        slow.prefix_end(text, budget, ensure_ascii)
    )
    assert kernels.suffix_start(text, budget, ensure_ascii) == (
        slow.suffix_start(text, budget, ensure_ascii)
    )


@given(any_character, boundary_character, lengths, st.integers(0, 40), ensure_ascii_modes)
def test_cuts_inside_the_last_block(core, filler, odd, length, back, ensure_ascii):
    text = filler * length + odd + filler * length
    kernels = core.module("_core")
    budget = slow.payload(filler, ensure_ascii) * length + back - 20
    assert kernels.prefix_end(text, budget, ensure_ascii) == (
        slow.prefix_end(text, budget, ensure_ascii)
    )
    assert kernels.suffix_start(text, budget, ensure_ascii) == (
        slow.suffix_start(text, budget, ensure_ascii)
    )


@pytest.mark.parametrize("ensure_ascii", [False, True])
@pytest.mark.parametrize("pair", [(0xD83D, 0xDE00), (0xDBFF, 0xDFFF), (0xD800, 0xDC00)])
def test_a_cut_never_parts_a_high_surrogate_from_the_low_one_after_it(core, pair, ensure_ascii):
    # Two code points, as a Python string can hold them.
    pair = "".join(map(chr, pair))
    kernels = core.module("_core")
    for offset in range(14):
        text = "x" * offset + pair * 300 + "x" * offset
        for budget in range(60):
            end = kernels.prefix_end(text, budget, ensure_ascii)
            start = kernels.suffix_start(text, budget, ensure_ascii)
            assert end == slow.prefix_end(text, budget, ensure_ascii)
            assert start == slow.suffix_start(text, budget, ensure_ascii)
            assert not slow.is_pair(text[end - 1 : end] or "x", text[end])
            assert not slow.is_pair(text[start - 1], text[start : start + 1] or "x")


def test_surrogates_that_are_no_pair_may_be_parted(core):
    kernels = core.module("_core")
    for text in ("\udc00\ud800", "\ud800\ud800", "\udc00\udc00", "a\udc00", "\ud800a"):
        first = slow.payload(text[0], ensure_ascii=False)
        assert kernels.prefix_end(text, first, False) == 1
        last = slow.payload(text[1], ensure_ascii=False)
        assert kernels.suffix_start(text, last, False) == 1


@given(short_text, st.sampled_from([2**31, 2**63 - 1, 2**63, 2**70]), ensure_ascii_modes)
def test_budgets_beyond_any_machine_integer_fit_everything(core, text, budget, ensure_ascii):
    kernels = core.module("_core")
    exact = json_payload(text, ensure_ascii)
    assert kernels.payload_size(text, budget, ensure_ascii) == exact
    assert kernels.prefix_end(text, budget, ensure_ascii) == len(text)
    assert kernels.suffix_start(text, budget, ensure_ascii) == 0
    assert kernels.prefix_end(text, -budget, ensure_ascii) == 0
    assert kernels.suffix_start(text, -budget, ensure_ascii) == len(text)


@pytest.mark.parametrize("wrong", [None, 5, b"bytes", ["text"], 1.5])
def test_json_size_of_what_is_no_string_is_a_type_error(core, wrong):
    with pytest.raises(TypeError):
        core.json_size(wrong)


@given(st.data(), any_text, st.sampled_from(["", '"', '" ', "\x00", "\\", '\\"']))
def test_the_end_of_a_string_is_where_the_decoder_of_json_finds_it(core, data, text, more):
    """As a serializer writes it, or damaged by one character anywhere."""
    written = json.dumps(text, ensure_ascii=data.draw(st.booleans()))[:-1] + more
    if data.draw(st.booleans()):
        at = data.draw(st.integers(0, len(written)))
        damage = data.draw(
            boundary_character | st.sampled_from(["\\u", "\\u00", "\\/", "\\x", "u"])
        )
        written = written[:at] + damage + written[at + data.draw(st.integers(0, 1)) :]
    start = data.draw(st.integers(0, 2))
    try:
        expected = json.JSONDecoder().raw_decode(written, start)[1]
    except ValueError:
        expected = -1
    if written[start : start + 1] != '"':
        expected = -1
    assert core.module("_core").string_end(written, start) == expected


@pytest.mark.parametrize("character", ["a", "\x7f", "é", "汉", "😀", "\ud800", "\u2028"])
@pytest.mark.parametrize("filler", range(36))
def test_the_end_of_a_string_is_found_in_every_place_of_a_block(core, character, filler):
    string_end = core.module("_core").string_end
    text = character * filler
    assert string_end(f'"{text}"', 0) == filler + 2
    assert string_end(f'"{text}\\""{text}', 0) == filler + 4
    assert string_end(f'"{text}\\u00Ff"', 0) == filler + 8
    assert string_end(f'{text}"{text}"', filler) == 2 * filler + 2
    # The lowest byte is that of a quote, a backslash or a control character.
    alike = "\u0122\u015c\u0101\U00010122\U0001015c\U00010101" * 9
    assert string_end(f'"{text}{alike}"', 0) == filler + 56
    assert string_end(f'"{text}', 0) == -1
    for broken in ("\\", "\\u00f", "\\u00fg", "\\a", "\n", "\x00", "\x1f"):
        assert string_end(f'"{text}{broken}', 0) == -1
        assert string_end(f'"{text}{broken}?{text}"', 0) == -1
    # Full-width digits are none, though Python's int takes them.
    assert string_end(f'"{text}\\u\uff10\uff10\uff14\uff11"', 0) == -1


@pytest.mark.parametrize("start", [-3, -1, 3, 4, 2**31, 2**70, -(2**70)])
def test_a_string_that_begins_outside_of_the_text_has_no_end(core, start):
    assert core.module("_core").string_end('"a"', start) == -1
