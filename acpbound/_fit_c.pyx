# cython: language_level=3, binding=True, embedsignature=False
# cython: boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=True
"""Kernel 2, compiled: which content is canonical, does it fit, how much does each block want.

Twin of ``_fit_py``: same names, arguments and results (``tests/test_parity.py`` keeps them equal).

Strategy: lengths first. A code point takes at least one byte and at most six (twelve beyond U+FFFF
with ``ensure_ascii``), so a sum of lengths settles most contents without looking at a character.

Rules: no policy here; "array" and "object" mean what a JSON serializer writes as such (list or
tuple, dict, and their subclasses), read by their own storage and never by an overridable method;
scans stop where the answer is known. Without the interpreter's lock another thread may change a
list or a dict at any moment, so a list is read once, as a whole, and what a dict holds is owned
before it is looked at (``tests/test_threads.py``).
"""

from acpbound._scan_c cimport length_of, payload_within

cdef extern from *:
    """
    /* What Cython makes of dict.get holds on to a value only after it looked it up. */
    static CYTHON_INLINE PyObject *acpbound_member(PyObject *mapping, PyObject *key) {
        PyObject *value;
    #if PY_VERSION_HEX < 0x030D0000
        value = PyDict_GetItemWithError(mapping, key);
        if (value == NULL && PyErr_Occurred()) return NULL;
        Py_XINCREF(value);
    #else
        if (PyDict_GetItemRef(mapping, key, &value) < 0) return NULL;
    #endif
        if (value == NULL) Py_RETURN_NONE;
        return value;
    }
    """
    object acpbound_member(object mapping, str key)

cdef extern from "Python.h":
    tuple PyList_AsTuple(object items)
    Py_ssize_t PyNumber_AsSsize_t(object number, void* clip) except? -1
    Py_ssize_t PyDict_Size(object mapping) except -1
    int PyUnicode_Compare(object left, object right) except? -1

cdef enum:
    LONGEST = 6
    LONGEST_ASCII = 12


cdef inline bint is_word(object value, str word) except -1:
    return isinstance(value, str) and (value is word or PyUnicode_Compare(value, word) == 0)


cdef inline object block_text(object block):
    cdef object inner
    cdef object text
    if not isinstance(block, dict) or PyDict_Size(block) != 2:
        return None
    if not is_word(acpbound_member(block, "type"), "content"):
        return None
    inner = acpbound_member(block, "content")
    if not isinstance(inner, dict) or PyDict_Size(inner) != 2:
        return None
    text = acpbound_member(inner, "text")
    if is_word(acpbound_member(inner, "type"), "text") and isinstance(text, str):
        return text
    return None


def canonical_texts(content):
    """The texts of content in which every item is exactly one text block, else None."""
    cdef list texts = []
    cdef tuple blocks
    cdef object block
    cdef object text
    if isinstance(content, list):
        blocks = PyList_AsTuple(content)
    elif isinstance(content, tuple):
        blocks = <tuple>content
    else:
        return None
    for block in blocks:
        text = block_text(block)
        if text is None:
            return None
        texts.append(text)
    return texts


def fits(list texts not None, available, bint ensure_ascii):
    """Whether the payloads of all texts take at most ``available`` bytes together."""
    cdef Py_ssize_t left = PyNumber_AsSsize_t(available, NULL)
    cdef Py_ssize_t characters = 0
    cdef object text
    for text in texts:
        characters += length_of(text)
    if characters > left:
        return False
    if characters * (LONGEST_ASCII if ensure_ascii else LONGEST) <= left:
        return True
    for text in texts:
        left -= payload_within(text, left, ensure_ascii)
        if left < 0:
            return False
    return True


def demands(list texts not None, available, reserve, bint ensure_ascii):
    """What each text wants in bytes; None when the reserves alone do not fit.

    Every text keeps ``min(payload, reserve)``. A demand is exact up to the largest share the text
    could get (all that the other reserves leave); beyond that it is any larger value.
    """
    cdef Py_ssize_t left = PyNumber_AsSsize_t(available, NULL)
    cdef Py_ssize_t full_reserve = PyNumber_AsSsize_t(reserve, NULL)
    cdef Py_ssize_t own_reserve
    cdef list wanted = []
    cdef object text
    if left < 0:
        return None
    for text in texts:
        left -= min(payload_within(text, full_reserve, ensure_ascii), full_reserve)
        if left < 0:
            return None
    for text in texts:
        own_reserve = min(payload_within(text, full_reserve, ensure_ascii), full_reserve)
        wanted.append(payload_within(text, left + own_reserve, ensure_ascii))
    return wanted
