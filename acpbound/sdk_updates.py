"""One session update of the official SDK, a model or a dict, with its display fields bounded.

Strategy: lengths first, which settle nearly every update. A field that could be over its budget is
written by the SDK's own serializer (``sdk_wire``), and ``Projector`` decides on what was written:
so what is eligible here is what would have been eligible on the wire. The result goes back into the
form that was given.

Rules: an update is never mutated; when nothing changes the very object comes back; blocks that keep
their text stay the author's own objects; what the SDK cannot write comes back as it is, so that the
SDK raises its own error.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from acp.schema import (
    ContentToolCallContent,
    SessionNotification,
    TextContentBlock,
    ToolCallProgress,
    ToolCallStart,
)
from pydantic import BaseModel, ValidationError

from acpbound._core import fits
from acpbound.contract import CONTENT, QUOTES_BYTES, RAW_OUTPUT, structure_bytes
from acpbound.eligibility import TOOL_CALL_KINDS, eligible_fields
from acpbound.projection import Projector
from acpbound.sdk_wire import (
    LONGEST,
    MODEL_KIND,
    MODEL_NAMES,
    MODEL_RAW_OUTPUT,
    NEVER_A_STRING,
    in_wire_names,
    plain_characters,
    text_of,
    written_fields,
)
from acpbound.storage import object_members


@lru_cache(maxsize=256)
def _is_tool_call(model: type) -> bool:
    return issubclass(model, (ToolCallStart, ToolCallProgress))


def _as_it_is(block: Any) -> Any:
    return block


def _as_model(block: Any) -> ContentToolCallContent:
    # Constructed, not validated: the text came out of the SDK and goes back into it.
    text = TextContentBlock.model_construct(type="text", text=block["content"]["text"])
    return ContentToolCallContent.model_construct(type="content", content=text)


def _blocks(
    given: Any, written: list[Any], projected: list[Any], preview_block: Callable[[Any], Any]
) -> list[Any]:
    """The blocks of projected content, those that did not change as they were given."""
    # A collapse leaves one block, and of a dict the SDK may drop some: then all of them are new.
    if not len(given) == len(written) == len(projected):
        return list(map(preview_block, projected))
    return [
        author if before is after else preview_block(after)
        for author, before, after in zip(given, written, projected, strict=True)
    ]


class UpdateProjector:
    """Bounds session updates in the forms that the SDK's ``session_update`` takes.

    Raises ValueError for a projector with ``also``, which would be ignored here.
    """

    def __init__(self, projector: Projector) -> None:
        if projector.also:
            raise ValueError(
                f"also={projector.also} does not reach into the SDK's models; "
                "wrap the transport (BoundedTransport), or run the agent behind acpbound proxy"
            )
        self._projector = projector
        # A shortcut for small updates: the contract's worst cases, 12 bytes a character, suffice.
        self._surely_within = (projector.budget - QUOTES_BYTES) // LONGEST

    def project(self, update: Any) -> Any:
        """The update with its display fields bounded; the very object if nothing changes."""
        model: type = type(update)
        if model is ToolCallProgress or model is ToolCallStart:
            if plain_characters(update.__dict__) <= self._surely_within:
                return update
            return self._project_model(update)
        if _is_tool_call(model):
            return self._project_model(update)
        if isinstance(update, dict):
            return self._project_dict(update)
        return update

    def project_notification(self, notification: Any) -> Any:
        """A ``SessionNotification`` with its update bounded; the very object if nothing changes."""
        projected = self.project(notification.update)
        if projected is notification.update:
            return notification
        return BaseModel.model_copy(notification, update={"update": projected})

    def _project_model(self, update: Any) -> Any:
        # pydantic writes from here; a subclass may hide a field behind an attribute of its own.
        values = update.__dict__
        content = values.get(CONTENT)
        fields = self._maybe_oversized(content, values.get(MODEL_RAW_OUTPUT))
        if not fields:
            return update
        bounded = self._bounded(update, fields, content, _as_model)
        if not bounded:
            return update
        by_name = {MODEL_NAMES[field]: value for field, value in bounded.items()}
        return BaseModel.model_copy(update, update=by_name)

    def _project_dict(self, update: dict[str, Any]) -> dict[str, Any]:
        kind = dict.get(update, "sessionUpdate", dict.get(update, MODEL_KIND))
        if not isinstance(kind, str) or str.__str__(kind) not in TOOL_CALL_KINDS:
            return update
        content = dict.get(update, CONTENT)
        raw_name = RAW_OUTPUT if dict.__contains__(update, RAW_OUTPUT) else MODEL_RAW_OUTPUT
        fields = self._maybe_oversized(content, dict.get(update, raw_name))
        if not fields:
            return update
        if in_wire_names(update) and set(fields) <= set(eligible_fields(update)):
            return self._projector.project_update(update)
        try:
            notification = SessionNotification.model_validate({"sessionId": "", "update": update})
        except ValidationError:
            return update  # as it will be when the SDK validates it
        bounded = self._bounded(notification.update, fields, content, _as_it_is)
        if not bounded:
            return update
        projected = object_members(update)
        if RAW_OUTPUT in bounded:
            projected[raw_name] = bounded.pop(RAW_OUTPUT)
        projected.update(bounded)
        return projected

    def _maybe_oversized(self, content: object, raw_output: object) -> list[str]:
        """The fields that could be over their budget when written."""
        fields = []
        if content is not None and self._content_may_be(content):
            fields.append(CONTENT)
        if raw_output is not None and self._raw_output_may_be(raw_output):
            fields.append(RAW_OUTPUT)
        return fields

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
            return not isinstance(raw_output, NEVER_A_STRING)
        available = self._projector.budget - QUOTES_BYTES
        return not fits([raw_output], available, self._projector.ensure_ascii)

    def _bounded(
        self, update: Any, fields: list[str], content: Any, preview_block: Callable[[Any], Any]
    ) -> dict[str, Any]:
        """The new values of those fields that change; blocks that do not are those of content."""
        try:
            written = written_fields(update, fields)
        except Exception:
            return {}  # nor can the SDK write it, as it is about to say itself
        projected = self._projector.project_update(written)
        bounded = {
            field: projected[field]
            for field in fields
            if projected.get(field) is not written.get(field)
        }
        if CONTENT in bounded:
            blocks = _blocks(content, written[CONTENT], projected[CONTENT], preview_block)
            bounded[CONTENT] = blocks
        return bounded
