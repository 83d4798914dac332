"""A decoded value as JSON again, with its numbers as they were written.

Strategy: strings and constants go through the native serializer one by one; a number that was
decoded as a ``NumberAsWritten`` brings its own characters, since a float would lose digits.

Rules: compact, no recursion, no sorting; for values that were decoded from JSON.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from acpbound.native import compact_json
from acpbound.structure import NumberAsWritten


def _prefixed_members(container: dict[str, Any] | list[Any]) -> Iterator[tuple[str, Any]]:
    """What stands before each member, comma and key, and the member."""
    comma = ""
    if isinstance(container, dict):
        for key, member in container.items():
            yield f"{comma}{compact_json(key, ensure_ascii=False)}:", member
            comma = ","
    else:
        for member in container:
            yield comma, member
            comma = ","


def compact_json_as_written(value: object) -> str:
    """``value`` as compact JSON. A surrogate code point may stand in it as itself."""
    pieces: list[str] = []
    open_containers: list[tuple[Iterator[tuple[str, Any]], str]] = [(iter([("", value)]), "")]
    while open_containers:
        members, closing = open_containers[-1]
        for prefix, member in members:
            pieces.append(prefix)
            if isinstance(member, (dict, list)):
                opening, closing = "{}" if isinstance(member, dict) else "[]"
                pieces.append(opening)
                open_containers.append((_prefixed_members(member), closing))
                break
            is_number = isinstance(member, NumberAsWritten)
            pieces.append(member.written if is_number else compact_json(member, ensure_ascii=False))
        else:
            pieces.append(closing)
            open_containers.pop()
    return "".join(pieces)
