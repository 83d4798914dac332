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
