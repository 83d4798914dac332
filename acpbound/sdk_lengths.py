"""Which fields of an update in the official SDK's forms could be over their budget when written.

Strategy: lengths in the models settle nearly every update, with the contract's worst cases for
small ones and with the scanner for the rest. An object or array is walked by ``structure``, which
stops at the budget. What holds anything that only the serializer knows how to write could be.

Rules: a yes may be wrong, a no never; nothing is changed, and no iterator is used up.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any, Final

from acp.schema import (
    ContentToolCallContent,
    TextContentBlock,
    ToolCallProgress,
    ToolCallStart,
)
from pydantic import BaseModel

from acpbound._core import fits
from acpbound.contract import CONTENT, QUOTES_BYTES, RAW_OUTPUT, structure_bytes
from acpbound.projection import Projector
from acpbound.sdk_content import is_canonical, text_of
from acpbound.sdk_wire import MODEL_RAW_OUTPUT
from acpbound.storage import array_iterator
from acpbound.structure import NotJsonError, TextStructure

#: The longest that one code point becomes in JSON: a surrogate pair of escapes.
_LONGEST: Final = 12
#: Characters whose longest form makes up for the structure of a block.
_BLOCK_CHARACTERS: Final = -(-structure_bytes(1) // _LONGEST)

#: What never becomes a string on the wire; an iterator must not be consumed to find out.
_NEVER_A_STRING: Final = (type(None), dict, list, tuple, int, float, Iterator)


def plain_characters(update: Any) -> int:
    """Code points of both fields of an update, with an allowance for each block.

    Huge if it is no tool call of the SDK's own, or no plain dict, with plain texts. This is all
    that nearly every update costs, so it is written for speed and not for show.
    """
    model = type(update)
    if model is dict:
        return _plain_characters_of_dict(update)
    if model is not ToolCallProgress and model is not ToolCallStart:
        return sys.maxsize
    characters = 0
    try:
        # Attributes are what pydantic writes: no subclass gets here.
        raw_output = update.raw_output
        if raw_output is not None:
            if type(raw_output) is not str:
                return sys.maxsize
            characters = len(raw_output)
        content = update.content
        if content is not None:
            if type(content) is not list:
                return sys.maxsize
            for block in content:
                if type(block) is not ContentToolCallContent:
                    return sys.maxsize
                inner = block.content
                if type(inner) is not TextContentBlock:
                    return sys.maxsize
                text = inner.text
                if type(text) is not str:
                    return sys.maxsize
                characters += len(text) + _BLOCK_CHARACTERS
    except AttributeError:  # of a model that was never validated
        return sys.maxsize
    return characters


def _plain_characters_of_dict(update: dict[str, Any]) -> int:
    if MODEL_RAW_OUTPUT in update:
        return sys.maxsize
    characters = 0
    raw_output = update.get(RAW_OUTPUT)
    if raw_output is not None:
        if type(raw_output) is not str:
            return sys.maxsize
        characters = len(raw_output)
    content = update.get(CONTENT)
    if content is not None:
        if type(content) is not list:
            return sys.maxsize
        for block in content:
            if type(block) is not dict or type(inner := block.get(CONTENT)) is not dict:
                return sys.maxsize
            text = inner.get("text")
            if type(text) is not str:
                return sys.maxsize
            characters += len(text) + _BLOCK_CHARACTERS
    return characters


def _holds_an_iterator(value: Any) -> bool:
    """Whether writing a value, once, would use up an iterator in it."""
    seen: set[int] = set()
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, Iterator):
            return True
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, BaseModel):
            waiting.append(value.__dict__)
        elif isinstance(value, dict):
            waiting.extend(dict.values(value))
        elif isinstance(value, (list, tuple)):
            waiting.extend(array_iterator(value))
    return False


class Lengths:
    """Compares fields with the budget of a projector, as far as that needs no serializer."""

    def __init__(self, projector: Projector) -> None:
        self._projector = projector
        #: With no more ``plain_characters`` than this nothing in an update needs a look.
        self.surely_within: Final = (
            # Of fields that are named besides they tell nothing.
            -1 if projector.also else (projector.budget - QUOTES_BYTES) // _LONGEST
        )

    def oversized_fields(self, value_of: Callable[[str], Any]) -> list[str]:
        """The fields that could be over their budget when written."""
        fields = []
        content = value_of(CONTENT)
        if content is not None and self._content_may_be(content):
            fields.append(CONTENT)
        raw_output = value_of(RAW_OUTPUT)
        if raw_output is not None and self._raw_output_may_be(raw_output):
            fields.append(RAW_OUTPUT)
        for field in self._projector.also:
            if field not in fields and self._structure_may_be(field, value_of(field)):
                fields.append(field)
        return fields

    def _structure_may_be(self, field: str, value: Any) -> bool:
        if value is None or isinstance(value, (str, int, float)):
            return False
        if field == CONTENT:
            return not isinstance(value, list) or not all(map(is_canonical, list.__iter__(value)))
        budget, ensure_ascii = self._projector.budget, self._projector.ensure_ascii
        try:
            structure = TextStructure(value, budget, ensure_ascii)
        except NotJsonError:
            # The SDK may know how to write it: models, dates, bytes.
            return not _holds_an_iterator(value)
        # The SDK may write null for NaN, a byte more, as a value and as a key.
        available = budget - structure.json_bytes - 2 * structure.nodes_visited
        return not fits(structure.texts, available, ensure_ascii)

    def _content_may_be(self, content: object) -> bool:
        if not isinstance(content, list):
            return isinstance(content, tuple)
        texts: list[str] = []
        for block in list.__iter__(content):
            text = text_of(block)
            if isinstance(text, str):
                texts.append(text)
            elif text is not None:
                return True
        available = self._projector.budget - structure_bytes(len(texts))
        return not fits(texts, available, self._projector.ensure_ascii)

    def _raw_output_may_be(self, raw_output: object) -> bool:
        if not isinstance(raw_output, str):
            return not isinstance(raw_output, _NEVER_A_STRING)
        available = self._projector.budget - QUOTES_BYTES
        return not fits([raw_output], available, self._projector.ensure_ascii)
