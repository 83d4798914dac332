"""One session update of the official SDK, a model or a dict, with its display fields bounded.

Strategy: lengths first, which settle nearly every update. A field that could be over its budget is
written by the SDK's own serializer (``sdk_wire``), and ``Projector`` decides on what was written:
so what is eligible here is what would have been eligible on the wire, and so it is with fields that
a user named. The result goes back into the form that was given.

Rules: an update is never mutated; when nothing changes the very object comes back; blocks that keep
their text stay the author's own objects; what the SDK cannot write comes back as it is, so that the
SDK raises its own error.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

from acp.schema import SessionNotification, ToolCallProgress, ToolCallStart
from pydantic import BaseModel, ValidationError

from acpbound.contract import CONTENT
from acpbound.eligibility import TOOL_CALL_KINDS, eligible_fields
from acpbound.projection import Projector
from acpbound.sdk_content import blocks_in_form, text_model
from acpbound.sdk_lengths import Lengths, plain_characters
from acpbound.sdk_wire import MODEL_KIND, MODEL_NAMES, in_wire_names, name_in, written_fields
from acpbound.storage import object_members


@lru_cache(maxsize=256)
def _is_tool_call(model: type) -> bool:
    return issubclass(model, (ToolCallStart, ToolCallProgress))


def _as_it_is(block: Any) -> Any:
    return block


class UpdateProjector:
    """Bounds session updates in the forms that the SDK's ``session_update`` takes."""

    def __init__(self, projector: Projector) -> None:
        self._projector = projector
        self._lengths = Lengths(projector)
        #: An update with no more ``plain_characters`` than this is not changed.
        self.surely_within: Final = self._lengths.surely_within

    def project(self, update: Any) -> Any:
        """The update with its display fields bounded; the very object if nothing changes."""
        if plain_characters(update) <= self.surely_within:
            return update
        model: type = type(update)
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
        fields = self._lengths.oversized_fields(lambda field: values.get(MODEL_NAMES[field]))
        if not fields:
            return update
        bounded = self._bounded(update, fields, values.get(CONTENT), text_model)
        if not bounded:
            return update
        by_name = {MODEL_NAMES[field]: value for field, value in bounded.items()}
        return BaseModel.model_copy(update, update=by_name)

    def _project_dict(self, update: dict[str, Any]) -> dict[str, Any]:
        kind = dict.get(update, "sessionUpdate", dict.get(update, MODEL_KIND))
        if not isinstance(kind, str) or str.__str__(kind) not in TOOL_CALL_KINDS:
            return update
        fields = self._lengths.oversized_fields(
            lambda field: dict.get(update, name_in(update, field))
        )
        if not fields:
            return update
        if in_wire_names(update) and set(fields) <= set(eligible_fields(update)):
            return self._projector.project_update(update)
        try:
            notification = SessionNotification.model_validate({"sessionId": "", "update": update})
        except ValidationError:
            return update  # as it will be when the SDK validates it
        content = dict.get(update, CONTENT)
        bounded = self._bounded(notification.update, fields, content, _as_it_is)
        if not bounded:
            return update
        by_name = {name_in(update, field): value for field, value in bounded.items()}
        return {**object_members(update), **by_name}

    def _bounded(
        self, update: Any, fields: list[str], content: Any, new_block: Callable[[Any], Any]
    ) -> dict[str, Any]:
        """The new values of those fields that change.

        Blocks are in the form that they have in ``content``; a new one is made by ``new_block``.
        """
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
            bounded[CONTENT] = blocks_in_form(
                content, written[CONTENT], projected[CONTENT], new_block
            )
        return bounded
