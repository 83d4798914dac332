"""Which session updates, and which of their fields, the contract covers.

Strategy: say yes only to the exact forms that the contract names; whatever is unknown, malformed
or of another kind is not covered and so passes untouched.

Rules: objects and strings are read by their own storage, never by an overridable method; nothing
is changed here.
"""

from __future__ import annotations

from collections.abc import Iterable

from acpbound._core import canonical_texts
from acpbound.contract import CONTENT, RAW_OUTPUT

TYPE_CHECKING = False  # as type checkers know it; importing typing takes longer than all of this
if TYPE_CHECKING:
    from typing import TypeGuard

#: An agent may also send, or replay, a finished call as a single ``tool_call``.
TOOL_CALL_KINDS = ("tool_call_update", "tool_call")

_A2UI_TOOLS = ("present_ui", "present_choices", "a2ui_action")
_A2UI_TOOL_ENDINGS = tuple(f"__{tool}" for tool in _A2UI_TOOLS)


def is_tool_call(update: object) -> TypeGuard[dict[str, object]]:
    """Whether a session update is an object of one of the two kinds that carry tool results."""
    if not isinstance(update, dict):
        return False
    kind = dict.get(update, "sessionUpdate")
    return isinstance(kind, str) and str.__str__(kind) in TOOL_CALL_KINDS


def is_a2ui(update: dict[str, object]) -> bool:
    """Whether a tool call's text carries interface commands that are parsed later.

    True if ``_meta.serverId`` is a string containing ``a2ui`` in any case, or ``_meta.toolName``
    is exactly one of the A2UI tools, alone or after a ``__``. Such an update is exempt as a whole.
    """
    meta = dict.get(update, "_meta")
    if not isinstance(meta, dict):
        return False
    server = dict.get(meta, "serverId")
    if isinstance(server, str) and "a2ui" in str.lower(server):
        return True
    tool = dict.get(meta, "toolName")
    return isinstance(tool, str) and (
        str.__str__(tool) in _A2UI_TOOLS or str.endswith(tool, _A2UI_TOOL_ENDINGS)
    )


def eligible_fields(update: object, also: Iterable[str] = ()) -> list[str]:
    """The fields of an update that are covered, whatever their size.

    Those of the contract come first; then the fields in ``also`` that hold an object or array.
    """
    fields: list[str] = []
    if not is_tool_call(update) or is_a2ui(update):
        return fields
    if canonical_texts(dict.get(update, CONTENT)) is not None:
        fields.append(CONTENT)
    if isinstance(dict.get(update, RAW_OUTPUT), str):
        fields.append(RAW_OUTPUT)
    for field in also:
        if field not in fields and isinstance(dict.get(update, field), (dict, list, tuple)):
            fields.append(field)
    return fields
