"""The blocks of ``content`` in the official SDK's forms: models, dicts, or one inside the other.

Strategy: what a block holds is read from the models, which settles nearly every update; only where
that cannot tell does the serializer have to be asked (``sdk_wire``).

Rules: names that all versions from 0.8 on have; models are read where pydantic writes from, their
``__dict__``; a block that keeps its text stays the author's object, and of one that does not only
the models on the way to the text are copied.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from acp.schema import (
    AudioContentBlock,
    ContentToolCallContent,
    EmbeddedResourceContentBlock,
    FileEditToolCallContent,
    ImageContentBlock,
    ResourceContentBlock,
    TerminalToolCallContent,
    TextContentBlock,
)
from pydantic import BaseModel

from acpbound._core import canonical_texts

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


def is_canonical(block: Any) -> bool:
    """Whether a block is surely written in the contract's form: a text and nothing beside it."""
    if type(block) is not ContentToolCallContent:
        return canonical_texts([block]) is not None
    outer = block.__dict__
    inner = outer.get("content")
    return (
        outer.get("field_meta") is None
        and type(inner) is TextContentBlock
        and inner.__dict__.get("annotations") is None
        and inner.__dict__.get("field_meta") is None
    )


def text_model(block: dict[str, Any]) -> ContentToolCallContent:
    """The model of a canonical block."""
    # Constructed, not validated: the text came out of the SDK and goes back into it.
    text = TextContentBlock.model_construct(type="text", text=block["content"]["text"])
    return ContentToolCallContent.model_construct(type="content", content=text)


def _showing(author: Any, shown: dict[str, Any]) -> Any:
    """A block in its author's form, with the text that is shown of it."""
    inner = author.__dict__.get("content") if isinstance(author, ContentToolCallContent) else None
    if not isinstance(inner, TextContentBlock):
        return shown
    text = BaseModel.model_copy(inner, update={"text": shown["content"]["text"]})
    return BaseModel.model_copy(author, update={"content": text})


def blocks_in_form(
    given: Any, written: list[Any], projected: list[Any], new_block: Callable[[Any], Any]
) -> list[Any]:
    """The blocks of projected content in the form given, those that did not change as they were.

    ``written`` is what the SDK writes of ``given``, and ``projected`` what is to be left of it.
    """
    if len(projected) != len(written):
        return list(map(new_block, projected))  # a collapse
    if len(given) != len(written):
        return projected  # of a dict the SDK may drop some blocks
    return [
        author if before is after else _showing(author, after)
        for author, before, after in zip(given, written, projected, strict=True)
    ]
