"""``acpbound measure``: recordings in, a report out, as text, in a terminal, as JSON or as a page.

Strategy: recordings are read as they are unpacked, line by line, and never held. On a terminal
rich draws the report if it is installed; otherwise it is plain text.
"""

from __future__ import annotations

import errno
import gzip
import json
import sys
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path

from acpbound.progress import has_rich, open_with_progress
from acpbound.report import Report
from acpbound.report_tables import draw_tables, print_tables, report_tables
from acpbound.standard_streams import standard_input
from acpbound.stdio import ReadableNow, lines_as_available

_GZIP = b"\x1f\x8b"


@contextmanager
def _opened(path: str) -> Iterator[ReadableNow]:
    """A recording, unpacked if it is packed; ``-`` is stdin."""
    if path == "-":
        yield _unpacked(standard_input())
        return
    with open_with_progress(path) as file:
        yield _unpacked(file)


def _unpacked(file: BufferedReader) -> ReadableNow:
    return gzip.GzipFile(fileobj=file) if file.peek(2)[:2] == _GZIP else file


def run_measure(
    paths: Sequence[str], report: Report, *, as_json: bool, page: str | None = None
) -> int:
    """Read all recordings into a report and print it; returns the exit status.

    ``page`` is the path of an HTML page that is written as well. Raises OSError if a recording
    cannot be read, the page cannot be written, or stdout is closed.
    """
    if sys.stdout is None:
        raise OSError(errno.EBADF, "standard output is closed")
    for path in paths:
        number = 0
        with _opened(path) as stream:
            try:
                for lines in lines_as_available(stream):
                    for line in lines:
                        number += 1
                        report.add(line, f"{path}:{number}")
            except (EOFError, zlib.error, gzip.BadGzipFile) as error:
                raise OSError(f"{path}: damaged after line {number}: {error}") from None
    result = report.as_json()
    if page is not None:
        from acpbound.report_page import report_page

        Path(page).write_text(report_page(result, [*paths]), encoding="utf-8")
    if as_json:
        print(json.dumps(result, indent=2))
    elif sys.stdout.isatty() and has_rich():
        draw_tables(report_tables(result, "█"))
    else:
        print_tables(report_tables(result, "#"))
    return 0
