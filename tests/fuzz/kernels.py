"""The six kernels, compiled against pure, and both against ``json`` and obvious slow code."""

from __future__ import annotations

from tests import slow
from tests.fuzz.material import Bytes, both
from tests.strategies import block

(_PURE,), (_COMPILED,) = both("_core")
_CHARACTERS = ["a", '"\\\n', "\x00\x1f\x7f", "\xe9", "\u6c49\u07ff", "\ud83d\ude00", "\U0001f600"]

SEEDS = [
    bytes([n, 0, 3, 0, length % 256, length // 256, 20, 0, mode, 0])
    + text.encode("utf-16-le", "surrogatepass")
    for n, text in enumerate(_CHARACTERS)
    for mode in (1, 2, 11)
    for length in (3, 300, 4096)
]
WORDS = [text.encode("utf-16-le", "surrogatepass") for text in _CHARACTERS]


def _same(name, *arguments):
    pure = getattr(_PURE, name)(*arguments)
    compiled = getattr(_COMPILED, name)(*arguments)
    assert type(pure) is type(compiled), (name, arguments)
    return pure, compiled


def check(data):
    """Texts, limits and damaged content made of the bytes, through every kernel."""
    drawn = Bytes(data)
    ensure_ascii = bool(drawn.number(2))
    limit = drawn.number(65_536) - 50
    texts = [drawn.text() for _ in range(1 + drawn.number(3))]
    sizes = [slow.payload(text, ensure_ascii) for text in texts]
    for text, size in zip(texts, sizes, strict=True):
        for stop in (limit, limit % (size + 3) - 1):
            for found in _same("payload_size", text, stop, ensure_ascii):
                assert found == size if size <= stop else found > stop
            for name in ("prefix_end", "suffix_start"):
                pure, compiled = _same(name, text, stop, ensure_ascii)
                assert pure == compiled == getattr(slow, name)(text, stop, ensure_ascii)
    total = sum(sizes)
    for available in (limit, limit % (total + 3) - 1):
        pure, compiled = _same("fits", texts, available, ensure_ascii)
        assert pure is compiled is (total <= available)
        _check_demands(texts, sizes, available, drawn.number(60), ensure_ascii)
    content = [block(text) for text in texts]
    _check_canonical(content, texts)
    _damage(content[drawn.number(len(content))], drawn)
    assert _PURE.canonical_texts(content) == _COMPILED.canonical_texts(content)


def _check_demands(texts, sizes, available, reserve, ensure_ascii):
    pure, compiled = _same("demands", texts, available, reserve, ensure_ascii)
    reserves = [min(size, reserve) for size in sizes]
    left = available - sum(reserves)
    assert (pure is None) == (available < 0 or left < 0)
    for size, own, *wanted in zip(sizes, reserves, pure or (), compiled or (), strict=False):
        for demand in wanted:
            assert demand == size if size <= left + own else demand > left + own


def _check_canonical(content, texts):
    pure, compiled = _same("canonical_texts", content)
    assert pure == compiled == texts
    assert _COMPILED.canonical_texts(tuple(content)) == texts


def _damage(item, drawn):
    inner = item["content"]
    kind = drawn.number(6)
    if kind == 0:
        item["_meta"] = None
    elif kind == 1:
        inner["annotations"] = drawn.text()
    elif kind == 2:
        inner["type"] = drawn.text()
    elif kind == 3:
        inner["text"] = [drawn.number(9), None, b"t", 1.5][drawn.number(4)]
    elif kind == 4:
        item["content"] = [inner, drawn.text(), None][drawn.number(3)]
    else:
        item[drawn.text()] = item.pop("type")
