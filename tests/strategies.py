"""Hypothesis strategies and small helpers shared by the tests; nothing here imports acpbound."""

import json

from hypothesis import strategies as st

#: All of Unicode: astral, control characters and surrogates (Cs), which st.text() leaves out.
any_character = st.characters(exclude_categories=())

#: Code points at which the size or the storage changes.
boundary_character = st.sampled_from(
    '\x00\x07\b\t\n\x0b\f\r\x0e\x1f !"#[\\]~\x7f\x80\xff\u0100\u07ff\u0800\u2028\ud7ff'
    "\ud800\udbff\udc00\udfff\ue000\ufffd\uffff\U00010000\U0001f600\U0010ffff"
)
short_text = st.text(any_character | boundary_character, max_size=40)

#: One strategy for each storage: one, two and four bytes a code point.
_storages = (
    st.text(st.characters(max_codepoint=0x7F)),
    st.text(st.characters(max_codepoint=0xFF)),
    st.text(st.characters(max_codepoint=0xFFFF, exclude_categories=())),
    st.text(any_character),
)


@st.composite
def long_text(draw, max_repeats=3000):
    """Up to some ten thousand code points, of segments repeated, in any storage."""
    segment = draw(st.sampled_from(_storages)) | st.text(boundary_character, max_size=8)
    parts = draw(st.lists(st.tuples(segment, st.integers(0, max_repeats)), max_size=5))
    return "".join(part[:20] * count for part, count in parts)[:60_000]


any_text = short_text | long_text()


def block(text):
    return {"type": "content", "content": {"type": "text", "text": text}}


def tool_update(*texts, **members):
    """A tool_call_update with one block for each text, and other members."""
    update = {"sessionUpdate": "tool_call_update", "toolCallId": "call-1", "status": "completed"}
    if texts:
        update["content"] = [block(text) for text in texts]
    return {**update, **members}


def notification(update, **members):
    params = {"sessionId": "s-1", "update": update}
    return {"jsonrpc": "2.0", "method": "session/update", "params": params, **members}


def wire_bytes(value, ensure_ascii=False):
    """The JSON of a value as a serializer writes it, surrogates as escapes."""
    text = json.dumps(value, ensure_ascii=ensure_ascii, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace")


def line_of(frame):
    return wire_bytes(frame) + b"\n"
