# What _fit_c shares with _scan_c on the level of C, so that a block costs no Python call.

cdef extern from *:
    """
    static CYTHON_INLINE Py_ssize_t acpbound_ready_length(PyObject *text) {
    #if PY_VERSION_HEX < 0x030C0000
        /* Until Python 3.12 a C extension could hand over a string without its final storage. */
        if (PyUnicode_READY(text) < 0) return -1;
    #endif
        return PyUnicode_GET_LENGTH(text);
    }
    """
    Py_ssize_t acpbound_ready_length(object text) except -1


cdef inline Py_ssize_t length_of(object text) except -1:
    """Code points of a string, whose storage may be read after this call; else TypeError."""
    if not isinstance(text, str):
        raise TypeError(f"text must be a str, not {type(text).__name__!r}")
    return acpbound_ready_length(text)


cdef Py_ssize_t payload_within(object text, Py_ssize_t stop, bint ensure_ascii) except -1
