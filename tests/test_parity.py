"""The twins against each other: signatures, results and exception types.

What the results should be is the business of test_scan and test_fit; here they must be the same.
"""

import inspect
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acpbound import _fit_c, _fit_py, _scan_c, _scan_py
from tests.strategies import any_text, block, boundary_character, short_text

KERNELS = [
    (_scan_py, _scan_c, ("payload_size", "prefix_end", "suffix_start", "string_end")),
    (_fit_py, _fit_c, ("canonical_texts", "fits", "demands")),
]
TWINS = {
    name: (getattr(pure, name), getattr(compiled, name))
    for pure, compiled, names in KERNELS
    for name in names
}
modes = st.booleans()
edge_integers = st.integers(-3, 3) | st.sampled_from(
    [edge + near for edge in (2**15, 2**31, 2**32, 2**63, 2**64, 2**70) for near in (-1, 0, 1)]
)
numbers = st.integers(-10, 70_000) | edge_integers | edge_integers.map(lambda number: -number)


def outcome(function, *arguments):
    """The result, or the type of what was raised."""
    try:
        return function(*arguments)
    except Exception as error:
        return type(error)


def assert_same(name, *arguments):
    pure, compiled = TWINS[name]
    assert outcome(compiled, *arguments) == outcome(pure, *arguments)


@pytest.mark.parametrize("name", TWINS)
def test_signatures_and_docstrings(name):
    pure, compiled = TWINS[name]
    compiled_signature = inspect.signature(compiled)
    pure_signature = inspect.signature(pure)
    assert list(compiled_signature.parameters) == list(pure_signature.parameters)
    for parameter, twin in zip(
        compiled_signature.parameters.values(), pure_signature.parameters.values(), strict=True
    ):
        assert (parameter.kind, parameter.default) == (twin.kind, twin.default)
    assert inspect.getdoc(compiled) == inspect.getdoc(pure)


@pytest.mark.parametrize(("pure", "compiled", "names"), KERNELS)
def test_nothing_else_is_public(pure, compiled, names):
    def functions(module):
        return {
            name
            for name, value in vars(module).items()
            if callable(value)
            and not name.startswith("_")
            and getattr(value, "__module__", None) == module.__name__
        }

    assert functions(compiled) == functions(pure) == set(names)


@given(any_text, numbers, modes)
def test_sizes(text, stop, ensure_ascii):
    pure, compiled = (twin(text, stop, ensure_ascii) for twin in TWINS["payload_size"])
    # Beyond the stop any value will do.
    assert pure == compiled or (pure > stop and compiled > stop)


@given(any_text, numbers, modes)
def test_cuts(text, budget, ensure_ascii):
    assert_same("prefix_end", text, budget, ensure_ascii)
    assert_same("suffix_start", text, budget, ensure_ascii)


@given(any_text, numbers)
def test_string_ends(text, start):
    assert_same("string_end", text, start)
    assert_same("string_end", json.dumps(text, ensure_ascii=False), start)
    assert_same("string_end", json.dumps(text), start)


@given(st.lists(any_text | short_text, max_size=6), numbers, modes)
def test_fits(texts, available, ensure_ascii):
    assert_same("fits", texts, available, ensure_ascii)


@given(st.lists(any_text | short_text, max_size=6), numbers, st.integers(0, 60), modes)
def test_demands(texts, available, reserve, ensure_ascii):
    pure, compiled = (twin(texts, available, reserve, ensure_ascii) for twin in TWINS["demands"])
    if pure is None or compiled is None:
        assert pure is compiled
        return
    reserves = [min(_scan_py.payload_size(t, reserve, ensure_ascii), reserve) for t in texts]
    for wanted, twin, own in zip(pure, compiled, reserves, strict=True):
        largest_share = available - sum(reserves) + own
        assert wanted == twin or (wanted > largest_share and twin > largest_share)


leaves = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), short_text, st.binary(max_size=3)
)
words = st.sampled_from(["type", "content", "text", "_meta"])
values = st.recursive(
    leaves | words,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(words | st.integers() | short_text, inner, max_size=3)
    ),
    max_leaves=8,
)
blocks = short_text.map(block)


@given(values | st.lists(blocks | values, max_size=4) | st.tuples(blocks, blocks))
def test_canonical_texts(content):
    assert_same("canonical_texts", content)


wrong_texts = st.sampled_from([None, 7, 1.5, b"bytes", ["text"], object()])
wrong_numbers = st.sampled_from([None, 1.5, "7", b"7", [7]])


@given(wrong_texts, boundary_character, wrong_numbers, modes)
def test_wrong_types_raise_the_same(wrong_text, text, wrong_number, ensure_ascii):
    for name in ("payload_size", "prefix_end", "suffix_start"):
        assert outcome(TWINS[name][1], wrong_text, 5, ensure_ascii) is TypeError
        assert outcome(TWINS[name][1], text, wrong_number, ensure_ascii) is TypeError
        assert_same(name, wrong_text, 5, ensure_ascii)
        assert_same(name, text, wrong_number, ensure_ascii)
    for arguments in ((wrong_text, 5), (text, wrong_number)):
        assert outcome(TWINS["string_end"][1], *arguments) is TypeError
        assert_same("string_end", *arguments)
    for arguments in (([wrong_text], 5), ([text], wrong_number)):
        assert outcome(TWINS["fits"][1], *arguments, ensure_ascii) is TypeError
        assert_same("fits", *arguments, ensure_ascii)
    assert_same("demands", [wrong_text], 5, 5, ensure_ascii)
    assert_same("demands", [text], wrong_number, 5, ensure_ascii)
    assert_same("demands", [text], 5, wrong_number, ensure_ascii)
