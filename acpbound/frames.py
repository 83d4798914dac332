"""Where session updates sit in JSON-RPC messages, and a message with its updates projected.

Strategy: the places are data (``UPDATE_PLACES``), read here and by ``splice``, so that the library
and the wire can never disagree about them. Projection copies only the containers on the way to an
update that changed, each of them once.

Rules: a frame in which nothing changes is passed on by reference; what does not have the expected
shape is not an update. ``session/request_permission`` is in no place, so it is never touched: a
person decides on what it shows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, TypeVar, cast

from acpbound.projection import Projector
from acpbound.storage import array_items, array_iterator, object_members

_Frame = TypeVar("_Frame")
Path = tuple["str | int", ...]

#: In a place: every item of an array.
EACH: Final = None

SESSION_UPDATE_METHOD: Final = "session/update"
_NOTIFICATION_PLACE: Final = ("params", "update")

#: Keys that lead from one JSON-RPC message to its session updates.
UPDATE_PLACES: Final[tuple[tuple[str | None, ...], ...]] = (
    _NOTIFICATION_PLACE,
    ("result", "updates", EACH),
    ("result", "_meta", "qwen.session.loadReplay", "updates", EACH),
    ("result", "events", EACH, "data"),
    ("events", EACH, "data"),
)


def _at(
    value: object, place: tuple[str | None, ...], path: Path
) -> Iterator[tuple[Path, dict[str, Any]]]:
    """The objects at a place, with their paths."""
    if not place:
        if isinstance(value, dict):
            yield path, value
        return
    step, rest = place[0], place[1:]
    if step is EACH:
        if isinstance(value, (list, tuple)):
            for i, item in enumerate(array_iterator(value)):
                yield from _at(item, rest, (*path, i))
    elif isinstance(value, dict):
        yield from _at(dict.get(value, step), rest, (*path, step))


def updates_in(frame: object) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Every session update of a JSON-RPC message or batch, with its path in the frame."""
    if isinstance(frame, (list, tuple)):
        for i, message in enumerate(array_iterator(frame)):
            for path, update in _updates_in_message(message):
                yield (i, *path), update
    else:
        yield from _updates_in_message(frame)


def _updates_in_message(message: object) -> Iterator[tuple[Path, dict[str, Any]]]:
    if not isinstance(message, dict):
        return
    for place in UPDATE_PLACES:
        if place is _NOTIFICATION_PLACE:
            method = dict.get(message, "method")
            if not isinstance(method, str) or not str.__eq__(method, SESSION_UPDATE_METHOD):
                continue
        yield from _at(message, place, ())


def project_frame(frame: _Frame, projector: Projector) -> _Frame:
    """The frame with its session updates projected; the very object if none changed.

    ``frame`` is a decoded JSON-RPC message or batch; anything else comes back as it is.
    """
    copies: dict[Path, Any] = {}

    def copied(path: Path) -> Any:
        if path not in copies:
            if not path:
                original: Any = frame
            else:
                parent = copied(path[:-1])
                original = parent[path[-1]]
            is_array = isinstance(original, (list, tuple))
            copy = array_items(original) if is_array else object_members(original)
            copies[path] = copy
            if path:
                parent[path[-1]] = copy
        return copies[path]

    for path, update in updates_in(frame):
        projected = projector.project_update(update)
        if projected is not update:
            copied(path[:-1])[path[-1]] = projected
    return cast(_Frame, copies.get((), frame))
