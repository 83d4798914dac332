"""Updates for the tests of the official SDK, by name, in the wire's form; nothing imports acpbound.

The expected previews are found here the slow way: one code point after the other, each measured by
``json.dumps``, which is what the SDK writes with.
"""

import json
from functools import cache

from tests.strategies import block, tool_update

BUDGET = 65_536
MARKER = "\n[... truncated for ACP transport ...]\n"
EMPTY_BLOCK = len('{"type":"content","content":{"type":"text","text":""}}')
STRUCTURE = EMPTY_BLOCK + len("[]")
RESERVE = len(json.dumps(MARKER)) - 2


def ascii_json(value):
    """The bytes that the SDK writes of a value."""
    return json.dumps(value, separators=(",", ":")).encode()


def _characters(text):
    """Code points, a high surrogate and its low one together."""
    characters = []
    for character in text:
        high = characters and len(characters[-1]) == 1 and "\ud800" <= characters[-1] <= "\udbff"
        if high and "\udc00" <= character <= "\udfff":
            characters[-1] += character
        else:
            characters.append(character)
    return characters


def _within(characters, room):
    taken = []
    for character in characters:
        room -= len(json.dumps(character)) - 2
        if room < 0:
            break
        taken.append(character)
    return taken


def slow_preview(text, share):
    """Head, marker and tail of a text in a share of payload bytes."""
    room = share - RESERVE
    head_room = room // 5
    head = _within(_characters(text[:share]), head_room)
    tail = _within(reversed(_characters(text[-share:])), room - head_room)
    return "".join(head) + MARKER + "".join(reversed(tail))


def shown(text, budget=BUDGET):
    """What is left of a large text that is the only block of content, or all of rawOutput."""
    return slow_preview(text, budget - STRUCTURE)


def shown_raw(text, budget=BUDGET):
    return slow_preview(text, budget - 2)


BIG = 'log line with "quotes" and C:\\paths\n' * 5_000
ASCII = "a" * 499_999
CJK = "汉" * 300_000
EMOJI = "😀" * 100_000
DELETES = "\x7f" * 100_000
SURROGATES = "\ud83d\ude00\udc00x\ud800" * 20_000
DIFF = {"type": "diff", "path": "/f", "newText": "n" * 1_000_000}
TERMINAL = {"type": "terminal", "terminalId": "t-1"}
IMAGE = {"type": "content", "content": {"type": "image", "data": "QUJD" * 50_000, "mimeType": "i"}}
A2UI = '[{"beginRendering": {}}]\n' + "prose after it " * 10_000

#: name: (update, the fields that change at the default budget, with their new values when called)
CASES = {
    "content": (tool_update(BIG), lambda: {"content": [block(shown(BIG))]}),
    "rawOutput": (tool_update(rawOutput=BIG), lambda: {"rawOutput": shown_raw(BIG)}),
    "both equal": (
        tool_update(ASCII, rawOutput=ASCII),
        lambda: {"content": [block(shown(ASCII))], "rawOutput": shown(ASCII)},
    ),
    "both, not equal": (
        tool_update(BIG, rawOutput=BIG + "!"),
        lambda: {"content": [block(shown(BIG))], "rawOutput": shown_raw(BIG + "!")},
    ),
    "a small block beside a huge one": (
        tool_update("small", BIG),
        lambda: {
            "content": [
                block("small"),
                block(slow_preview(BIG, BUDGET - STRUCTURE - EMPTY_BLOCK - len(",small"))),
            ]
        },
    ),
    "CJK": (
        tool_update(CJK, rawOutput=CJK + "!"),
        lambda: {"content": [block(shown(CJK))], "rawOutput": shown_raw(CJK + "!")},
    ),
    "emoji": (tool_update(EMOJI), lambda: {"content": [block(shown(EMOJI))]}),
    "U+007F": (tool_update(DELETES), lambda: {"content": [block(shown(DELETES))]}),
    "lone surrogates": (
        tool_update(SURROGATES, rawOutput="!" + SURROGATES),
        lambda: {"content": [block(shown(SURROGATES))], "rawOutput": shown_raw("!" + SURROGATES)},
    ),
    "a tool_call that carries its result": (
        {
            **tool_update(BIG, rawOutput=BIG),
            "sessionUpdate": "tool_call",
            "title": "cat",
            "kind": "read",
        },
        lambda: {"content": [block(shown(BIG))], "rawOutput": shown(BIG)},
    ),
    "1,192 empty blocks": (tool_update(*[""] * 1_192), lambda: {"content": [block(MARKER)]}),
    # What changes nothing:
    "a small lone surrogate": (tool_update("a\ud800b", rawOutput="\udc00"), dict),
    "A2UI by server": (tool_update(A2UI, rawOutput=A2UI, _meta={"serverId": "dq-A2UI"}), dict),
    "A2UI by tool": (tool_update(A2UI, _meta={"toolName": "mcp__ui__present_ui"}), dict),
    "a terminal beside a large text": (
        {**tool_update(), "content": [TERMINAL, block(BIG)], "_meta": {"terminal_output": BIG}},
        dict,
    ),
    "a diff beside a large text": ({**tool_update(), "content": [DIFF, block(BIG)]}, dict),
    "an image": ({**tool_update(), "content": [IMAGE]}, dict),
    "an annotated block": (
        {
            **tool_update(),
            "content": [
                {
                    "type": "content",
                    "content": {"type": "text", "text": BIG, "annotations": {"priority": 1.0}},
                }
            ],
        },
        dict,
    ),
    "an object as rawOutput": (tool_update(rawOutput={"output": BIG, "exit": None}), dict),
    "a message": ({"sessionUpdate": "agent_message_chunk", "content": block(BIG)["content"]}, dict),
}


@cache
def changes(name):
    """The fields of a case that change, with their new values."""
    return CASES[name][1]()


def delivered(name):
    """A case as it should leave, read from JSON: surrogates that make a pair are one code point."""
    return json.loads(json.dumps({**CASES[name][0], **changes(name)}))
