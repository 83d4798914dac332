"""A line with new values in the places of its bounded fields.

Strategy: the line is decoded as strict UTF-8, which loses nothing, so slices of it are the
original; ``located`` tells which slices the fields are.

Rules: every byte outside a bounded field's value stays; a field is bounded as it is written, so
one that fits by value but is written longer (an agent's ``\\uXXXX`` escapes) is written again,
same value, as compact UTF-8; a line that is no message is refused.
"""

from __future__ import annotations

from acpbound.eligibility import eligible_fields
from acpbound.frames import updates_in
from acpbound.located import LineReader, Span
from acpbound.native import compact_json, utf8
from acpbound.projection import Projector
from acpbound.rewriting import compact_json_as_written
from acpbound.structure import NumberAsWritten


class UnreadableLineError(ValueError):
    """A line that is not a JSON-RPC message; says why, without any of its content."""


def _utf8_length(text: str, span: Span, limit: int) -> int:
    """UTF-8 bytes of a span: exact if above ``limit``, else any value up to it."""
    characters = span.end - span.start
    if characters * 4 <= limit:
        return characters
    return len(text[span.start : span.end].encode())


def _written_again(value: object, projector: Projector) -> str:
    if projector.also:
        return compact_json_as_written(value)
    return compact_json(value, ensure_ascii=False)


def bound_line(line: bytes, projector: Projector) -> bytes:
    """The line with every eligible field bounded; the very object if nothing changes.

    ``line`` is one JSON-RPC message or batch in UTF-8. Raises UnreadableLineError if it is
    anything else, or nested deeper than the decoder goes.
    """
    try:
        text = line.decode()
        # Where objects may be written again, their numbers must stay as they are.
        number = NumberAsWritten if projector.also else float
        # An observer is told how long the texts were.
        reader = LineReader(text, number, None if projector.is_observed else projector.budget)
        frame = reader.frame()
    except UnicodeDecodeError:
        raise UnreadableLineError("not UTF-8") from None
    except RecursionError:
        raise UnreadableLineError("nested too deeply") from None
    except ValueError:
        raise UnreadableLineError("not JSON") from None
    if not isinstance(frame, (dict, list)):
        raise UnreadableLineError("not an object")
    rewritten: list[tuple[Span, str]] = []
    for path, update in updates_in(frame):
        projected = projector.project_update(update)
        for field in eligible_fields(update, projector.also):
            value = projected[field]
            span = reader.spans[path][field]
            is_changed = value is not update[field]
            if is_changed or _utf8_length(text, span, projector.budget) > projector.budget:
                written = _written_again(value, projector)
                # A field that was named but cannot be bounded stays as it is.
                if is_changed or len(utf8(written)) <= projector.budget:
                    rewritten.append((span, written))
    if not rewritten:
        return line
    pieces: list[str] = []
    done = 0
    for span, written in sorted(rewritten):
        pieces += (text[done : span.start], written)
        done = span.end
    pieces.append(text[done:])
    # Only new values can hold surrogates.
    return utf8("".join(pieces))
