"""The contract again, slowly and obviously: what the tests compare the product with.

Nothing here imports acpbound. Sizes come from ``json.dumps`` of single characters, shares from
handing out single bytes, cuts from trying one code point more.
"""

import json
from functools import cache

MARKER = "\n[... truncated for ACP transport ...]\n"
MARKER_PAYLOAD = 41


@cache
def character_bytes(character, ensure_ascii):
    written = json.dumps(character, ensure_ascii=ensure_ascii)
    return len(written.encode("utf-8", "backslashreplace")) - 2


def payload(text, ensure_ascii):
    return sum(character_bytes(character, ensure_ascii) for character in text)


def is_pair(high, low):
    return "\ud800" <= high <= "\udbff" and "\udc00" <= low <= "\udfff"


def prefix_end(text, budget, ensure_ascii):
    end = 0
    while end < len(text):
        budget -= character_bytes(text[end], ensure_ascii)
        if budget < 0:
            break
        end += 1
    if 0 < end < len(text) and is_pair(text[end - 1], text[end]):
        end -= 1
    return end


def suffix_start(text, budget, ensure_ascii):
    start = len(text)
    while start > 0:
        budget -= character_bytes(text[start - 1], ensure_ascii)
        if budget < 0:
            break
        start -= 1
    if 0 < start < len(text) and is_pair(text[start - 1], text[start]):
        start += 1
    return start


def preview(text, share, ensure_ascii):
    room = share - MARKER_PAYLOAD
    head = text[: prefix_end(text, room // 5, ensure_ascii)]
    tail = text[suffix_start(text, room - room // 5, ensure_ascii) :]
    return head + MARKER + tail


def shares(demands, available, reserve):
    """Pour the bytes one by one, in rounds, to those that want more."""
    granted = [min(demand, reserve) for demand in demands]
    left = available - sum(granted)
    assert left >= 0
    while left and granted != demands:
        for i, demand in enumerate(demands):
            if left and granted[i] < demand:
                granted[i] += 1
                left -= 1
    return granted


def content(texts, budget, ensure_ascii):
    """The texts that canonical content shows; None if they fit as they are."""
    structure = len(json.dumps([_block("") for _ in texts], separators=(",", ":")))
    available = budget - structure
    demands = [payload(text, ensure_ascii) for text in texts]
    if sum(demands) <= available:
        return None
    if sum(min(demand, MARKER_PAYLOAD) for demand in demands) > available:
        return [MARKER]
    return [
        text if demand <= share else preview(text, share, ensure_ascii)
        for text, demand, share in zip(
            texts, demands, shares(demands, available, MARKER_PAYLOAD), strict=True
        )
    ]


def _block(text):
    return {"type": "content", "content": {"type": "text", "text": text}}


def update(given, budget, ensure_ascii):
    """The bounded form of an update whose fields, where present, are eligible; no A2UI."""
    expected = dict(given)
    shown = None
    if "content" in given:
        texts = [item["content"]["text"] for item in given["content"]]
        shown = content(texts, budget, ensure_ascii)
        if shown is not None:
            expected["content"] = [_block(text) for text in shown]
    raw = given.get("rawOutput")
    if raw is not None and payload(raw, ensure_ascii) + 2 > budget:
        expected["rawOutput"] = preview(raw, budget - 2, ensure_ascii)
        if shown is not None and len(given["content"]) == 1 and texts == [raw]:
            expected["rawOutput"] = shown[0]
    return expected
