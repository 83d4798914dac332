"""Hypothesis strategies for lines of a wire: frames in odd forms, valid, damaged, or neither."""

import json
import struct

from hypothesis import strategies as st

from tests.strategies import any_character, boundary_character

space = st.sampled_from(["", "", "", " ", "\t", "\r", "\n ", "  "])
numbers = st.sampled_from(
    ["0", "-0", "-0.0", "1.0", "1e400", "-1E-400", "18446744073709551616", "9" * 5000, "1.10"]
)
constants = st.sampled_from(["true", "false", "null"])
texts = st.text(any_character | boundary_character, max_size=12)


@st.composite
def written_string(draw, text=None):
    """A string as somebody may write it: each character raw or in one of its escapes."""
    if text is None:
        text = draw(texts) * draw(st.sampled_from([1, 1, 1, 12, 40]))
    escapes = draw(st.sampled_from(["needed", "all", "some"]))
    out = []
    for i, character in enumerate(text):
        must = character < " " or character in '"\\' or "\ud800" <= character <= "\udfff"
        if must or escapes == "all" or (escapes == "some" and (i * 7 + len(text)) % 3 == 0):
            units = character.encode("utf-16-be", "surrogatepass")
            form = "\\u%04x" if i % 2 else "\\u%04X"
            out += [form % unit for unit in struct.unpack(f">{len(units) // 2}H", units)]
        else:
            out.append(character)
    return f'"{"".join(out)}"'


def _object(draw, members):
    """Members, as (key, text) pairs, in odd spacing."""
    parts = [
        f"{draw(space)}{draw(written_string(key))}{draw(space)}:{draw(space)}{value}{draw(space)}"
        for key, value in members
    ]
    return "{" + ",".join(parts) + "}"


def _array(draw, items):
    return "[" + ",".join(f"{draw(space)}{item}{draw(space)}" for item in items) + "]"


@st.composite
def anything(draw):
    """Any small value."""
    kind = draw(st.integers(0, 5))
    if kind == 0:
        return "[" * 50 + draw(numbers) + "]" * 50
    if kind == 1:
        return _object(draw, [(draw(texts), draw(numbers)), ("a", draw(written_string()))])
    return draw(numbers | constants | written_string())


@st.composite
def content(draw):
    if draw(st.booleans()) and draw(st.booleans()):
        return draw(anything())
    blocks = []
    for _ in range(draw(st.integers(0, 3))):
        inner = [("type", '"text"'), ("text", draw(written_string()))]
        if not draw(st.integers(0, 12)):
            inner.append(("annotations", "null"))
        block = [("type", '"content"'), ("content", _object(draw, draw(st.permutations(inner))))]
        blocks.append(_object(draw, draw(st.permutations(block))))
    return _array(draw, blocks)


@st.composite
def update(draw):
    kind = st.sampled_from(["tool_call_update", "tool_call", "tool_call_update", "plan"])
    members = [("sessionUpdate", draw(written_string(draw(kind))))]
    for _ in range(draw(st.integers(1, 2))):  # keys may come twice
        members += [
            ("content", draw(content())),
            ("rawOutput", draw(written_string() | anything())),
        ]
    if not draw(st.integers(0, 4)):
        tool = draw(st.sampled_from(["mcp__x__present_ui", "present_ui\n", "read"]))
        server = draw(st.sampled_from(["dq-A2UI", "files"]))
        meta = [("toolName", json.dumps(tool)), ("serverId", json.dumps(server))]
        members.append(("_meta", _object(draw, meta)))
    members.append((draw(texts), draw(anything())))
    return _object(draw, draw(st.permutations(members)))


@st.composite
def message(draw):
    place = draw(st.integers(0, 5))
    updates = [draw(update()) for _ in range(draw(st.integers(1, 2)))]
    if place <= 1:
        method = draw(st.sampled_from(["session/update"] * 4 + ["session/request_permission"]))
        params = [("sessionId", '"s"'), ("update", updates[0])]
        members = [("method", draw(written_string(method))), ("params", _object(draw, params))]
        if not draw(st.integers(0, 5)):
            members.append(("params", _object(draw, [("update", updates[-1])])))
    else:
        events = _array(draw, [_object(draw, [("data", text)]) for text in updates])
        stored = _object(draw, [("updates", _array(draw, updates))])
        meta = _object(draw, [("qwen.session.loadReplay", stored)])
        members = {
            2: [("result", stored)],
            3: [("result", _object(draw, [("_meta", meta)]))],
            4: [("result", _object(draw, [("events", events)]))],
            5: [("events", events)],
        }[place]
    members += [("id", draw(numbers)), (draw(texts), draw(anything()))]
    return _object(draw, draw(st.permutations(members)))


@st.composite
def line(draw):
    """A line, with or without its end; damaged now and then."""
    frame = draw(message())
    if not draw(st.integers(0, 6)):
        frame = _array(draw, [frame, draw(message())])
    encoded = (draw(space) + frame + draw(space)).encode().replace(b"\n", b"\t")
    if not draw(st.integers(0, 5)):
        at = draw(st.integers(0, len(encoded) - 1))
        byte = bytes([draw(st.integers(0, 255).filter(lambda value: value != 10))])
        encoded = encoded[:at] + byte + encoded[at + draw(st.integers(0, 1)) :]
    return encoded + draw(st.sampled_from([b"\n", b"\r\n"]))
