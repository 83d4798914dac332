"""Exact results of kernels and lines at the edges, which mutation testing found untested."""

import json

from tests import slow
from tests.strategies import wire_bytes


def bound(core, field_json, **options):
    """The JSON that ``field_json`` becomes as the rawOutput of a line."""
    head, tail = b'{"events":[{"data":{"sessionUpdate":"tool_call","rawOutput":', b"}}]}"
    line = core.module("splice").bound_line(head + field_json + tail, core.Projector(**options))
    return line.removeprefix(head).removesuffix(tail)


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


def test_sizes_at_exactly_the_stop(core):
    payload_size = core.module("_core").payload_size
    # As many characters as bytes are allowed, each of two bytes.
    assert payload_size('"' * 5, 5, False) > 5
    assert payload_size('"' * 5, 10, False) == 10
    # The stop is reached at the end of the pure kernel's first chunk, and there is more.
    text = '"' * 4_096 + "a" * 4_000
    assert payload_size(text, 8_192, False) > 8_192
    assert payload_size(text, 12_192, False) == 12_192


def test_cuts_of_a_long_text_with_more_budget_than_it_takes(core):
    kernels = core.module("_core")
    for text in ("a" * 9_000, "\u6c49" * 9_000):
        assert kernels.prefix_end(text, 10**6, False) == 9_000
        assert kernels.suffix_start(text, 10**6, False) == 0


def test_the_ends_of_a_text_are_no_cut_between_surrogates(core):
    kernels = core.module("_core")
    text = "\udc00middle\ud800"
    assert kernels.prefix_end(text, 0, False) == 0
    assert kernels.prefix_end(text, 100, False) == len(text)
    assert kernels.suffix_start(text, 0, False) == len(text)
    assert kernels.suffix_start(text, 100, False) == 0
