"""Texts inside an object or array, and the structure around them.

Strategy: one walk in order of appearance, on a stack of its own, adds up the JSON bytes of the
value with its texts empty and notes where each text stands. The bytes bound the walk: every node
takes at least one, so it ends as soon as the structure alone exceeds the limit, however large or
deep the value is. New texts go into copies of the containers on the way to them;
the rest is shared with the value.

Rules: keys, numbers, nesting and order are structure and stay. So are all strings of an object
that carries media, of a diff and of an embedded resource with a ``blob``: cut base64 is destroyed,
a cut diff lies. What a JSON serializer would refuse is no JSON and is left alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from acpbound._core import payload_size
from acpbound.contract import CONTENT, QUOTES_BYTES
from acpbound.native import compact_json
from acpbound.storage import array_items, object_members

_UNCUT_TYPES = ("image", "audio", "diff")
#: How deep the text of a block stands in a ``content`` array: in an item, or in what one wraps.
_ITEM_DEPTH, _WRAPPED_DEPTH = 3, 4


class NumberAsWritten(float):
    """A number of a line, with the characters in which it stands there."""

    __slots__ = ("written",)

    written: str

    def __new__(cls, written: str) -> NumberAsWritten:
        """The number that ``written`` stands for; ValueError if it is none."""
        number = super().__new__(cls, written)
        number.written = written
        return number


class NotJsonError(ValueError):
    """A value that a JSON serializer refuses."""


def _scalar_json(value: object) -> str:
    """The JSON of null, a boolean or a number; NotJsonError for anything else."""
    if isinstance(value, NumberAsWritten):
        return value.written
    if value is None or isinstance(value, (bool, int, float)):
        try:
            return compact_json(value, ensure_ascii=True)
        except ValueError as error:
            raise NotJsonError(str(error)) from None
    raise NotJsonError(f"a {type(value).__name__} has no JSON form")


def _is_type(mapping: dict[Any, Any], words: tuple[str, ...]) -> bool:
    kind = dict.get(mapping, "type")
    return isinstance(kind, str) and str.__str__(kind) in words


def _carries_media(mapping: dict[Any, Any]) -> bool:
    def has(key: str) -> bool:
        return dict.__contains__(mapping, key)

    return (
        _is_type(mapping, _UNCUT_TYPES)
        or (has("mimeType") and (has("data") or has("blob")))
        # An embedded resource; its media type is optional.
        or (has("uri") and has("blob"))
    )


class _Open(NamedTuple):
    """A container that the walk is in."""

    number: int
    has_keys: bool
    is_uncut: bool
    members: Iterator[tuple[Any, Any]]


class TextStructure:
    """An object or array as its texts and the structure around them.

    ``texts`` are in order of appearance; ``json_bytes`` are those of the compact JSON with all
    texts empty. If they exceed ``limit`` the walk ended early, and the texts may be incomplete.
    With ``text_blocks_only`` the texts are those of the text blocks of a ``content`` array, and
    all else is structure.

    Raises NotJsonError if the value holds anything that a JSON serializer refuses.
    """

    def __init__(
        self, value: Any, limit: int, ensure_ascii: bool, *, text_blocks_only: bool = False
    ) -> None:
        self.texts: list[str] = []
        self.json_bytes = 0
        self.nodes_visited = 0
        self._value = value
        self._limit = limit
        self._ensure_ascii = ensure_ascii
        self._text_blocks_only = text_blocks_only
        self._open_ids: set[int] = set()
        # Where each container and each text stands: the number of its parent, and its key there.
        self._containers: list[tuple[int, Any, Any]] = []
        self._places: list[tuple[int, Any]] = []
        self._walk()

    def with_texts(self, shown: list[str]) -> Any:
        """The value with other texts; what holds none that changed is shared, not copied."""
        copies: dict[int, Any] = {}

        def copied(number: int) -> Any:
            path = []
            while number not in copies:
                path.append(number)
                number = self._containers[number][0]
                if number < 0:
                    break
            for step in reversed(path):
                parent, key, container = self._containers[step]
                is_object = isinstance(container, dict)
                copies[step] = object_members(container) if is_object else array_items(container)
                if parent >= 0:
                    copies[parent][key] = copies[step]
            return copies[path[0]] if path else copies[number]

        for (number, key), text, new_text in zip(self._places, self.texts, shown, strict=True):
            if new_text is not text:
                copied(number)[key] = new_text
        return copies.get(0, self._value)

    def _walk(self) -> None:
        root = iter([(None, self._value)])
        stack = [_Open(-1, has_keys=False, is_uncut=False, members=root)]
        while stack:
            container = stack[-1]
            for key, value in container.members:
                inner = self._visit(container, key, value, len(stack))
                if self.json_bytes > self._limit:
                    return
                if inner is not None:
                    stack.append(inner)
                    break
            else:
                stack.pop()
                if container.number >= 0:
                    self._open_ids.remove(id(self._containers[container.number][2]))

    def _visit(self, container: _Open, key: Any, value: Any, depth: int) -> _Open | None:
        """Count one node; if it is a container, what to walk next."""
        self.nodes_visited += 1
        if container.has_keys:
            self.json_bytes += len(":") + self._key_bytes(key)
        if isinstance(value, str):
            if container.is_uncut or not self._is_text(container.number, key, depth):
                self.json_bytes += self._string_bytes(value)
            else:
                self.json_bytes += QUOTES_BYTES
                self.texts.append(value)
                self._places.append((container.number, key))
            return None
        if isinstance(value, dict):
            size = dict.__len__(value)
            is_uncut = container.is_uncut or _carries_media(value)
            members: Iterator[tuple[Any, Any]] = iter(dict.items(value))
        elif isinstance(value, list):
            size = list.__len__(value)
            is_uncut = container.is_uncut
            members = enumerate(list.__iter__(value))
        elif isinstance(value, tuple):
            size = tuple.__len__(value)
            is_uncut = container.is_uncut
            members = enumerate(tuple.__iter__(value))
        else:
            self.json_bytes += len(_scalar_json(value))
            return None
        if id(value) in self._open_ids:
            raise NotJsonError("a value that contains itself has no JSON form")
        self._open_ids.add(id(value))
        # Brackets and commas.
        self.json_bytes += 2 + max(size - 1, 0)
        self._containers.append((container.number, key, value))
        number = len(self._containers) - 1
        return _Open(number, isinstance(value, dict), is_uncut, members)

    def _is_text(self, number: int, key: object, depth: int) -> bool:
        if not self._text_blocks_only:
            return True
        _, wrapped_as, block = self._containers[number]
        is_block = depth == _ITEM_DEPTH or (depth == _WRAPPED_DEPTH and wrapped_as == CONTENT)
        return is_block and key == "text" and _is_type(block, ("text",))

    def _string_bytes(self, text: str) -> int:
        left = max(self._limit - self.json_bytes, 0)
        return QUOTES_BYTES + payload_size(text, left, self._ensure_ascii)

    def _key_bytes(self, key: object) -> int:
        if isinstance(key, str):
            return self._string_bytes(key)
        return QUOTES_BYTES + len(_scalar_json(key))
