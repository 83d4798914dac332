"""The records of a transcript as the updates they stand for, each with the place to resume at.

Strategy: one pass from a position on, one record at a time: our own records hold their update,
ChatRecords are converted. A call that a ChatRecord leaves open is closed with a failed update once
the history has ended. The pass knows which calls it saw open; for those before its start, a
position carries the byte from which on calls may be open, and only a pass that reaches the end
reads that stretch again.

Rules: a position names one update, so a pass from it gives exactly what the first pass gave from
there on; memory follows one record and the open calls, never the history.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from acpbound import chat_records
from acpbound.chat_fields import UnconvertibleError
from acpbound.chat_results import missing_result
from acpbound.jsonl import Line
from acpbound.transcript_reader import Transcript

#: The version of our own records; a record says so only if it has another one.
RECORD_VERSION: Final = 1


class Position(NamedTuple):
    """An update's place in a transcript; all offsets are bytes from its start."""

    offset: int = 0  #: where its record begins
    part: int = 0  #: which of the record's updates it is
    closed: int = 0  #: which of the open calls it closes, if it comes after all records
    open_from: int | None = None  #: where a call that may still be open here began
    seen: int = 0  #: how much of the file was whole when the position was made


START: Final = Position()


class Step(NamedTuple):
    """One canonical update."""

    update: dict[str, Any]
    record_id: str | None
    position: Position


class RecordError(ValueError):
    """A record that cannot be converted; ``position`` is its own and ``after`` that of the next."""

    def __init__(self, reason: str, position: Position, after: Position) -> None:
        super().__init__(f"the record at byte {position.offset} cannot be converted: {reason}")
        self.reason: Final = reason
        self.position: Final = position
        self.after: Final = after


class _OpenCall(NamedTuple):
    closing: dict[str, Any]  # the failed update that it gets if no result comes
    record_id: str | None
    offset: int


_OpenCalls = dict[str, _OpenCall]


def _record_id(record: dict[str, Any]) -> str | None:
    record_id = record.get("uuid")
    return record_id if isinstance(record_id, str) else None


def _updates_of(record: dict[str, Any]) -> list[dict[str, Any]]:
    version = record.get("v", RECORD_VERSION)
    if version != RECORD_VERSION:
        raise UnconvertibleError(f"its version is not {RECORD_VERSION}, the only one known here")
    if "update" not in record:
        return chat_records.updates_of(record)
    update = record["update"]
    if not isinstance(update, dict):
        raise UnconvertibleError("its update is not an object")
    return [update]


def _note_calls(line: Line, updates: list[dict[str, Any]], calls: _OpenCalls) -> None:
    """Keep track of the calls that a ChatRecord opens or closes."""
    if "update" in line.value:
        return  # our own records say all there was
    for update in updates:
        kind = update["sessionUpdate"]
        if kind == "tool_call_update":
            calls.pop(update["toolCallId"], None)
        elif kind == "tool_call":
            calls.pop(update["toolCallId"], None)
            record_id = _record_id(line.value)
            calls[update["toolCallId"]] = _OpenCall(missing_result(update), record_id, line.offset)


def _open_from(start: int | None, calls: _OpenCalls) -> int | None:
    """Where the first call that may be open began: insertion order is file order."""
    return start if start is not None or not calls else next(iter(calls.values())).offset


def _open_calls(transcript: Transcript, start: int, end: int) -> _OpenCalls:
    """The calls that a stretch of records opens and does not close."""
    calls: _OpenCalls = {}
    for line in transcript.lines(start, reported=False):
        if line.end > end:
            break
        try:
            _note_calls(line, _updates_of(line.value), calls)
        except UnconvertibleError:
            continue
    return calls


def steps(
    transcript: Transcript, start: Position = START, *, close_calls: bool = True
) -> Iterator[Step]:
    """The updates of a transcript from a position on.

    ``close_calls`` adds a failed update for each call that a ChatRecord left open. Raises
    RecordError at a record that cannot be converted, and OSError.
    """
    calls: _OpenCalls = {}
    end, part, closed = start.offset, start.part, start.closed
    for line in transcript.lines(start.offset):
        open_from = _open_from(start.open_from, calls)
        here = Position(line.offset, part, 0, open_from, line.end)
        try:
            updates = _updates_of(line.value)
        except UnconvertibleError as error:
            after = Position(line.end, 0, 0, open_from, line.end)
            raise RecordError(str(error), here, after) from None
        record_id = _record_id(line.value)
        for i, update in enumerate(updates[part:], part):
            yield Step(update, record_id, here._replace(part=i))
        _note_calls(line, updates, calls)
        end, part, closed = line.end, 0, 0
    if not close_calls:
        return
    open_from = _open_from(start.open_from, calls)
    if start.open_from is not None:
        calls = _open_calls(transcript, start.open_from, end)
    for i, call in enumerate([*calls.values()][closed:], closed):
        here = Position(end, 0, i, open_from, end)
        yield Step(call.closing, call.record_id, here)
