"""Single fields of a ChatRecord, read strictly: absent, of the right form, or refused.

Rules: null counts as absent, as qwen-code writes and reads it; what is of another form than the
format says makes the record unconvertible, and errors never show content.
"""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any, Final

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=timezone.utc)
_MILLISECOND: Final = timedelta(milliseconds=1)


class UnconvertibleError(ValueError):
    """A record that stands for no known update; says why, without its content."""


def object_of(value: object, what: str) -> dict[str, Any]:
    """An object, empty if absent; ``what`` names it in the UnconvertibleError."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise UnconvertibleError(f"its {what} is not an object")
    return value


def parts_of(value: object) -> list[dict[str, Any]]:
    """A message's parts. Raises UnconvertibleError."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise UnconvertibleError("its parts are not an array")
    return [object_of(part, "part") for part in value]


def _epoch_ms(timestamp: object) -> int | None:
    """Milliseconds since 1970 of an ISO 8601 time (UTC if it names no zone), or None."""
    if not isinstance(timestamp, str):
        return None
    try:
        # Python 3.10 does not read the Z.
        time = datetime.fromisoformat(timestamp.replace("Z", "+00:00"))
    except ValueError:
        return None
    return ((time if time.tzinfo else time.replace(tzinfo=timezone.utc)) - _EPOCH) // _MILLISECOND


def timestamp_of(record: dict[str, Any]) -> dict[str, int]:
    """The ``timestamp`` member that a record gives to ``_meta``, if it has a readable one."""
    epoch_ms = _epoch_ms(record.get("timestamp"))
    return {} if epoch_ms is None else {"timestamp": epoch_ms}


def tool_meta(record: dict[str, Any], tool: str) -> dict[str, Any]:
    """``_meta`` of a tool's update; ``mcp__server__tool`` names its server."""
    words = tool.split("__")
    is_mcp = words[0] == "mcp" and len(words) > 2 and words[1] != ""
    source = {"provenance": "mcp", "serverId": words[1]} if is_mcp else {"provenance": "builtin"}
    return {"toolName": tool, **source, **timestamp_of(record)}


def string_of(value: object) -> str:
    """A string, empty if it is anything else."""
    return value if isinstance(value, str) else ""
