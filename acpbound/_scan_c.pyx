# cython: language_level=3, binding=True, embedsignature=False
# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Kernel 1, compiled: the JSON size of a string, and where a prefix or a suffix of a size ends.

Twin of ``_scan_py``: same names, arguments and results (``tests/test_parity.py`` keeps them equal).

Strategy: work on the raw storage of the string (1, 2 or 4 bytes a code point), one typed loop for
each. Every code point is reduced to its lowest byte, its second byte and "is it above U+FFFF", all
in 8 bits, so that one vector register holds sixteen of them whatever the storage; what escaping
adds to the one byte that each code point takes at least is summed in sixteen 8-bit lanes. The
loops hold comparisons only, no branch and no table, which is what a C compiler can vectorize.
Only the last block before a cut is walked code point by code point.

Rules: no policy here; no allocation; nothing past the block in which ``stop`` or ``budget`` is
passed is read; overridable methods of ``str`` subclasses are never called.
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy

cdef extern from "Python.h":
    int PyUnicode_KIND(object text)
    void* PyUnicode_DATA(object text)
    Py_ssize_t PyNumber_AsSsize_t(object number, void* clip) except? -1

ctypedef fused storage:
    uint8_t
    uint16_t
    uint32_t

cdef enum:
    LANES = 16
    # A code point adds at most 11 bytes, so sixteen rounds add at most 176: a lane holds it.
    ROUNDS = 16
    BLOCK = LANES * ROUNDS


cdef inline uint8_t added_bytes(storage code_point, bint ensure_ascii) noexcept nogil:
    """What the JSON form of a code point takes beyond its first byte (the contract's table)."""
    cdef uint8_t low = <uint8_t>code_point
    cdef uint8_t high = 0
    cdef uint8_t astral = 0
    cdef uint8_t added
    if storage is not uint8_t:
        high = <uint8_t>(code_point >> 8)
        if storage is uint32_t:
            astral = <uint8_t>(<uint8_t>(code_point >> 16) != 0)
            # All ones, so that an astral code point is beyond U+0800 and no surrogate.
            high |= <uint8_t>(0 - astral)
        # Beyond Latin-1 the low byte must not look like ASCII.
        low |= <uint8_t>(<uint8_t>(high != 0) << 7)
    added = <uint8_t>(
        <uint8_t>(low == 0x22)
        + <uint8_t>(low == 0x5C)
        + 5 * <uint8_t>(low < 0x20)
        # BS TAB LF FF CR have a two-byte form; 8 to 13 but for 11.
        - 4 * <uint8_t>((<uint8_t>(low - 8) < 6) & (low != 11))
    )
    if ensure_ascii:
        added += <uint8_t>(5 * <uint8_t>(low >= 0x7F))
        if storage is uint32_t:
            added += <uint8_t>(6 * astral)
    else:
        added += <uint8_t>(low >= 0x80)
        if storage is not uint8_t:
            added += <uint8_t>(high >= 0x08)
            added += <uint8_t>(3 * <uint8_t>((high & 0xF8) == 0xD8))
        if storage is uint32_t:
            added += astral
    return added


cdef inline Py_ssize_t rounds_payload(
    const storage* data, Py_ssize_t rounds, bint ensure_ascii
) noexcept nogil:
    """Payload bytes of ``rounds * LANES`` code points; at most ROUNDS rounds."""
    cdef uint8_t lanes[LANES]
    cdef Py_ssize_t i, lane
    cdef Py_ssize_t total = rounds * LANES
    for lane in range(LANES):
        lanes[lane] = 0
    for i in range(rounds):
        for lane in range(LANES):
            lanes[lane] += added_bytes(data[i * LANES + lane], ensure_ascii)
    for lane in range(LANES):
        total += lanes[lane]
    return total


cdef inline Py_ssize_t block_payload(const storage* data, bint ensure_ascii) noexcept nogil:
    # The constants let the compiler make one loop for each mode.
    if ensure_ascii:
        return rounds_payload(data, ROUNDS, True)
    return rounds_payload(data, ROUNDS, False)


cdef Py_ssize_t scan_payload(
    const storage* data, Py_ssize_t length, Py_ssize_t stop, bint ensure_ascii
) noexcept nogil:
    cdef Py_ssize_t done = 0
    cdef Py_ssize_t total = 0
    cdef Py_ssize_t rounds
    while length - done >= BLOCK:
        total += block_payload(data + done, ensure_ascii)
        done += BLOCK
        if total > stop:
            return total
    rounds = (length - done) // LANES
    if ensure_ascii:
        total += rounds_payload(data + done, rounds, True)
    else:
        total += rounds_payload(data + done, rounds, False)
    done += rounds * LANES
    while done < length:
        total += 1 + added_bytes(data[done], ensure_ascii)
        done += 1
    return total


cdef inline bint parts_pair(const storage* data, Py_ssize_t length, Py_ssize_t cut) noexcept nogil:
    """Whether a cut falls between a high surrogate and the low one that follows it."""
    if storage is uint8_t:
        return False
    else:
        return (
            0 < cut < length
            and 0xD800 <= data[cut - 1] <= 0xDBFF
            and 0xDC00 <= data[cut] <= 0xDFFF
        )


cdef Py_ssize_t scan_prefix_end(
    const storage* data, Py_ssize_t length, Py_ssize_t budget, bint ensure_ascii
) noexcept nogil:
    cdef Py_ssize_t end = 0
    cdef Py_ssize_t left = budget
    cdef Py_ssize_t size
    while length - end >= BLOCK:
        size = block_payload(data + end, ensure_ascii)
        if size > left:
            break
        left -= size
        end += BLOCK
    while end < length:
        size = 1 + added_bytes(data[end], ensure_ascii)
        if size > left:
            break
        left -= size
        end += 1
    return end - parts_pair(data, length, end)


cdef Py_ssize_t scan_suffix_start(
    const storage* data, Py_ssize_t length, Py_ssize_t budget, bint ensure_ascii
) noexcept nogil:
    cdef Py_ssize_t start = length
    cdef Py_ssize_t left = budget
    cdef Py_ssize_t size
    while start >= BLOCK:
        size = block_payload(data + start - BLOCK, ensure_ascii)
        if size > left:
            break
        left -= size
        start -= BLOCK
    while start > 0:
        size = 1 + added_bytes(data[start - 1], ensure_ascii)
        if size > left:
            break
        left -= size
        start -= 1
    return start + parts_pair(data, length, start)


cdef Py_ssize_t payload_within(object text, Py_ssize_t stop, bint ensure_ascii) except -1:
    cdef Py_ssize_t length = length_of(text)
    cdef int kind = PyUnicode_KIND(text)
    cdef const void* data = PyUnicode_DATA(text)
    if length > stop:
        return length
    if kind == 1:
        return scan_payload(<const uint8_t*>data, length, stop, ensure_ascii)
    if kind == 2:
        return scan_payload(<const uint16_t*>data, length, stop, ensure_ascii)
    return scan_payload(<const uint32_t*>data, length, stop, ensure_ascii)


def payload_size(text, stop, bint ensure_ascii):
    """JSON payload bytes of a str: exact if at most ``stop``, else any value above ``stop``."""
    return payload_within(text, PyNumber_AsSsize_t(stop, NULL), ensure_ascii)


def prefix_end(text, budget, bint ensure_ascii):
    """Largest cut (a code point index) whose prefix takes at most ``budget`` payload bytes."""
    cdef Py_ssize_t length = length_of(text)
    cdef int kind = PyUnicode_KIND(text)
    cdef const void* data = PyUnicode_DATA(text)
    cdef Py_ssize_t limit = PyNumber_AsSsize_t(budget, NULL)
    if kind == 1:
        return scan_prefix_end(<const uint8_t*>data, length, limit, ensure_ascii)
    if kind == 2:
        return scan_prefix_end(<const uint16_t*>data, length, limit, ensure_ascii)
    return scan_prefix_end(<const uint32_t*>data, length, limit, ensure_ascii)


def suffix_start(text, budget, bint ensure_ascii):
    """Smallest cut (a code point index) whose suffix takes at most ``budget`` payload bytes."""
    cdef Py_ssize_t length = length_of(text)
    cdef int kind = PyUnicode_KIND(text)
    cdef const void* data = PyUnicode_DATA(text)
    cdef Py_ssize_t limit = PyNumber_AsSsize_t(budget, NULL)
    if kind == 1:
        return scan_suffix_start(<const uint8_t*>data, length, limit, ensure_ascii)
    if kind == 2:
        return scan_suffix_start(<const uint16_t*>data, length, limit, ensure_ascii)
    return scan_suffix_start(<const uint32_t*>data, length, limit, ensure_ascii)


cdef inline bint has_special(const storage* data) noexcept nogil:
    """Whether a quote, a backslash or a control character is among LANES code points."""
    cdef uint8_t lanes[LANES]
    cdef uint64_t halves[2]
    cdef Py_ssize_t lane
    for lane in range(LANES):
        lanes[lane] = (
            <uint8_t>(data[lane] == 0x22)
            | <uint8_t>(data[lane] == 0x5C)
            | <uint8_t>(data[lane] < 0x20)
        )
    memcpy(halves, lanes, LANES)
    return (halves[0] | halves[1]) != 0


cdef inline bint is_hex(storage code_point) noexcept nogil:
    return 0x30 <= code_point <= 0x39 or 0x41 <= (code_point & ~0x20) <= 0x46


cdef inline Py_ssize_t escape_length(const storage* data, Py_ssize_t left) noexcept nogil:
    """Code points of the escape at ``data``, of which ``left`` can be read; 0 if it is none."""
    cdef Py_ssize_t i
    if left < 2:
        return 0
    if data[1] != 0x75:
        # " / \ b f n r t
        return 2 * (
            data[1] == 0x22 or data[1] == 0x2F or data[1] == 0x5C or data[1] == 0x62
            or data[1] == 0x66 or data[1] == 0x6E or data[1] == 0x72 or data[1] == 0x74
        )
    if left < 6:
        return 0
    for i in range(2, 6):
        if not is_hex(data[i]):
            return 0
    return 6


cdef Py_ssize_t scan_string_end(
    const storage* data, Py_ssize_t start, Py_ssize_t length
) noexcept nogil:
    cdef Py_ssize_t i = start + 1
    cdef Py_ssize_t escape
    if data[start] != 0x22:
        return -1
    while i < length:
        while length - i >= LANES and not has_special(data + i):
            i += LANES
        # One block at most, or the rest of the text.
        while i < length:
            if data[i] == 0x22:
                return i + 1
            if data[i] < 0x20:
                return -1
            if data[i] == 0x5C:
                escape = escape_length(data + i, length - i)
                if escape == 0:
                    return -1
                i += escape
                break
            i += 1
    return -1


def string_end(text, start):
    """Where the JSON string that begins at ``start`` has ended; -1 if there is none."""
    cdef Py_ssize_t length = length_of(text)
    cdef int kind = PyUnicode_KIND(text)
    cdef const void* data = PyUnicode_DATA(text)
    cdef Py_ssize_t first = PyNumber_AsSsize_t(start, NULL)
    if first < 0 or first >= length:
        return -1
    if kind == 1:
        return scan_string_end(<const uint8_t*>data, first, length)
    if kind == 2:
        return scan_string_end(<const uint16_t*>data, first, length)
    return scan_string_end(<const uint32_t*>data, first, length)
