"""A line decoded, with the places where the members of its session updates stand.

Strategy: Python's own JSON decoder reads every value; only the objects and arrays on the way to a
session update are walked here, because the decoder does not tell where in the text a member
stands. Texts far over a budget can be read without their middle (``long_texts``).

Rules: of duplicate keys the last one counts; what is no JSON, NaN and Infinity included, is
refused, never repaired. Numbers are not calculated with, so any number of digits will do.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from acpbound.frames import EACH, UPDATE_PLACES, Path
from acpbound.long_texts import LongTexts
from acpbound.native import refuse_constant


class Span(NamedTuple):
    """A value's place in the decoded line, in code points."""

    start: int
    end: int


_skip_space = re.compile(r"[ \t\n\r]*").match

_Places = dict["str | None", Any]


def _tree_of_places() -> _Places:
    """UPDATE_PLACES as a tree; an empty node is a session update."""
    tree: _Places = {}
    for place in UPDATE_PLACES:
        node = tree
        for step in place:
            node = node.setdefault(step, {})
    # A batch is an array of messages.
    return {**tree, EACH: tree}


class LineReader:
    """Decodes one line and notes where the members of its session updates stand.

    ``number`` makes a number of its characters; by default it is a float. With ``budget``, in
    bytes, a text far over it is decoded only as far from its ends as a preview can show.
    """

    def __init__(
        self, text: str, number: Callable[[str], float] = float, budget: int | None = None
    ) -> None:
        self.text = text
        #: By the path of an update and the key of a member.
        self.spans: dict[Path, dict[str, Span]] = {}
        self._long_texts = None if budget is None else LongTexts(text, budget)
        self._decode = json.JSONDecoder(
            parse_int=number, parse_float=number, parse_constant=refuse_constant
        ).raw_decode

    def frame(self) -> object:
        """The decoded line; ValueError if it is no JSON, RecursionError if nested too deeply."""
        value, end = self._value(self._after_space(0), _PLACES, ())
        if self._after_space(end) != len(self.text):
            raise ValueError("text after the end of the value")
        return value

    def _after_space(self, index: int) -> int:
        match = _skip_space(self.text, index)
        assert match is not None  # the pattern matches the empty string
        return match.end()

    def _at(self, index: int) -> str:
        return self.text[index : index + 1]

    def _value(self, index: int, places: _Places | None, path: Path) -> tuple[Any, int]:
        opening = self._at(index)
        if opening == "{" and places is not None:
            return self._object(index, places, path)
        if opening == "[" and places is not None and EACH in places:
            return self._array(index, places[EACH], path)
        return self._decode(self.text, index)

    def _object(self, index: int, places: _Places, path: Path) -> tuple[dict[str, Any], int]:
        members: dict[str, Any] = {}
        spans: dict[str, Span] = {}
        index = self._after_space(index + 1)
        if self._at(index) != "}":
            while True:
                if self._at(index) != '"':
                    raise ValueError("a key is no string")
                key, index = self._decode(self.text, index)
                start = self._after_space(self._expect(":", self._after_space(index)))
                if places:
                    members[key], index = self._value(start, places.get(key), (*path, key))
                else:
                    members[key], index = self._member(key, start)
                spans[key] = Span(start, index)
                index = self._after_space(index)
                if self._at(index) != ",":
                    break
                index = self._after_space(index + 1)
        if not places:
            self.spans[path] = spans
            if self._long_texts is not None:
                self._long_texts.settle(members)
        return members, self._expect("}", index)

    def _member(self, key: str, index: int) -> tuple[Any, int]:
        """The value of a session update's member."""
        found = None if self._long_texts is None else self._long_texts.member(key, index)
        return self._decode(self.text, index) if found is None else found

    def _array(self, index: int, places: _Places, path: Path) -> tuple[list[Any], int]:
        items: list[Any] = []
        index = self._after_space(index + 1)
        if self._at(index) != "]":
            while True:
                item, index = self._value(index, places, (*path, len(items)))
                items.append(item)
                index = self._after_space(index)
                if self._at(index) != ",":
                    break
                index = self._after_space(index + 1)
        return items, self._expect("]", index)

    def _expect(self, character: str, index: int) -> int:
        if self._at(index) != character:
            raise ValueError(f"{character} is missing")
        return index + 1


_PLACES = _tree_of_places()
