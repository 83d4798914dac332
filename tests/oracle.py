"""Which parts of a line may change: an independent reading of the contract on its own text."""

from tests.slow_json import NotJsonError, read_json

BUDGET = 120


def _updates(message):
    """The session updates of one message, as Values."""
    found = []

    def follow(value, *way):
        for step in way:
            value = value and value.get(step)
        return value

    method = message.get("method")
    if method and method.text() == "session/update":
        found.append(follow(message, "params", "update"))
    result = message.get("result")
    for array in (
        follow(result, "updates"),
        follow(result, "_meta", "qwen.session.loadReplay", "updates"),
    ):
        found += array.items() if array else []
    for array in (follow(result, "events"), message.get("events")):
        found += [event.get("data") for event in array.items()] if array else []
    return [update for update in found if update and isinstance(update.value, dict)]


def _is_plain_text_block(item):
    content = item.get("content")
    return (
        isinstance(item.value, dict)
        and set(item.value) == {"type", "content"}
        and item.get("type").text() == "content"
        and isinstance(content.value, dict)
        and set(content.value) == {"type", "text"}
        and content.get("type").text() == "text"
        and content.get("text").text() is not None
    )


def _is_exempt(update):
    meta = update.get("_meta")
    server = meta and meta.get("serverId")
    tool = meta and meta.get("toolName")
    return bool(server and "a2ui" in (server.text() or "").lower()) or bool(
        tool
        and (tool.text() or "").rpartition("__")[2]
        in ("present_ui", "present_choices", "a2ui_action")
    )


def bounded_places(line):
    """The (start, end) of each value that may not stay, in code points; None: no such line.

    A value may not stay if its field is eligible and it takes more than BUDGET bytes on the wire.
    """
    try:
        text = line.decode()
        frame = read_json(text)
    except (UnicodeDecodeError, NotJsonError):
        return None
    messages = frame.items() if isinstance(frame.value, list) else [frame]
    places = []
    for update in [found for message in messages for found in _updates(message)]:
        kind = update.get("sessionUpdate")
        if not kind or kind.text() not in ("tool_call", "tool_call_update") or _is_exempt(update):
            continue
        content, raw_output = update.get("content"), update.get("rawOutput")
        fields = []
        if (
            content
            and isinstance(content.value, list)
            and all(map(_is_plain_text_block, content.items()))
        ):
            fields.append(content)
        if raw_output and raw_output.text() is not None:
            fields.append(raw_output)
        places += [
            (field.start, field.end)
            for field in fields
            if len(text[field.start : field.end].encode()) > BUDGET
        ]
    return sorted(places)
