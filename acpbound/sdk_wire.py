"""What the official SDK writes of a session update, and by which names.

Strategy: only the SDK knows what it writes: it leaves out what is null and keys that it does not
know. So its own serializer is asked, for the fields in question alone, which copies no text.

Rules: names that all versions from 0.8 on have; models are read where pydantic writes from, their
``__dict__``, so that a subclass cannot show one thing and write another; nothing is changed.
"""

from __future__ import annotations

from typing import Any, Final

from acp.schema import (
    SessionNotification,
    ToolCallProgress,
    ToolCallStart,
)
from acp.utils import serialize_params
from pydantic_core import to_jsonable_python

from acpbound.contract import CONTENT, RAW_OUTPUT

_META: Final = "_meta"
#: Names of the SDK's models where they differ from the wire's; a dict may use either.
MODEL_KIND: Final = "session_update"
MODEL_RAW_OUTPUT: Final = "raw_output"
MODEL_NAMES: Final = {
    CONTENT: CONTENT,
    "rawInput": "raw_input",
    RAW_OUTPUT: MODEL_RAW_OUTPUT,
    _META: "field_meta",
}
_OTHER_NAMES: Final = {MODEL_KIND, *MODEL_NAMES.values()} - {CONTENT}


def written_fields(update: Any, fields: list[str]) -> dict[str, Any]:
    """What the SDK writes of a model, as far as these fields and the exemption need it."""
    values = update.__dict__
    # The connection declares these two classes: of a subclass it writes their fields and no more.
    model = ToolCallStart if isinstance(update, ToolCallStart) else ToolCallProgress
    needed = (MODEL_KIND, *(MODEL_NAMES[field] for field in fields))
    part = model.model_construct(
        tool_call_id="", title="", **{name: values.get(name) for name in needed}
    )
    notification = SessionNotification.model_construct(session_id="", update=part)
    written: dict[str, Any] = serialize_params(notification)["update"]
    # The exemption looks at words in it, whatever else it holds.
    written.setdefault(_META, values.get(MODEL_NAMES[_META]))
    return written


def in_wire_names(update: dict[str, Any]) -> bool:
    """Whether a dict uses the wire's names, and not those of the SDK's models."""
    return _OTHER_NAMES.isdisjoint(update)


def name_in(update: dict[str, Any], field: str) -> str:
    """The name that a field has in a dict, where the wire's goes before the model's."""
    return field if dict.__contains__(update, field) else MODEL_NAMES[field]


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
