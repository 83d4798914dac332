"""One writer at a time on an open file, between threads and between processes.

Strategy: the operating system's own file locks, which end with the process that holds them, so a
writer that is killed never locks others out.

Rules: every writer opens the file anew, so that the lock parts threads as well; readers take no
lock.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

if sys.platform == "win32":
    import errno
    import msvcrt

    #: Windows keeps others from reading locked bytes; nobody reads this one.
    _LOCKED_BYTE = 1 << 60

    def _lock(fd: int) -> None:
        while True:
            os.lseek(fd, _LOCKED_BYTE, os.SEEK_SET)
            try:
                msvcrt.locking(fd, msvcrt.LK_LOCK, 1)
            except OSError as error:
                # It gives up after ten seconds.
                if error.errno not in (errno.EDEADLK, errno.EACCES):
                    raise
            else:
                return

    def _unlock(fd: int) -> None:
        os.lseek(fd, _LOCKED_BYTE, os.SEEK_SET)
        msvcrt.locking(fd, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _lock(fd: int) -> None:
        fcntl.flock(fd, fcntl.LOCK_EX)

    def _unlock(fd: int) -> None:
        fcntl.flock(fd, fcntl.LOCK_UN)


@contextmanager
def exclusive(fd: int) -> Iterator[None]:
    """Hold the lock of an open file; waits for whoever has it. Moves the file position on Windows.

    Raises OSError if the file system has no locks.
    """
    _lock(fd)
    try:
        yield
    finally:
        _unlock(fd)
