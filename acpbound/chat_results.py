"""What a tool gave back, as ChatRecords keep it: the content and the end of a call.

Strategy: the forms in the order in which qwen-code prefers them: a diff, an error's message, the
parts that the model was given.

Rules: ``rawOutput`` is the record's ``resultDisplay`` as it is, if it has one; texts pass whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from acpbound.chat_fields import UnconvertibleError, object_of, parts_of, string_of, tool_meta
from acpbound.contract import text_block
from acpbound.native import compact_json

#: What a call that never got its result is given as content, at the end of a finished history.
MISSING_RESULT: Final = "No result was recorded for this call: the run probably ended before it."


def missing_result(call: dict[str, Any]) -> dict[str, Any]:
    """The failed update that ends a ``tool_call`` whose result was never recorded."""
    return {
        "sessionUpdate": "tool_call_update",
        "toolCallId": call["toolCallId"],
        "status": "failed",
        "content": [text_block(MISSING_RESULT)],
        "_meta": call["_meta"],
    }


def tool_result(record: dict[str, Any]) -> dict[str, Any]:
    """The ``tool_call_update`` of a ``tool_result`` record. Raises UnconvertibleError."""
    result = object_of(record.get("toolCallResult"), "toolCallResult")
    message = object_of(record.get("message"), "message")
    parts = parts_of(message.get("parts")) or parts_of(result.get("responseParts"))
    responses = [
        object_of(part["functionResponse"], "functionResponse")
        for part in parts
        if part.get("functionResponse") is not None
    ]
    response = responses[0] if responses else {}
    call_id = string_of(result.get("callId")) or string_of(response.get("id"))
    if not call_id:
        raise UnconvertibleError("it names no call")
    has_failed = bool(result.get("error")) or result.get("status") in ("error", "cancelled")
    update: dict[str, Any] = {
        "sessionUpdate": "tool_call_update",
        "toolCallId": call_id,
        "status": "failed" if has_failed else "completed",
        "content": _content(result, parts),
        "_meta": tool_meta(record, string_of(response.get("name"))),
    }
    if "resultDisplay" in result:
        update["rawOutput"] = result["resultDisplay"]
    return update


def _content(result: dict[str, Any], parts: list[dict[str, Any]]) -> list[dict[str, object]]:
    """A diff, or the error's message, or a text block for each part."""
    display = result.get("resultDisplay")
    if isinstance(display, dict) and "fileName" in display and "newContent" in display:
        old, new = display.get("originalContent"), display["newContent"]
        return [
            {
                "type": "diff",
                "path": display["fileName"],
                "oldText": "" if old is None else old,
                "newText": new,
            }
        ]
    error = result.get("error")
    message = error.get("message") if isinstance(error, dict) else error
    if isinstance(message, str) and message:
        return [text_block(message)]
    return [text_block(text) for part in parts for text in _texts(part)]


def _texts(part: dict[str, Any]) -> Iterator[str]:
    text = part.get("text")
    if isinstance(text, str) and text:
        yield text
    if part.get("functionResponse") is not None:
        response = part["functionResponse"].get("response")
        answer = response if isinstance(response, dict) else {}
        for key in ("output", "error"):
            if isinstance(answer.get(key), str):
                yield answer[key]
                return
        if response is not None:
            yield compact_json(response, ensure_ascii=False)
