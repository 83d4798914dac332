"""The native serializer: what json.dumps writes, in the bytes that JSON.stringify writes."""

import json

from hypothesis import given
from hypothesis import strategies as st

from tests import slow
from tests.node import stringified
from tests.strategies import any_text, short_text, wire_bytes

texts = st.lists(short_text | any_text, min_size=1, max_size=5)


@given(texts, st.booleans())
def test_payload_bytes_are_those_of_the_characters(core, texts, ensure_ascii):
    expected = sum(slow.payload(text, ensure_ascii) for text in texts)
    assert core.module("native").payload_bytes(texts, ensure_ascii) == expected


def test_a_surrogate_is_written_as_node_writes_it(core):
    value = {"lone": "\udc00x\ud800", "astral": "😀", "control": "\x00\x7f\u2028"}
    written = core.module("native").json_bytes(value, ensure_ascii=False)
    assert written == wire_bytes(value)
    ((_, by_node),) = stringified([json.dumps(value).encode()])
    assert written.decode() == by_node
