"""Arrays and objects, read from their own storage.

Strategy: a serializer decides what an array or an object is by type, so subclasses count; but what
their overridable methods say is not what they hold. Rules: only the built-in types' own methods
are called; copies are plain.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator

TYPE_CHECKING = False  # as type checkers know it; importing typing takes longer than all of this
if TYPE_CHECKING:
    from typing import Any


def array_iterator(array: list[Any] | tuple[Any, ...]) -> Iterator[Any]:
    """An iterator over a list or tuple, or a subclass."""
    return list.__iter__(array) if isinstance(array, list) else tuple.__iter__(array)


def array_items(array: list[Any] | tuple[Any, ...]) -> list[Any]:
    """The items of a list or tuple, or of a subclass, as a new list."""
    return [*array_iterator(array)]


def object_members(mapping: dict[Any, Any]) -> dict[Any, Any]:
    """The members of a dict, or of a subclass, as a new dict in the same order."""
    if isinstance(mapping, OrderedDict):
        # It keeps an order of its own beside that of dict.
        return dict(OrderedDict.items(mapping))
    # dict.copy() would still ask a subclass for its keys().
    return dict(dict.items(mapping))
