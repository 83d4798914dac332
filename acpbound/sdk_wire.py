"""What the SDK writes of a session update, and how long the texts in it are.

Strategy: only the SDK knows what it writes: it leaves out what is null and keys that it does not
know. So its own serializer is asked, for the fields in question alone, which copies no text. Before
that, looking at lengths in the models tells nearly always that there is no need to ask.

Rules: names that all versions from 0.8 on have; models are read where pydantic writes from, their
``__dict__``, so that a subclass cannot show one thing and write another; nothing is changed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any, Final

from acp.schema import (
    AudioContentBlock,
    ContentToolCallContent,
    EmbeddedResourceContentBlock,
    FileEditToolCallContent,
    ImageContentBlock,
    ResourceContentBlock,
    SessionNotification,
    TerminalToolCallContent,
    TextContentBlock,
    ToolCallProgress,
    ToolCallStart,
)
from acp.utils import serialize_params
from pydantic_core import to_jsonable_python

from acpbound.contract import CONTENT, RAW_OUTPUT, structure_bytes

#: Names of the SDK's models where they differ from the wire's; a dict may use either.
MODEL_KIND: Final = "session_update"
MODEL_RAW_OUTPUT: Final = "raw_output"
_MODEL_META: Final = "field_meta"
MODEL_NAMES: Final = {CONTENT: CONTENT, RAW_OUTPUT: MODEL_RAW_OUTPUT}

#: The longest that one code point becomes in JSON: a surrogate pair of escapes.
LONGEST: Final = 12
#: Characters whose longest form makes up for the structure of a block.
_BLOCK_CHARACTERS: Final = -(-structure_bytes(1) // LONGEST)

_TEXTLESS: Final = frozenset(
    {
        AudioContentBlock,
        EmbeddedResourceContentBlock,
        FileEditToolCallContent,
        ImageContentBlock,
        ResourceContentBlock,
        TerminalToolCallContent,
    }
)
#: What never becomes a string on the wire; an iterator must not be consumed to find out.
NEVER_A_STRING: Final = (type(None), dict, list, tuple, int, float, Iterator)


def plain_characters(values: dict[str, Any]) -> int:
    """Code points of both fields, with an allowance for each block; huge if they are not plain."""
    raw_output = values.get(MODEL_RAW_OUTPUT)
    characters = 0
    if raw_output is not None:
        if type(raw_output) is not str:
            return sys.maxsize
        characters = len(raw_output)
    content = values.get(CONTENT)
    if content is not None:
        if type(content) is not list:
            return sys.maxsize
        for block in content:
            if type(block) is not ContentToolCallContent:
                return sys.maxsize
            inner = block.__dict__.get("content")
            if type(inner) is not TextContentBlock:
                return sys.maxsize
            text = inner.__dict__.get("text")
            if type(text) is not str:
                return sys.maxsize
            characters += len(text) + _BLOCK_CHARACTERS
    return characters


def text_of(block: Any) -> object:
    """A block's text, None if it holds none; else (Ellipsis) only the serializer can tell."""
    if type(block) is ContentToolCallContent:
        block = block.__dict__.get("content")
    elif isinstance(block, dict):
        block = dict.get(block, "content")
    if type(block) is TextContentBlock:
        return block.__dict__.get("text")
    if isinstance(block, dict):
        return dict.get(block, "text")
    return None if block is None or type(block) in _TEXTLESS else ...


def written_fields(update: Any, fields: list[str]) -> dict[str, Any]:
    """What the SDK writes of a model, as far as these fields and the exemption need it."""
    values = update.__dict__
    # The connection declares these two classes: of a subclass it writes their fields and no more.
    model = ToolCallStart if isinstance(update, ToolCallStart) else ToolCallProgress
    needed = (MODEL_KIND, _MODEL_META, *(MODEL_NAMES[field] for field in fields))
    part = model.model_construct(
        tool_call_id="", title="", **{name: values.get(name) for name in needed}
    )
    notification = SessionNotification.model_construct(session_id="", update=part)
    written: dict[str, Any] = serialize_params(notification)["update"]
    return written


def in_wire_names(update: dict[str, Any]) -> bool:
    """Whether a dict uses the wire's names, and not those of the SDK's models."""
    return {MODEL_KIND, MODEL_RAW_OUTPUT, _MODEL_META}.isdisjoint(update)


def recorded_form(session_id: str, update: Any) -> dict[str, Any]:
    """An update as a transcript keeps it: a model as the SDK writes it, a dict with all its keys.

    Raises what the SDK raises for an update that it does not know.
    """
    recorded: dict[str, Any]
    if isinstance(update, dict) and in_wire_names(update):
        # Models may stand in it.
        recorded = to_jsonable_python(update, by_alias=True, exclude_none=True)
    else:
        notification = SessionNotification(session_id=session_id, update=update)
        recorded = serialize_params(notification)["update"]
    return recorded
