"""Chat files, damaged in any way, through every route: no crash, and pages that add up."""

from __future__ import annotations

import io
import json

from tests.fuzz.material import both
from tests.histories import call_part, chat_record, long_chat, own_record, result_record
from tests.strategies import line_of, wire_bytes

_MODULES = both("replay", "export", "transcript_reader", "projection")
_LIMITS = (1, 4)
SEEDS = [
    b"".join(map(line_of, long_chat()))[:1500],
    b"".join(map(line_of, [own_record(1), own_record(2, agentId="a"), own_record(3, v=2)])),
    line_of(
        chat_record(
            "assistant", {"text": "t", "thought": True}, call_part("c", "edit", description="d")
        )
    )
    + line_of(result_record("c", "x" * 150)),
    line_of(result_record("c", {"fileName": "f", "newContent": "n", "originalContent": None})),
    line_of(chat_record("tool_result", toolCallResult={"callId": "c", "error": {"message": "m"}})),
    line_of(chat_record("assistant", {"text": "t"}, usageMetadata={"promptTokenCount": 5})),
]
WORDS = [
    json.dumps(word).encode() + b":"
    for word in (
        *(
            "uuid",
            "sessionId",
            "timestamp",
            "type",
            "message",
            "parts",
            "text",
            "thought",
            "update",
        ),
        *("functionCall", "functionResponse", "response", "output", "error", "id", "name", "args"),
        *("toolCallResult", "callId", "responseParts", "resultDisplay", "status", "usageMetadata"),
        *("v", "description", "fileName", "newContent", "originalContent", "_meta"),
    )
] + [
    b'"assistant"',
    b'"tool_result"',
    b'"system"',
    b"null",
    b"{}",
    b"[]",
    b"\n",
    b"[[[[",
    b"2026-12-02T08:48:33Z",
]


class _Store:
    def __init__(self, reader, content):
        self._reader, self._content, self.damaged = reader, content, []

    def open(self, session_id):
        file = io.BytesIO(self._content)
        return self._reader.Transcript(file, session_id, "path", self.damaged.append)


def _delivered(modules, content):
    replay, export, reader, projection = modules
    store = _Store(reader, content)
    history = replay.History(store, projection.Projector(120))
    bulk = history.bulk("s")
    _check_pages(history, bulk)
    streamed = []
    try:
        streamed.extend(history.stream("s"))
    except replay.RecordError:
        assert "replayError" in bulk
    assert streamed == bulk["updates"]
    loaded = history.load_updates({"sessionId": "s"})
    assert loaded["updates"] == streamed
    exported = list(export.export_updates(store, "s"))
    return wire_bytes([bulk, loaded, exported])


def _check_pages(history, bulk):
    found = []
    for limit in _LIMITS:
        cursor, updates, errors = None, [], 0
        while True:
            page = history.page("s", cursor, limit)
            assert len(page["events"]) <= limit
            updates += [event["data"] for event in page["events"]]
            if not errors:
                before_first_error = len(updates)
            errors += "replayError" in page
            assert page["hasMore"] == ("nextCursor" in page)
            if not page["hasMore"]:
                break
            assert page["nextCursor"] != cursor
            cursor = page["nextCursor"]
        found.append((updates, errors))
        if not errors:
            assert updates == bulk["updates"]
        else:
            assert updates[:before_first_error] == bulk["updates"]
            assert "replayError" in bulk
    assert all(one == found[0] for one in found)


def check(data):
    """The bytes as a chat file."""
    pure, compiled = [_delivered(modules, data) for modules in _MODULES]
    assert pure == compiled
