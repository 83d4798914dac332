"""Records to make histories of, as a store keeps them and as qwen-code writes them."""

import json

TIME = "2026-12-02T08:48:33.306Z"
EPOCH_MS = 1796201313306  # of TIME, as the recording in data/ has it


#: Where a delivered update names its record.
MARK = "qwen.session.recordId"


def chunk(text):
    return {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}


def own_record(number, **members):
    """A record as the store keeps it."""
    record = {"uuid": f"u-{number}", "sessionId": "s", "timestamp": f"t-{number}"}
    return {**record, "update": chunk(f"text {number}"), **members}


def delivered(number):
    """What replay delivers for ``own_record(number)``."""
    return {**chunk(f"text {number}"), "_meta": {MARK: f"u-{number}"}}


def chat_record(kind, *parts, uuid="u-1", timestamp=TIME, **members):
    record = {"uuid": uuid, "parentUuid": None, "sessionId": "s", "timestamp": timestamp}
    record.update(type=kind, cwd="/workspace", version="0.15.10")
    if parts:
        role = "model" if kind == "assistant" else "user"
        record["message"] = {"role": role, "parts": list(parts)}
    return {**record, **members}


def call_part(call_id, name="read_file", **arguments):
    return {"functionCall": {"id": call_id, "name": name, "args": arguments}}


def response_part(call_id, name="read_file", **response):
    return {"functionResponse": {"id": call_id, "name": name, "response": response}}


def result_record(call_id, output, **members):
    result = {"callId": call_id, "status": "success", "resultDisplay": output}
    part = response_part(call_id, output=output)
    return chat_record("tool_result", part, toolCallResult=result, **members)


def write_chat(root, *records, session_id="s"):
    """A project folder's chat file with these records, one a line; returns its path."""
    path = root / "chats" / f"{session_id}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def history_of(core, root, *records, **options):
    """The replay routes over a folder whose session ``s`` has these records."""
    write_chat(root, *records)
    store = core.module("transcript").TranscriptStore(root)
    return core.module("replay").History(store, **options)


def pages_of(history, limit, session_id="s"):
    """All pages of a session, following the cursors."""
    pages = [history.page(session_id, limit=limit)]
    while "nextCursor" in pages[-1]:
        assert pages[-1]["hasMore"]
        assert len(pages) < 1000
        pages.append(history.page(session_id, pages[-1]["nextCursor"], limit))
    assert not pages[-1]["hasMore"]
    return pages


def joined(pages):
    """The updates of some pages, in order."""
    return [event["data"] for page in pages for event in page["events"]]


def long_chat():
    """Records of no, one and several updates, with calls that stay open here and there."""
    yield chat_record("system", subtype="start")
    for turn in range(7):
        yield chat_record("user", {"text": f"do {turn}"}, uuid=f"user-{turn}")
        parts = [{"text": "thinking", "thought": True}, {"text": "now"}]
        calls = [call_part(f"c-{turn}-{n}") for n in range(turn % 4)]
        yield chat_record("assistant", *parts, *calls, uuid=f"agent-{turn}")
        for n in range(turn % 4):
            if (turn, n) not in {(1, 0), (3, 2), (6, 1)}:
                yield result_record(f"c-{turn}-{n}", f"output {turn} {n}", uuid=f"r-{turn}-{n}")
    yield chat_record("system", subtype="end")
