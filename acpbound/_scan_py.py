"""Kernel 1, pure Python: the JSON size of a string, and where a prefix or a suffix of a size ends.

Twin of ``_scan_c``: same names, arguments and results (``tests/test_parity.py`` keeps them equal).

Strategy: never look at single characters. A piece of at most CHUNK code points is encoded, and
what escaping adds is the number of bytes that ``bytes.translate(None, delete)`` takes away, so all
loops run inside the interpreter's own C code. A cut is found by taking chunks while they fit and,
in the first that does not, halves of what is left of it: that chunk's length is read twice over,
any other once.

Rules: no policy here; memory is bounded by the chunk, whatever the text; nothing beyond the chunk
in which ``stop`` or ``budget`` is passed is read; overridable methods of ``str`` subclasses are
never called.
"""

from __future__ import annotations

from collections.abc import Callable
from json import JSONDecoder
from operator import index as _as_int

#: Code points measured at a time: large enough to drown the calls, small enough to stop early.
CHUNK = 4096

_decode = JSONDecoder().raw_decode

_SHORT_ESCAPES = b'"\\\b\t\n\f\r'
_LONG_ESCAPES = bytes(set(range(0x20)) - set(_SHORT_ESCAPES))
_ESCAPED = _SHORT_ESCAPES + _LONG_ESCAPES


def _escape_bytes(encoded: bytes) -> int:
    """What the escapes of quotes, backslashes and control characters add to UTF-8 or ASCII."""
    plain = encoded.translate(None, _ESCAPED)
    escaped = len(encoded) - len(plain)
    if not escaped:
        return 0
    # One byte more for each, and another four where there is no two-byte form.
    without_long = encoded.translate(None, _LONG_ESCAPES)
    return escaped + 4 * (len(encoded) - len(without_long))


def _utf8_payload(piece: str) -> int:
    try:
        encoded = piece.encode("utf-8")
    except UnicodeEncodeError:
        # A surrogate is written as six bytes (\udXXX); "surrogatepass" writes three.
        encoded = piece.encode("utf-8", "surrogatepass")
        surrogates = (len(encoded) - len(piece.encode("utf-8", "ignore"))) // 3
        return len(encoded) + 3 * surrogates + _escape_bytes(encoded)
    return len(encoded) + _escape_bytes(encoded)


def _ascii_payload(piece: str) -> int:
    ascii_part = piece.encode("ascii", "ignore")
    size = len(ascii_part) + _escape_bytes(ascii_part) + 5 * ascii_part.count(b"\x7f")
    if len(ascii_part) != len(piece):
        # Six bytes (\uXXXX) for each UTF-16 unit beyond ASCII.
        units = len(piece.encode("utf-16-le", "surrogatepass")) // 2
        size += 6 * (units - len(ascii_part))
    return size


def _payload(piece: str, ensure_ascii: bool) -> int:
    """JSON payload bytes of a bounded piece."""
    return _ascii_payload(piece) if ensure_ascii else _utf8_payload(piece)


def payload_size(text: str, stop: int, ensure_ascii: bool) -> int:
    """JSON payload bytes of a str: exact if at most ``stop``, else any value above ``stop``."""
    length = str.__len__(text)
    if length > _as_int(stop):
        return length
    if length <= CHUNK:
        return _payload(str.__getitem__(text, slice(None)), ensure_ascii)
    total = 0
    for start in range(0, length, CHUNK):
        total += _payload(str.__getitem__(text, slice(start, start + CHUNK)), ensure_ascii)
        if total > stop:
            break
    return total


def _parts_pair(text: str, length: int, cut: int) -> bool:
    """Whether a cut falls between a high surrogate and the low one that follows it."""
    return (
        0 < cut < length
        and "\ud800" <= str.__getitem__(text, cut - 1) <= "\udbff"
        and "\udc00" <= str.__getitem__(text, cut) <= "\udfff"
    )


def _fitting(piece_payload: Callable[[int, int], int], length: int, budget: int) -> int:
    """How many code points fit, where ``piece_payload(done, step)`` measures the next ``step``."""
    done = 0
    left = budget
    while True:
        # A code point takes at least one byte, so no more than `left` of them can fit.
        step = min(CHUNK, left, length - done)
        if step <= 0:
            return done
        size = piece_payload(done, step)
        if size > left:
            break
        done += step
        left -= size
    # The next `step` code points do not fit together; halve until it is known how many do.
    while step > 1:
        half = step // 2
        size = piece_payload(done, half)
        if size <= left:
            done += half
            left -= size
            step -= half
        else:
            step = half
    return done


def prefix_end(text: str, budget: int, ensure_ascii: bool) -> int:
    """Largest cut (a code point index) whose prefix takes at most ``budget`` payload bytes."""
    length = str.__len__(text)

    def piece_payload(done: int, step: int) -> int:
        return _payload(str.__getitem__(text, slice(done, done + step)), ensure_ascii)

    end = _fitting(piece_payload, length, _as_int(budget))
    return end - _parts_pair(text, length, end)


def suffix_start(text: str, budget: int, ensure_ascii: bool) -> int:
    """Smallest cut (a code point index) whose suffix takes at most ``budget`` payload bytes."""
    length = str.__len__(text)

    def piece_payload(done: int, step: int) -> int:
        end = length - done
        return _payload(str.__getitem__(text, slice(end - step, end)), ensure_ascii)

    start = length - _fitting(piece_payload, length, _as_int(budget))
    return start + _parts_pair(text, length, start)


def string_end(text: str, start: int) -> int:
    """Where the JSON string that begins at ``start`` has ended; -1 if there is none."""
    plain = str.__getitem__(text, slice(None))
    first = _as_int(start)
    if not 0 <= first < len(plain) or plain[first] != '"':
        return -1
    try:
        # The interpreter's own decoder, which makes the value on the way.
        return _decode(plain, first)[1]
    except ValueError:
        return -1
