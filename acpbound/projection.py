"""The projector: one session update in, a bounded one out.

Strategy: decide cheaply that nothing is over budget, which is the answer for nearly every update,
and only then ask about exemption and build anything. Oversized content shares its budget among
its blocks (``allocation``), each text over its share becomes a ``preview``, and the texts of the
finished field are measured once with the ``native`` serializer.

Rules: the input is never mutated and what does not change is passed on by reference; the two
fields are judged independently, but texts that were equal stay equal; the cost follows the budget
and not the text. The one step that may read all of a text is the comparison of two strings of the
same length in ``content`` and ``rawOutput``, if they are not the same object.
"""

from __future__ import annotations

from collections.abc import Iterable
from operator import index

from acpbound._core import canonical_texts, fits
from acpbound.contract import (
    BUDGET,
    CONTENT,
    MARKER,
    MARKER_PAYLOAD,
    MIN_BUDGET,
    QUOTES_BYTES,
    RAW_OUTPUT,
    structure_bytes,
    text_block,
)
from acpbound.eligibility import is_a2ui, is_tool_call
from acpbound.native import payload_bytes
from acpbound.preview import preview, share_among
from acpbound.storage import array_items, object_members

TYPE_CHECKING = False  # as type checkers know it; importing typing takes longer than all of this
if TYPE_CHECKING:
    from typing import Any, Final, TypeVar

    from acpbound.observation import Observation, Observer

    _Value = TypeVar("_Value")


class _Bounded:
    """Content within its budget."""

    __slots__ = ("json_bytes", "texts", "value")

    def __init__(self, value: Any, texts: list[str] | None, json_bytes: int) -> None:
        self.value = value
        self.texts = texts  # None after a collapse
        self.json_bytes = json_bytes


def _reachable_fields(also: Iterable[str]) -> tuple[str, ...]:
    # Imported for who asks: most users name no field, and have no observer.
    from acpbound.reach import reachable_fields

    return reachable_fields(also)


def _observation_of(observer: Observer) -> Observation:
    from acpbound.observation import Observation

    return Observation(observer)


class Projector:
    """Bounds the display fields of tool-call updates. Knows no session; share it freely.

    ``budget`` is the bytes of JSON that each field may take, at least ``MIN_BUDGET``.
    ``ensure_ascii`` names, in the words of ``json.dumps``, the serializer that will write the
    result. ``also`` names fields, of ``content``, ``rawInput``, ``rawOutput`` and ``_meta``, whose
    objects and arrays are bounded too, by cutting the texts in them. ``observer`` is called with
    a ``BoundedField`` for each field that was bounded, and with a ``FieldLeftAlone`` for one that
    was named but cannot be; if it raises, that is logged once and delivery goes on.

    Raises ValueError for a budget below ``MIN_BUDGET`` or an unknown field, and TypeError for a
    budget that is no integer.
    """

    def __init__(
        self,
        budget: int = BUDGET,
        *,
        ensure_ascii: bool = False,
        also: Iterable[str] = (),
        observer: Observer | None = None,
    ) -> None:
        self.budget: Final = index(budget)
        self.ensure_ascii: Final = bool(ensure_ascii)
        self.also: Final = _reachable_fields(also) if also else ()
        self.is_observed: Final = observer is not None
        self._observation = None if observer is None else _observation_of(observer)
        if self.budget < MIN_BUDGET:
            raise ValueError(
                f"budget {self.budget} is below {MIN_BUDGET}, the size of a collapsed content field"
            )

    def __repr__(self) -> str:
        also = f", also={self.also}" if self.also else ""
        return f"Projector({self.budget}, ensure_ascii={self.ensure_ascii}{also})"

    def project_update(self, update: _Value) -> _Value:
        """The update with its display fields bounded; the very object if nothing changes.

        What is not a ``tool_call_update`` or ``tool_call`` object comes back as it is.
        """
        whole: Any = update
        if not is_tool_call(whole):
            return update
        content = dict.get(whole, CONTENT)
        raw_output: Any = dict.get(whole, RAW_OUTPUT)
        texts = self._oversized_texts(content)
        raw_is_oversized = self._is_oversized(raw_output)
        is_bounded = texts is not None or raw_is_oversized
        if not (is_bounded or self.also) or is_a2ui(whole):
            return update
        changes: dict[str, Any] = {}
        equal_content = None
        if texts is not None:
            bounded = self._bounded_content(content, texts)
            changes[CONTENT] = bounded.value
            if len(texts) == 1 and raw_is_oversized and str.__eq__(texts[0], raw_output):
                equal_content = bounded
        if raw_is_oversized:
            changes[RAW_OUTPUT] = self._bounded_text(raw_output, equal_content)
        for field in self.also:
            value = dict.get(whole, field)
            if field not in changes and (widened := self._widened(field, value)) is not value:
                changes[field] = widened
        if not changes:
            return update
        changed: Any = {**object_members(whole), **changes}
        bounded_update: _Value = changed
        return bounded_update

    def project_content(self, content: _Value) -> _Value:
        """A ``content`` array within the budget; the very object if nothing changes."""
        texts = self._oversized_texts(content)
        if texts is not None:
            bounded: _Value = self._bounded_content(content, texts).value
            return bounded
        return self._widened(CONTENT, content) if CONTENT in self.also else content

    def project_text(self, text: _Value) -> _Value:
        """A ``rawOutput`` string within the budget; the very object if nothing changes."""
        if not self._is_oversized(text):
            return text
        oversized: Any = text
        bounded: Any = self._bounded_text(oversized)
        bounded_text: _Value = bounded
        return bounded_text

    def _is_oversized(self, text: object) -> bool:
        return isinstance(text, str) and not fits(
            [text], self.budget - QUOTES_BYTES, self.ensure_ascii
        )

    def _oversized_texts(self, content: object) -> list[str] | None:
        """The texts of canonical content that exceeds the budget, else None."""
        texts = canonical_texts(content)
        if texts is None or fits(
            texts, self.budget - structure_bytes(len(texts)), self.ensure_ascii
        ):
            return None
        return texts

    def _bounded_content(self, content: Any, texts: list[str]) -> _Bounded:
        """Content within the budget: its blocks, those over their share replaced by previews."""
        structure = structure_bytes(len(texts))
        bounded = _Bounded([text_block(MARKER)], None, MIN_BUDGET)
        shown = share_among(texts, self.budget - structure, self.ensure_ascii)
        if shown is not None:
            json_bytes = structure + payload_bytes(shown, self.ensure_ascii)
            if json_bytes <= self.budget:
                blocks = [
                    block if new_text is text else text_block(new_text)
                    for block, text, new_text in zip(
                        array_items(content), texts, shown, strict=True
                    )
                ]
                bounded = _Bounded(blocks, shown, json_bytes)
        if self._observation is not None:
            self._observation.field_bounded(CONTENT, texts, bounded.texts, bounded.json_bytes)
        return bounded

    def _bounded_text(self, text: str, equal_content: _Bounded | None = None) -> str:
        """A text within the budget; beside bounded content of an equal text, what that shows."""
        texts: list[str] | None
        if equal_content is not None:
            # Verified there already, in a structure larger than two quotes.
            texts = equal_content.texts
            json_bytes = equal_content.json_bytes - structure_bytes(1) + QUOTES_BYTES
        else:
            texts = [preview(text, self.budget - QUOTES_BYTES, self.ensure_ascii)]
            json_bytes = QUOTES_BYTES + payload_bytes(texts, self.ensure_ascii)
            if json_bytes > self.budget:
                texts = None
                json_bytes = QUOTES_BYTES + MARKER_PAYLOAD
        if self._observation is not None:
            self._observation.field_bounded(RAW_OUTPUT, [text], texts, json_bytes)
        return MARKER if texts is None else texts[0]

    def _widened(self, field: str, value: _Value) -> _Value:
        """An object or array that was asked for by name, within the budget if that can be."""
        from acpbound.reach import StructureLeftAlone, bound_structure

        bounded = bound_structure(field, value, self.budget, self.ensure_ascii)
        if bounded is None:
            return value
        if isinstance(bounded, StructureLeftAlone):
            if self._observation is not None:
                self._observation.field_left_alone(field, bounded.reason)
            return value
        if self._observation is not None:
            self._observation.field_bounded(
                field, bounded.before, bounded.after, bounded.json_bytes
            )
        widened: _Value = bounded.value
        return widened
