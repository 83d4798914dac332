"""The whole line filter, in chunks cut anywhere, against a slow reading of the contract.

What a line becomes is calculated with the tests' own JSON reader (``oracle``) and their own slow
projection (``slow``); of acpbound nothing but the filter is used.
"""

from __future__ import annotations

import json

from tests import slow
from tests.fuzz.material import LINES, WORDS, both
from tests.oracle import BUDGET, bounded_places
from tests.strategies import wire_bytes

__all__ = ["SEEDS", "WORDS", "check"]

_MODULES = both("lines", "chunks", "projection")
SEEDS = [bytes([cut]) + line for line in [*LINES, b"".join(LINES)] for cut in (0, 1, 77)]
#: Nesting at which the slow reader, which recurses, gives up; the filter must only not fail.
_DEEP = 60


def _as_it_should_be(line):
    text_bytes = line.removesuffix(b"\n")
    if len(text_bytes) <= BUDGET:
        return line
    places = bounded_places(line)
    if not places:
        return line
    text = line.decode()
    pieces, done = [], 0
    values = {place: json.loads(text[slice(*place)]) for place in places}
    for place in places:
        pieces += [text[done : place[0]].encode(), wire_bytes(_bounded(values[place]))]
        done = place[1]
    return b"".join([*pieces, text[done:].encode()])


def _bounded(value):
    if isinstance(value, str):
        whole = slow.payload(value, False) + 2 <= BUDGET
        return value if whole else slow.preview(value, BUDGET - 2, False)
    texts = [item["content"]["text"] for item in value]
    shown = slow.content(texts, BUDGET, False)
    if shown is None:
        return value
    if len(shown) != len(value):
        return [_block(text) for text in shown]
    return [
        item if new == old else _block(new)
        for item, old, new in zip(value, texts, shown, strict=True)
    ]


def _block(text):
    return {"type": "content", "content": {"type": "text", "text": text}}


def _depth(line):
    depth = deepest = 0
    for byte in line:
        depth += (byte in b"[{") - (byte in b"]}")
        deepest = max(deepest, depth)
    return deepest


def _through(lines, chunks_module, projection, stream, cut):
    warnings = []
    line_filter = lines.LineFilter(projection.Projector(BUDGET), warnings.append)
    chunks = chunks_module.ChunkFilter(line_filter)
    size = cut or len(stream) or 1
    pieces = [
        bytes(piece)
        for start in range(0, len(stream), size)
        for piece in chunks.feed(stream[start : start + size])
    ]
    output = b"".join([*pieces, *map(bytes, chunks.end())])
    assert len(warnings) <= 1
    assert line_filter.counts.bytes_in == len(stream)
    assert line_filter.counts.bytes_out == len(output)
    return output, warnings


def check(data):
    """The bytes after the first as a stream, in chunks as large as the first one says."""
    cut, stream = (data[0], data[1:]) if data else (0, b"")
    # Single bytes only where that does not take long.
    cut = cut if len(stream) < 400 else cut * 9
    (output, warnings), *others = [_through(*modules, stream, cut) for modules in _MODULES]
    assert all(other == (output, warnings) for other in others)
    assert _through(*_MODULES[1], stream, 0) == (output, warnings)
    if _depth(stream) < _DEEP:
        assert output == b"".join(map(_as_it_should_be, _lines(stream)))
    # What came out needs nothing more.
    assert _through(*_MODULES[0], output, 0)[0] == output


def _lines(stream):
    *whole, rest = stream.split(b"\n")
    return [line + b"\n" for line in whole] + [rest]
