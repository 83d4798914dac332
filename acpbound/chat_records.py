"""qwen-code's ChatRecords, read as the session updates that their agent sent.

Strategy: one record in, the updates it stands for out, in the shapes that qwen-code itself sends
when it loads a session. Nothing is remembered from record to record, so that a page can begin
anywhere.

Rules: ``system`` records and parts that are neither text nor calls stand for no update; texts pass
whole, bounding comes later; a record that does not have the form is refused, never guessed at.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from acpbound.chat_fields import (
    UnconvertibleError,
    object_of,
    parts_of,
    string_of,
    timestamp_of,
    tool_meta,
)
from acpbound.chat_results import tool_result

Update = dict[str, Any]

# qwen-code's built-in tools by what ACP calls their kind; all others are "other".
_KINDS: Final = {
    "edit": "edit",
    "exit_plan_mode": "switch_mode",
    "glob": "search",
    "grep_search": "search",
    "list_directory": "search",
    "read_file": "read",
    "read_many_files": "read",
    "run_shell_command": "execute",
    "save_memory": "think",
    "todo_write": "think",
    "web_fetch": "fetch",
    "web_search": "search",
    "write_file": "edit",
}

# ACP's words for the counts of a usageMetadata.
_USAGE: Final = {
    "inputTokens": "promptTokenCount",
    "outputTokens": "candidatesTokenCount",
    "totalTokens": "totalTokenCount",
    "thoughtTokens": "thoughtsTokenCount",
    "cachedReadTokens": "cachedContentTokenCount",
}


def updates_of(record: dict[str, Any]) -> list[Update]:
    """The updates that a ChatRecord stands for, in order. Raises UnconvertibleError."""
    kind = record.get("type")
    if kind == "user":
        return [*_messages(record, "user_message_chunk")]
    if kind == "assistant":
        return [*_messages(record, "agent_message_chunk"), *_usage(record)]
    if kind == "tool_result":
        return [tool_result(record)]
    if kind == "system":
        return []
    raise UnconvertibleError("its type is none of user, assistant, tool_result and system")


def _messages(record: dict[str, Any], kind: str) -> Iterator[Update]:
    """Text parts as chunks and calls as ``tool_call``."""
    message = object_of(record.get("message"), "message")
    for index, part in enumerate(parts_of(message.get("parts"))):
        text = part.get("text")
        if isinstance(text, str) and text:
            is_thought = part.get("thought") is True and kind == "agent_message_chunk"
            chunk: Update = {
                "sessionUpdate": "agent_thought_chunk" if is_thought else kind,
                "content": {"type": "text", "text": text},
            }
            meta = timestamp_of(record)
            yield {**chunk, "_meta": meta} if meta else chunk
        if part.get("functionCall") is not None:
            call = object_of(part["functionCall"], "functionCall")
            yield _tool_call(record, call, f"{record.get('uuid')}-{index}")


def _tool_call(record: dict[str, Any], call: dict[str, Any], default_id: str) -> Update:
    tool = string_of(call.get("name"))
    arguments = object_of(call.get("args"), "args")
    description = string_of(arguments.get("description")).strip()
    return {
        "sessionUpdate": "tool_call",
        "toolCallId": string_of(call.get("id")) or default_id,
        "status": "in_progress",
        "title": f"{tool}: {description}" if description else tool,
        "content": [],
        "locations": [],
        "kind": _KINDS.get(tool, "other"),
        "rawInput": arguments,
        "_meta": tool_meta(record, tool),
    }


def _usage(record: dict[str, Any]) -> Iterator[Update]:
    """The empty chunk in whose ``_meta`` qwen-code reports what an answer used."""
    counts = object_of(record.get("usageMetadata"), "usageMetadata")
    usage = {name: counts[key] for name, key in _USAGE.items() if key in counts}
    if usage:
        yield {
            "sessionUpdate": "agent_message_chunk",
            "content": {"type": "text", "text": ""},
            "_meta": {"usage": usage},
        }
