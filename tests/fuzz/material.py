"""What the harnesses share: inputs drawn from bytes, words of the wire, both implementations."""

from __future__ import annotations

import json
from types import ModuleType

from tests.cores import CORES
from tests.strategies import line_of, notification, tool_update

#: What a frame is made of.
WORDS = [
    *(b'"method":"session/update"', b'"params":{', b'"update":{', b'"result":{', b'"updates":['),
    *(b'"_meta":{', b'"qwen.session.loadReplay":{', b'"events":[', b'"data":{'),
    *(b'"sessionUpdate":"tool_call_update"', b'"sessionUpdate":"tool_call"', b'"content":['),
    *(b'{"type":"content","content":{"type":"text","text":"', b'"rawOutput":"', b'"rawInput":{'),
    *(b'"serverId":"a2ui"', b'"toolName":"present_ui"', b"\\ud83d\\ude00", b"\\u6c49", b"\\u0000"),
    *(b'\\"', b"null", b"1e400", b"NaN", b"[[[[", b"}}", b"},{", b"\r\n", "\u6c49".encode()),
    *(
        b"\xf0\x9f\x98\x80",
        b"\xed\xa0\x80",
        b"\xe2\x80\xa8",
        b'"type":"image"',
        b'"mimeType":"a/b"',
    ),
]


class Bytes:
    """Numbers and texts drawn from an input's bytes; zeros and nothing when they are used up."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def number(self, limit: int) -> int:
        """A number below ``limit``, which is at most 65,536."""
        drawn, self._data = self._data[:2], self._data[2:]
        return int.from_bytes(drawn, "little") % limit

    def rest(self) -> bytes:
        """All that is left."""
        drawn, self._data = self._data, b""
        return drawn

    def text(self) -> str:
        """A short text in any storage, surrogates included, repeated now and then."""
        size, mode = self.number(48), self.number(12)
        drawn, self._data = self._data[: 2 * size], self._data[2 * size :]
        if mode % 3 == 0:
            text = drawn.decode("latin-1")
        elif mode % 3 == 1:
            text = drawn.decode("utf-16-le", "replace")
        else:
            # Unit by unit, so that pairs stay in two.
            units = zip(drawn[::2], drawn[1::2], strict=False)
            text = "".join(chr(low + 256 * high) for low, high in units)
        return text * (1, 1, 1, 2, 9, 60)[mode // 2]


def both(*names: str) -> list[list[ModuleType]]:
    """Modules of acpbound by name, on the pure kernels and on the compiled ones."""
    found = []
    for core in CORES.values():
        core.activate()
        try:
            found.append([core.module(name) for name in names])
        finally:
            core.deactivate()
    return found


def outcome(function, *arguments, raised):
    """What a function returns, or the type and the words of an error that it may raise."""
    try:
        return function(*arguments)
    except raised as error:
        return type(error).__name__, str(error)


def frames() -> list[dict]:
    """Frames with updates in every place."""
    update = tool_update('a "q" \u6c49 \\' * 12, "small", rawOutput="line\n" * 40)
    other = tool_update("\U0001f600" * 40, sessionUpdate="tool_call", _meta={"toolName": "read"})
    wide = tool_update(rawOutput={"out": "x" * 200, "n": [1.5, None]}, rawInput={"t": "\x00" * 60})
    return [
        notification(update),
        notification(wide, id=5),
        {"result": {"updates": [update, other]}, "id": 1},
        {"result": {"_meta": {"qwen.session.loadReplay": {"updates": [other]}}}},
        {"result": {"events": [{"data": update}, {"data": wide}]}},
        {"events": [{"data": other}]},
    ]


LINES = [
    *map(line_of, frames()),
    line_of([*frames()[:2], None, 5]),
    json.dumps(frames()[0]).encode() + b"\r\n",
    b'{"a":"\xff"}\n{]\n\n"text"\n' + b"\x0b" * 130,
]
