"""Files that show on the terminal how much of them is read.

Strategy: a raw stream that tells a bar of each read, under an ordinary buffered reader, so that
whoever reads need not know. The bar is rich's if that is installed (extra ``cli``), else a line of
text that is written over.

Rules: only on stderr and only if that is a terminal; the bar is gone when the file is closed; what
the bar does never changes what is read.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

_BUFFER_BYTES: Final = 1 << 18

#: Called with the number of bytes that were read.
Advance = Callable[[int], object]


class _Watched(io.RawIOBase):
    def __init__(self, file: io.FileIO, advance: Advance) -> None:
        self._file = file
        self._advance = advance

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        count = self._file.readinto(buffer)
        self._advance(count or 0)
        return count


@contextmanager
def _plain_bar(name: str, size: int) -> Iterator[Advance]:
    done = 0
    shown = ""

    def advance(count: int) -> None:
        nonlocal done, shown
        done += count
        part = f"{min(100, 100 * done // size)}%" if size else f"{done >> 20} MiB"
        if part != shown:
            shown = part
            print(f"\r{name}: {part}", end="", file=sys.stderr, flush=True)

    try:
        advance(0)
        yield advance
    finally:
        blank = " " * len(f"{name}: {shown}")
        print(f"\r{blank}\r", end="", file=sys.stderr, flush=True)


@contextmanager
def _rich_bar(name: str, size: int) -> Iterator[Advance]:
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(name, total=size or None)
        yield lambda count: progress.advance(task, count)


def has_rich() -> bool:
    """Whether the extra ``cli`` is installed."""
    try:
        import rich  # noqa: F401
    except ImportError:
        return False
    return True


@contextmanager
def open_with_progress(
    path: str | os.PathLike[str], *, shown: bool = True
) -> Iterator[io.BufferedReader]:
    """A file open for reading bytes, with a bar on stderr while it is, if that is a terminal.

    ``shown=False`` never shows a bar: for a command whose data goes to the same terminal. Raises
    OSError as ``open`` does.
    """
    with Path(path).open("rb", buffering=0) as file:
        if not (shown and sys.stderr.isatty()):
            yield io.BufferedReader(file, _BUFFER_BYTES)
            return
        bar = _rich_bar if has_rich() else _plain_bar
        with bar(Path(path).name, os.fstat(file.fileno()).st_size) as advance:
            yield io.BufferedReader(_Watched(file, advance), _BUFFER_BYTES)
