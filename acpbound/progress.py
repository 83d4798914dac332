"""Files that show on the terminal how much of them is read.

Strategy: a raw stream that tells a bar of each read, under an ordinary buffered reader, so that
whoever reads need not know. The bar is rich's if that is installed (extra ``cli``), else a line of
text that is written over.

Rules: only on stderr and only if that is a terminal; the bar makes way for messages and is gone
when the file is closed; what the bar does never changes what is read.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

from acpbound.standard_streams import making_way, write_message

_BUFFER_BYTES: Final = 1 << 18
_RETURN_AND_ERASE: Final = "\r\x1b[2K"

#: Called with the number of bytes that were read.
Advance = Callable[[int], object]


class _Watched(io.RawIOBase):
    """A file that has a bar until it is closed."""

    def __init__(self, file: io.FileIO, bar: AbstractContextManager[Advance]) -> None:
        self._file = file
        self._opened = ExitStack()
        self._opened.enter_context(file)
        self._advance = self._opened.enter_context(bar)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        count = self._file.readinto(buffer)
        self._advance(count or 0)
        return count

    def close(self) -> None:
        try:
            self._opened.close()
        finally:
            super().close()


@contextmanager
def _plain_bar(name: str, size: int) -> Iterator[Advance]:
    done = 0
    shown = ""

    def advance(count: int) -> None:
        nonlocal done, shown
        done += count
        part = f"{min(100, 100 * done // size)}%" if size else f"{done >> 20} MiB"
        line = f"{name}: {part}"
        if line != shown:
            shown = line
            write_message(f"\r{line}")

    def erasing() -> str:
        nonlocal shown
        blank, shown = " " * len(shown), ""
        return f"\r{blank}\r"

    with making_way(erasing):
        try:
            advance(0)
            yield advance
        finally:
            write_message(erasing())


@contextmanager
def _rich_bar(name: str, size: int) -> Iterator[Advance]:
    from rich.console import Console
    from rich.progress import Progress

    # rich draws its one line again by itself, wherever a message has left the cursor.
    with (
        making_way(lambda: _RETURN_AND_ERASE),
        Progress(console=Console(stderr=True), transient=True) as progress,
    ):
        task = progress.add_task(name, total=size or None)
        yield lambda count: progress.advance(task, count)


def has_rich() -> bool:
    """Whether the extra ``cli`` is installed."""
    try:
        import rich  # noqa: F401
    except ImportError:
        return False
    return True


def open_with_progress(path: str | os.PathLike[str], *, shown: bool = True) -> io.BufferedReader:
    """A file open for reading bytes; while it is, a bar on stderr, if that is a terminal.

    ``shown=False`` never shows a bar: for a command whose data goes to the same terminal. With a
    bar the file cannot be sought in. Raises OSError as ``open`` does.
    """
    file = io.FileIO(path)
    if not shown or sys.stderr is None or not sys.stderr.isatty():
        return io.BufferedReader(file, _BUFFER_BYTES)
    bar = _rich_bar if has_rich() else _plain_bar
    size = os.fstat(file.fileno()).st_size
    return io.BufferedReader(_Watched(file, bar(Path(path).name, size)), _BUFFER_BYTES)
