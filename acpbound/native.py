"""The native serializer: Python's own ``json`` encoder, used to verify and to write results.

Strategy: what the kernels calculate is checked against what a serializer really writes, once, on
the result that is already bounded. A program that has imported orjson gets the check from that,
which takes a tenth of the time; nothing is ever imported for it, and what orjson refuses
(surrogates) or does not write (``\\uXXXX`` for everything beyond ASCII) stays with ``json``.

Rules: the projector never calls it on a value that is not bounded; who writes or counts what is
delivered has to.
"""

from __future__ import annotations

import json
import math
import sys

TYPE_CHECKING = False  # as type checkers know it; importing typing takes longer than all of this
if TYPE_CHECKING:
    from typing import NoReturn

_SEPARATORS = (",", ":")
_ENCODERS = {
    ensure_ascii: json.JSONEncoder(ensure_ascii=ensure_ascii, separators=_SEPARATORS)
    for ensure_ascii in (False, True)
}


def compact_json(value: object, ensure_ascii: bool) -> str:
    """``value`` as compact JSON. A surrogate code point may stand in it as itself.

    Raises what ``json.dumps`` raises.
    """
    return _ENCODERS[ensure_ascii].encode(value)


def utf8(json_text: str) -> bytes:
    """JSON text in UTF-8, with a surrogate code point written as its escape."""
    # "backslashreplace" writes a surrogate as JSON does: \udXXX.
    return json_text.encode("utf-8", "backslashreplace")


def json_bytes(value: object, ensure_ascii: bool) -> bytes:
    """``value`` as compact JSON in UTF-8, with a surrogate code point written as its escape."""
    return utf8(compact_json(value, ensure_ascii))


def refuse_constant(name: str) -> NoReturn:
    """For ``parse_constant``: NaN and Infinity are Python's, not JSON. Raises ValueError."""
    raise ValueError(f"{name} is not JSON")


def finite_float(digits: str) -> float:
    """For ``parse_float``: a float, or OverflowError where Python would make an infinity of it."""
    number = float(digits)
    if math.isinf(number):
        raise OverflowError("a number is beyond what a float holds")
    return number


def payload_bytes(texts: list[str], ensure_ascii: bool) -> int:
    """Bytes that the texts take inside their quotes, by writing them as one array."""
    # Each text has two quotes and a comma around it; brackets add two, the last comma is missing.
    return len(_utf8_array(texts, ensure_ascii)) - 3 * len(texts) - 1


def _utf8_array(texts: list[str], ensure_ascii: bool) -> bytes:
    orjson = None if ensure_ascii else sys.modules.get("orjson")
    if orjson is not None:
        try:
            written: bytes = orjson.dumps(texts)
        except (TypeError, AttributeError):
            pass  # Surrogates; or another thread is just importing it.
        else:
            return written
    return json_bytes(texts, ensure_ascii)
