"""The one way by which replayed updates leave: projected, marked, counted.

Strategy: every route gives each canonical update to a collector and delivers what comes back, so
that there is no second place where the budget could be forgotten.

Rules: in this order, project, mark with the record's id, lift the timestamp, check the limits,
append; an update over a limit is not appended; what is given is never mutated.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

from acpbound.native import json_bytes
from acpbound.projection import Projector
from acpbound.storage import object_members

#: Where a delivered update's ``_meta`` names the record that it came from.
RECORD_ID_KEY: Final = "qwen.session.recordId"

_ARRAY_BYTES = len("[]")
_COMMA_BYTES = len(",")

#: The contract as it stands.
CONTRACT: Final = Projector()


@dataclass(frozen=True)
class ReplayLimits:
    """How much one replay may deliver; reaching a limit is allowed, passing it is not.

    ``max_bytes`` counts the JSON array of all delivered updates: 2 bytes for its brackets, 1 for
    each comma, and each update's compact JSON as the projector's serializer writes it.
    """

    max_bytes: int = 32 * 1024 * 1024
    max_updates: int = 10_000


class ReplayLimitError(Exception):
    """A replay that would deliver more than its limits allow.

    ``reason`` is ``"updates"`` or ``"bytes"``, ``observed`` the count with the update that was
    one too many, and ``limit`` what is allowed.
    """

    def __init__(
        self, session_id: str, reason: Literal["bytes", "updates"], observed: int, limit: int
    ) -> None:
        super().__init__(
            f"replay of session {session_id} would deliver {observed} {reason}; {limit} are allowed"
        )
        self.session_id: Final = session_id
        self.reason: Final = reason
        self.observed: Final = observed
        self.limit: Final = limit


class ReplayCollector:
    """Takes canonical updates of one session and keeps what is to be delivered.

    Without ``limits`` nothing is counted but the updates. ``updates`` are those delivered and not
    yet taken, ``accepted`` the number of all, ``delivered_bytes`` their JSON array so far (0 when
    there are no limits).
    """

    def __init__(
        self,
        session_id: str,
        projector: Projector = CONTRACT,
        limits: ReplayLimits | None = None,
    ) -> None:
        self.session_id: Final = session_id
        self.updates: list[dict[str, Any]] = []
        self.accepted = 0
        self.delivered_bytes = 0
        self._projector = projector
        self._limits = limits

    def accept(self, update: dict[str, Any], record_id: str | None = None) -> dict[str, Any]:
        """Take one update; returns what is delivered for it.

        Raises ReplayLimitError, after which the update does not count as accepted.
        """
        if record_id is not None and "_meta" in self._projector.also:
            # The mark takes part in the budget of the field that it is put into.
            update = _with_record_id(update, record_id)
        delivered = self._projector.project_update(update)
        if record_id is not None:
            delivered = _with_record_id(delivered, record_id)
        delivered = _with_lifted_timestamp(delivered)
        if self._limits is not None:
            self._count(delivered, self._limits)
        self.accepted += 1
        self.updates.append(delivered)
        return delivered

    def take(self) -> list[dict[str, Any]]:
        """The updates not yet taken; the collector no longer holds them, but they still count."""
        taken, self.updates = self.updates, []
        return taken

    def _count(self, delivered: dict[str, Any], limits: ReplayLimits) -> None:
        if self.accepted >= limits.max_updates:
            raise ReplayLimitError(
                self.session_id, "updates", self.accepted + 1, limits.max_updates
            )
        separator = _COMMA_BYTES if self.accepted else _ARRAY_BYTES
        size = len(json_bytes(delivered, self._projector.ensure_ascii))
        observed = self.delivered_bytes + separator + size
        if observed > limits.max_bytes:
            raise ReplayLimitError(self.session_id, "bytes", observed, limits.max_bytes)
        self.delivered_bytes = observed


def _with_record_id(update: dict[str, Any], record_id: str) -> dict[str, Any]:
    meta = dict.get(update, "_meta")
    marked = object_members(meta) if isinstance(meta, dict) else {}
    marked[RECORD_ID_KEY] = record_id
    copy = object_members(update)
    copy["_meta"] = marked
    return copy


def _with_lifted_timestamp(update: dict[str, Any]) -> dict[str, Any]:
    """``_meta.timestamp``, a number or a string, at the top level as well."""
    meta = dict.get(update, "_meta")
    timestamp = dict.get(meta, "timestamp") if isinstance(meta, dict) else None
    if not isinstance(timestamp, (int, float, str)) or isinstance(timestamp, bool):
        return update
    copy = object_members(update)
    copy["timestamp"] = timestamp
    return copy
