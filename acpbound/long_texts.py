"""The long texts of a line, read without their middle.

Strategy: a text far over the budget leaves as a preview, which shows some of its head and its tail.
So its end is found and its form checked by the kernel, in one pass without a copy, and only the two
ends are decoded. What stands for the text from then on is its head and tail in one string.

Rules: a stand-in begins and ends as the text does, each end with more payload than the budget, so
every projection makes of it what it makes of the text; a text that is no JSON is refused, in its
middle as well; where two texts of an update might be compared, and are not the same as written,
they are decoded whole. Only strings in the two fields of the contract are ever replaced.
"""

from __future__ import annotations

import re
from json import JSONDecoder
from typing import Any, Final, NamedTuple

from acpbound._core import canonical_texts, payload_size, string_end
from acpbound.contract import CONTENT, RAW_OUTPUT

#: More than the margin that a cut is moved by, or that a pair of escapes parted by it can take.
_MARGIN: Final = 64

#: A text that is written shorter than this many ends is decoded whole.
_LEAST_ENDS: Final = 3

#: The longest escape, and the least payload of one: a cut end of this many budgets is enough.
_LONGEST_ESCAPE: Final = 6

#: Payload bytes that a code point can take.
_LONGEST: Final = 12

#: Short texts in front of a long one for which an array of blocks is still read block by block.
_SHORT_BLOCKS: Final = 8

#: No serializer writes less payload than this one.
_ENSURE_ASCII: Final = False

_opening_of_block = re.compile(
    r"""\s*\{\s*(?P<outer>"type"\s*:\s*"content"\s*,\s*)?"content"\s*:\s*"""
    r"""\{\s*(?P<inner>"type"\s*:\s*"text"\s*,\s*)?"text"\s*:\s*(?=")""".replace(r"\s", "[ \t\n\r]")
).match
_closing_of_block = re.compile(
    r"""\s*(?P<inner>,\s*"type"\s*:\s*"text"\s*)?\}\s*(?P<outer>,\s*"type"\s*:\s*"content"\s*)?\}"""
    r"""\s*(?P<next>[],])""".replace(r"\s", "[ \t\n\r]")
).match


_decode = JSONDecoder().raw_decode


def _decoded(text: str, index: int = 0) -> str:
    """The string that begins at ``index``."""
    value: str = _decode(text, index)[0]
    return value


class _Literal(NamedTuple):
    """A long text as it is written, quotes included, and what stands for it."""

    start: int
    end: int
    stand_in: str


def _cut(text: str, at: int) -> int:
    """A place at ``at`` or a few before it where no escape is cut; -1 if none is found."""
    for place in range(at, at - _MARGIN // 2, -_LONGEST_ESCAPE):
        backslash = text.rfind("\\", place - _LONGEST_ESCAPE, place)
        if backslash < 0:
            return place
        # An escape begins here, unless this one is escaped itself.
        if text[backslash - 1] != "\\":
            return backslash
    return -1


class LongTexts:
    """Reads the members of a line's updates; ``budget`` is that of each field, in bytes."""

    def __init__(self, text: str, budget: int) -> None:
        self._text = text
        self._budget = budget
        self._end = budget + _MARGIN
        self._literals: list[_Literal] = []

    def member(self, key: str, index: int) -> tuple[Any, int] | None:
        """A member's value that begins at ``index``, and its end; None if it is not read here.

        Raises ValueError if it is no JSON.
        """
        if len(self._text) - index > _LEAST_ENDS * self._end:
            opening = self._text[index]
            if key == RAW_OUTPUT and opening == '"':
                return self._string(index)
            if key == CONTENT and opening == "[":
                return self._content(index)
        return None

    def settle(self, update: dict[str, Any]) -> None:
        """Decode the texts of ``update`` that a projection might compare with each other."""
        content, raw_output = update.get(CONTENT), update.get(RAW_OUTPUT)
        texts = canonical_texts(content)
        if texts is None or len(texts) != 1 or not isinstance(raw_output, str):
            return
        # The same as written is the same object; what is surely within the budget is not compared.
        if texts[0] is raw_output or _LONGEST * min(len(texts[0]), len(raw_output)) <= self._budget:
            return
        update[RAW_OUTPUT] = self._whole(raw_output)
        if (whole := self._whole(texts[0])) is not texts[0]:
            update[CONTENT][0]["content"]["text"] = whole

    def _whole(self, text: str) -> str:
        for literal in self._literals:
            if literal.stand_in is text:
                return _decoded(self._text, literal.start)
        return text

    def _string(self, index: int) -> tuple[str, int]:
        text = self._text
        if self._literals:
            # Agents send the same text twice.
            start, end, stand_in = self._literals[-1]
            if text.startswith(text[start : start + _MARGIN], index) and text.startswith(
                text[start:end], index
            ):
                return stand_in, index + end - start
        end = string_end(text, index)
        if end < 0:
            raise ValueError("no JSON string")
        ends = self._ends_of(index, end)
        if ends is None:
            return _decoded(text, index), end
        self._literals.append(_Literal(index, end, ends))
        return ends, end

    def _ends_of(self, start: int, end: int) -> str | None:
        """The head and the tail of a text; None if it has to be decoded whole."""
        # What is written in escapes takes up to six times the characters for the same payload.
        # The second time it is always enough.
        for size in (self._end, self._end * _LONGEST_ESCAPE):  # pragma: no branch
            if end - start < _LEAST_ENDS * size:
                break
            head_end, tail_start = _cut(self._text, start + size), _cut(self._text, end - size)
            if head_end < 0 or tail_start < 0:
                break
            head = _decoded(f'{self._text[start:head_end]}"')
            tail = _decoded(f'"{self._text[tail_start:end]}')
            least = min(payload_size(each, self._end, _ENSURE_ASCII) for each in (head, tail))
            if least > self._budget + _LONGEST:
                return head + tail
        return None

    def _content(self, index: int) -> tuple[list[Any], int] | None:
        """An array of text blocks that is written as serializers write it."""
        blocks: list[Any] = []
        short = _SHORT_BLOCKS
        while opening := _opening_of_block(self._text, index + 1):
            long = len(self._literals)
            value, end = self._string(opening.end())
            short -= len(self._literals) == long
            closing = _closing_of_block(self._text, end)
            if short < 0 or closing is None:
                break
            if any((opening[key] is None) is (closing[key] is None) for key in ("outer", "inner")):
                break
            text = {"type": "text", "text": value}
            block = {"type": "content", "content": text}
            # A block that stays is written as it came.
            if opening["inner"] is None:
                text["type"] = text.pop("type")
            if opening["outer"] is None:
                block["type"] = block.pop("type")
            blocks.append(block)
            if closing["next"] == "]":
                return blocks, closing.end()
            index = closing.end() - 1
        return None
