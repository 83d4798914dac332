"""Where the agents of 2026 put a tool's text: updates of each shape around a text of ours."""

from tests.strategies import block, tool_update

SHAPES = {
    "raw object, output and metadata": lambda text: {
        "rawOutput": {"output": text, "metadata": {"output": text, "exit": 0, "truncated": False}}
    },
    "raw object, three times the same": lambda text: {
        "rawOutput": {
            "stdout": text,
            "aggregated_output": text,
            "formatted_output": text,
            "exit_code": 0,
            "duration": {"secs": 1, "nanos": 5},
        }
    },
    "raw object, tool protocol content": lambda text: {
        "rawOutput": {"result": {"content": [{"type": "text", "text": text}], "isError": False}}
    },
    "raw array of texts": lambda text: {"rawOutput": [{"type": "text", "text": text}]},
    "raw object, file": lambda text: {"rawOutput": {"filePath": "/tmp/x.txt", "content": text}},
    "meta, terminal output": lambda text: {
        "_meta": {"terminal_output": {"terminal_id": "t-1", "data": text}}
    },
    "meta, terminal output delta": lambda text: {
        "_meta": {"terminal_output_delta": {"terminal_id": "t-1", "data": text}}
    },
    "meta, tool response": lambda text: {
        "_meta": {
            "claudeCode": {
                "toolName": "Bash",
                "toolResponse": {"stdout": text, "stderr": "", "interrupted": False},
            }
        }
    },
    "raw input of a write": lambda text: {"rawInput": {"file_path": "/tmp/y.txt", "content": text}},
    "content with an annotated block": lambda text: {
        "content": [
            {"type": "content", "content": {"type": "text", "text": text, "annotations": None}},
            block("small"),
        ]
    },
    "content with a block of some priority": lambda text: {
        "content": [
            {
                "type": "content",
                "content": {"type": "text", "text": text, "annotations": {"priority": 1.0}},
            },
            block("small"),
        ]
    },
    "content beside a diff": lambda text: {
        "content": [block(text), {"type": "diff", "path": "p", "oldText": None, "newText": "n"}]
    },
}

TEXTS = {
    "ascii": "line of output\n" * 33_400,
    "quotes": 'a "quoted" \\ path\t' * 27_800,
    "cjk": "\u6c49\u5b57" * 83_400,
}


def shaped_update(shape, text, kind="tool_call_update"):
    return tool_update(**SHAPES[shape](text), sessionUpdate=kind, title="a title that stays")


KINDS = ("tool_call_update", "tool_call")


def every_shape():
    """Each shape around each text, of both kinds: the field's name and the update."""
    for shape in SHAPES:
        for text in TEXTS.values():
            for kind in KINDS:
                yield field_of(shape), shaped_update(shape, text, kind)


def field_of(shape):
    (field,) = SHAPES[shape]("")
    return field
