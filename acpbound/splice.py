"""Where a field's value stands in a line, and the line with new values in those places.

Strategy: Python's own JSON decoder reads every value; only the objects and arrays on the way to a
session update are walked here, because the decoder does not tell where in the text a member
stands. The line is decoded as strict UTF-8, which loses nothing, so slices of it are the original.

Rules: every byte outside a bounded field's value stays; a field is bounded as it is written, so
one that fits by value but is written longer (an agent's ``\\uXXXX`` escapes) is written again,
same value, as compact UTF-8; of duplicate keys the last one counts; a line that is no JSON object
or array is refused, never repaired. Numbers are read only to be skipped: they become floats, which
takes any number of digits.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple, NoReturn

from acpbound.eligibility import eligible_fields
from acpbound.frames import EACH, UPDATE_PLACES, Path, updates_in
from acpbound.native import compact_json
from acpbound.projection import Projector


class UnreadableLineError(ValueError):
    """A line that is not a JSON-RPC message; says why, without any of its content."""


class Span(NamedTuple):
    """A value's place in the decoded line, in code points."""

    start: int
    end: int


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_decode_value = json.JSONDecoder(parse_int=float, parse_constant=_refuse_constant).raw_decode
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


class _Reader:
    """Decodes one line and notes where the members of its session updates stand."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.spans: dict[Path, dict[str, Span]] = {}

    def frame(self) -> object:
        """The decoded line; ValueError if it is no JSON."""
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
        return _decode_value(self.text, index)

    def _object(self, index: int, places: _Places, path: Path) -> tuple[dict[str, Any], int]:
        members: dict[str, Any] = {}
        spans: dict[str, Span] = {}
        index = self._after_space(index + 1)
        if self._at(index) != "}":
            while True:
                if self._at(index) != '"':
                    raise ValueError("a key is no string")
                key, index = _decode_value(self.text, index)
                start = self._after_space(self._expect(":", self._after_space(index)))
                members[key], index = self._value(start, places.get(key), (*path, key))
                spans[key] = Span(start, index)
                index = self._after_space(index)
                if self._at(index) != ",":
                    break
                index = self._after_space(index + 1)
        if not places:
            self.spans[path] = spans
        return members, self._expect("}", index)

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


def _utf8_length(text: str, span: Span, limit: int) -> int:
    """UTF-8 bytes of a span: exact if above ``limit``, else any value up to it."""
    characters = span.end - span.start
    if characters * 4 <= limit:
        return characters
    return len(text[span.start : span.end].encode())


def bound_line(line: bytes, projector: Projector) -> bytes:
    """The line with every eligible field bounded; the very object if nothing changes.

    ``line`` is one JSON-RPC message or batch in UTF-8. Raises UnreadableLineError if it is
    anything else, or nested deeper than the decoder goes.
    """
    try:
        text = line.decode()
        reader = _Reader(text)
        frame = reader.frame()
    except UnicodeDecodeError:
        raise UnreadableLineError("not UTF-8") from None
    except RecursionError:
        raise UnreadableLineError("nested too deeply") from None
    except ValueError:
        raise UnreadableLineError("not JSON") from None
    if not isinstance(frame, (dict, list)):
        raise UnreadableLineError("not an object")
    rewritten: list[tuple[Span, object]] = []
    for path, update in updates_in(frame):
        projected = projector.project_update(update)
        for field in eligible_fields(update):
            span = reader.spans[path][field]
            changed = projected[field] is not update[field]
            if changed or _utf8_length(text, span, projector.budget) > projector.budget:
                rewritten.append((span, projected[field]))
    if not rewritten:
        return line
    pieces: list[str] = []
    done = 0
    for span, value in sorted(rewritten):
        pieces += (text[done : span.start], compact_json(value, ensure_ascii=False))
        done = span.end
    pieces.append(text[done:])
    # Only new values can hold surrogates here; JSON writes them as this error handler does.
    return "".join(pieces).encode("utf-8", "backslashreplace")
