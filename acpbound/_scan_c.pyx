# cython: language_level=3, binding=True, embedsignature=False
# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: freethreading_compatible=True
"""Kernel 1, compiled: the JSON size of a string, and where a prefix or a suffix of a size ends.

Twin of ``_scan_py``: same names, arguments and results (``tests/test_parity.py`` keeps them equal).

Strategy: work on the raw storage of the string (1, 2 or 4 bytes a code point) in blocks of 256 code
points. Every code point is reduced to its lowest byte and its second byte, all ones above U+FFFF,
so that one vector register holds sixteen of them whatever the storage; what escaping adds to the
one byte that each code point takes at least is summed in sixteen 8-bit lanes. Wider storage is
taken apart with masks and shifts, a code point from each half or quarter of the block at a time,
since their order does not matter to a sum. One-byte text that has been plain so far is first asked
the cheaper question whether it still is. The loops hold comparisons only, no branch and no table,
which is what a C compiler can vectorize. Only the last block before a cut is walked code point by
code point.

Rules: no policy here; no allocation; nothing past the block in which ``stop`` or ``budget`` is
passed is read; overridable methods of ``str`` subclasses are never called.
"""

from libc.stdint cimport int8_t, uint8_t, uint16_t, uint32_t, uint64_t
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
    HALF = 128  # of a block
    QUARTER = 64


cdef inline uint8_t is_beyond_printable(uint8_t low) noexcept nogil:
    """1 for control characters, U+007F and everything beyond ASCII."""
    return <uint8_t>(<uint8_t>(low - 0x20) >= 0x5F)


cdef inline uint8_t is_longer(uint8_t low, bint ensure_ascii) noexcept nogil:
    """1 if JSON adds anything to a code point's one byte, else 0, as far as the byte tells.

    0x80 and above stand for everything beyond ASCII.
    """
    if ensure_ascii:
        return is_beyond_printable(low) | <uint8_t>(low == 0x22) | <uint8_t>(low == 0x5C)
    # Exchanging 0x20..0x23 in pairs puts the quote next to the control characters; a signed
    # comparison takes what is beyond ASCII along.
    return <uint8_t>(<int8_t>(low ^ 0x02) < 0x21) | <uint8_t>(low == 0x5C)


cdef inline uint8_t escape_bytes(uint8_t low, bint ensure_ascii) noexcept nogil:
    """What JSON adds to a code point's one byte, as far as the byte tells."""
    # All of BS TAB LF FF CR, 8 to 13 but for 11, have a two-byte form.
    cdef uint8_t six = <uint8_t>(<uint8_t>(low - 8) >= 6) | <uint8_t>(low == 11)
    if ensure_ascii:
        six &= is_beyond_printable(low)
    else:
        six &= <uint8_t>(low < 0x20)
    return <uint8_t>(is_longer(low, ensure_ascii) + 4 * six)


cdef inline uint8_t wide_bytes(uint8_t low, uint8_t high, bint ensure_ascii) noexcept nogil:
    """What JSON adds to a code point of two bytes; ``high`` is 0xFF for one above U+FFFF.

    All ones are beyond U+0800 and no surrogate. What is above U+FFFF adds more than this:
    one byte, or six with ``ensure_ascii``.
    """
    # Beyond Latin-1 the low byte must not look like ASCII.
    cdef uint8_t added = escape_bytes(low | <uint8_t>(<uint8_t>(high != 0) << 7), ensure_ascii)
    if not ensure_ascii:
        added += <uint8_t>(high >= 0x08)
        added += <uint8_t>(3 * <uint8_t>((high & 0xF8) == 0xD8))
    return added


cdef inline uint8_t added_bytes(storage code_point, bint ensure_ascii) noexcept nogil:
    """What the JSON form of a code point takes beyond its first byte (the contract's table)."""
    cdef uint8_t astral
    if storage is uint8_t:
        return escape_bytes(code_point, ensure_ascii)
    elif storage is uint16_t:
        return wide_bytes(<uint8_t>code_point, <uint8_t>(code_point >> 8), ensure_ascii)
    else:
        astral = <uint8_t>(code_point > 0xFFFF)
        return <uint8_t>(
            wide_bytes(
                <uint8_t>code_point,
                <uint8_t>(code_point >> 8) | <uint8_t>(0 - astral),
                ensure_ascii,
            )
            + (6 if ensure_ascii else 1) * astral
        )


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


cdef inline bint is_plain(const uint8_t* data, bint ensure_ascii) noexcept nogil:
    """Whether every code point of a block takes one byte."""
    cdef uint8_t found[LANES]
    cdef uint8_t any_found = 0
    cdef Py_ssize_t i, lane
    for lane in range(LANES):
        found[lane] = 0
    for i in range(ROUNDS):
        for lane in range(LANES):
            found[lane] |= is_longer(data[i * LANES + lane], ensure_ascii)
    for lane in range(LANES):
        any_found |= found[lane]
    return any_found == 0


cdef inline Py_ssize_t wide_block_payload(
    const uint8_t* low, const uint8_t* high, bint ensure_ascii
) noexcept nogil:
    """Payload bytes of a block by its low and its second bytes, in any order."""
    cdef uint8_t lanes[LANES]
    cdef Py_ssize_t i, lane
    cdef Py_ssize_t total = BLOCK
    for lane in range(LANES):
        lanes[lane] = 0
    for i in range(ROUNDS):
        for lane in range(LANES):
            lanes[lane] += wide_bytes(low[i * LANES + lane], high[i * LANES + lane], ensure_ascii)
    for lane in range(LANES):
        total += lanes[lane]
    return total


cdef inline Py_ssize_t block_payload_2(const uint16_t* data, bint ensure_ascii) noexcept nogil:
    """Payload bytes of a block of two-byte storage."""
    cdef uint16_t low[HALF]
    cdef uint16_t high[HALF]
    cdef uint16_t first, second
    cdef Py_ssize_t i
    for i in range(HALF):
        first = data[i]
        second = data[i + HALF]
        low[i] = (first & 0x00FF) | <uint16_t>(second << 8)
        high[i] = (first >> 8) | (second & 0xFF00)
    return wide_block_payload(<uint8_t*>low, <uint8_t*>high, ensure_ascii)


cdef inline Py_ssize_t block_payload_4(const uint32_t* data, bint ensure_ascii) noexcept nogil:
    """Payload bytes of a block of four-byte storage."""
    cdef uint32_t low[QUARTER]
    cdef uint32_t high[QUARTER]
    # Four counters of one byte; each can reach QUARTER.
    cdef uint32_t astral = 0
    cdef uint32_t first, second, above, flags
    cdef Py_ssize_t i
    cdef Py_ssize_t astral_bytes = 0
    for i in range(QUARTER):
        first = (data[i] & 0xFFFF) | (data[i + QUARTER] << 16)
        second = (data[i + 2 * QUARTER] & 0xFFFF) | (data[i + 3 * QUARTER] << 16)
        low[i] = (first & 0x00FF00FFU) | ((second & 0x00FF00FFU) << 8)
        high[i] = ((first >> 8) & 0x00FF00FFU) | (second & 0xFF00FF00U)
        # Nothing above U+10FFFF exists, so these bytes are at most 16 and no carry leaves them.
        above = (data[i] >> 16) | (data[i + QUARTER] & 0xFFFF0000U)
        above |= (data[i + 2 * QUARTER] >> 16 | (data[i + 3 * QUARTER] & 0xFFFF0000U)) << 8
        flags = ((above + 0x7F7F7F7FU) & 0x80808080U) >> 7
        astral += flags
        # All ones where the flag is set.
        high[i] |= (flags << 8) - flags
    for i in range(4):
        astral_bytes += (6 if ensure_ascii else 1) * ((astral >> (8 * i)) & 0xFF)
    return astral_bytes + wide_block_payload(<uint8_t*>low, <uint8_t*>high, ensure_ascii)


cdef inline Py_ssize_t block_payload(
    const storage* data, bint ensure_ascii, bint* plain
) noexcept nogil:
    """Payload bytes of a block; ``plain`` says, from block to block, that the last one was."""
    cdef Py_ssize_t size
    # The constants let the compiler make one loop for each mode.
    if storage is uint16_t:
        return block_payload_2(data, True) if ensure_ascii else block_payload_2(data, False)
    elif storage is uint32_t:
        return block_payload_4(data, True) if ensure_ascii else block_payload_4(data, False)
    else:
        if plain[0] and (is_plain(data, True) if ensure_ascii else is_plain(data, False)):
            return BLOCK
        if ensure_ascii:
            size = rounds_payload(data, ROUNDS, True)
        else:
            size = rounds_payload(data, ROUNDS, False)
        plain[0] = size == BLOCK
        return size


cdef Py_ssize_t scan_payload(
    const storage* data, Py_ssize_t length, Py_ssize_t stop, bint ensure_ascii
) noexcept nogil:
    cdef Py_ssize_t done = 0
    cdef Py_ssize_t total = 0
    cdef Py_ssize_t rounds
    cdef bint plain = True
    while length - done >= BLOCK:
        total += block_payload(data + done, ensure_ascii, &plain)
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
    cdef bint plain = True
    while length - end >= BLOCK:
        size = block_payload(data + end, ensure_ascii, &plain)
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
    cdef bint plain = True
    while start >= BLOCK:
        size = block_payload(data + start - BLOCK, ensure_ascii, &plain)
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
