"""Kernel 2, pure Python: which content is canonical, does it fit, how much does each block want.

Twin of ``_fit_c``: same names, arguments and results (``tests/test_parity.py`` keeps them equal).

Strategy: lengths first. A code point takes at least one byte and at most six (twelve beyond U+FFFF
with ``ensure_ascii``), so a sum of lengths settles most contents without looking at a character.

Rules: no policy here; "array" and "object" mean what a JSON serializer writes as such (list or
tuple, dict, and their subclasses), read by their own storage and never by an overridable method;
scans stop where the answer is known.
"""

from __future__ import annotations

from operator import index as _as_int

from acpbound._scan_py import payload_size

_LONGEST = 6
_LONGEST_ASCII = 12


def _is(value: object, word: str) -> bool:
    # The operator is fast, and of an exact str it is str's own.
    if type(value) is str:
        return value == word
    return isinstance(value, str) and str.__eq__(value, word)


def _pair(value: object) -> dict[object, object] | None:
    """An object of exactly two members as a plain dict, else None."""
    if type(value) is dict:
        return value if len(value) == 2 else None
    if isinstance(value, dict) and dict.__len__(value) == 2:
        return dict(dict.items(value))
    return None


def _block_text(block: object) -> str | None:
    outer = _pair(block)
    if outer is None or not _is(outer.get("type"), "content"):
        return None
    inner = _pair(outer.get("content"))
    if inner is None or not _is(inner.get("type"), "text"):
        return None
    text = inner.get("text")
    return text if isinstance(text, str) else None


def canonical_texts(content: object) -> list[str] | None:
    """The texts of content in which every item is exactly one text block, else None."""
    if isinstance(content, list):
        blocks = list.__iter__(content)
    elif isinstance(content, tuple):
        blocks = tuple.__iter__(content)
    else:
        return None
    texts = []
    for block in blocks:
        text = _block_text(block)
        if text is None:
            return None
        texts.append(text)
    return texts


def fits(texts: list[str], available: int, ensure_ascii: bool) -> bool:
    """Whether the payloads of all texts take at most ``available`` bytes together."""
    left = _as_int(available)
    characters = 0
    for text in texts:
        characters += str.__len__(text)
    if characters > left:
        return False
    if characters * (_LONGEST_ASCII if ensure_ascii else _LONGEST) <= left:
        return True
    for text in texts:
        left -= payload_size(text, left, ensure_ascii)
        if left < 0:
            return False
    return True


def demands(texts: list[str], available: int, reserve: int, ensure_ascii: bool) -> list[int] | None:
    """What each text wants in bytes; None when the reserves alone do not fit.

    Every text keeps ``min(payload, reserve)``. A demand is exact up to the largest share the text
    could get (all that the other reserves leave); beyond that it is any larger value.
    """
    reserves = []
    left = _as_int(available)
    if left < 0:
        return None
    for text in texts:
        own_reserve = min(payload_size(text, reserve, ensure_ascii), reserve)
        left -= own_reserve
        if left < 0:
            return None
        reserves.append(own_reserve)
    return [
        payload_size(text, left + own_reserve, ensure_ascii)
        for text, own_reserve in zip(texts, reserves, strict=True)
    ]
