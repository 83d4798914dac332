"""Copies of arrays and objects, made from their own storage.

Strategy: a serializer decides what an array or an object is by type, so subclasses count; but what
their overridable methods say is not what they hold. Rules: only the built-in types' own methods
are called; the copies are plain.
"""

from __future__ import annotations

from typing import Any


def array_items(array: list[Any] | tuple[Any, ...]) -> list[Any]:
    """The items of a list or tuple, or of a subclass, as a new list."""
    return [*(list.__iter__(array) if isinstance(array, list) else tuple.__iter__(array))]


def object_members(mapping: dict[Any, Any]) -> dict[Any, Any]:
    """The members of a dict, or of a subclass, as a new dict in the same order."""
    # dict.copy() would still ask a subclass for its keys().
    return dict(dict.items(mapping))
