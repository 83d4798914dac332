# The one C-level entry that _fit_c shares with _scan_c, so that a block costs no Python call.
cdef Py_ssize_t payload_within(object text, Py_ssize_t stop, bint ensure_ascii) except -1
