"""Blocking reads and writes on file descriptors that may not be blocking, and their ends.

Strategy: ``os.read`` and ``os.write`` with nothing between. Whoever started this process chose
whether its streams block, and may share that choice with others, so it is not changed here: a
descriptor that is not ready is waited for.

Rules: a reader that is gone is an OSError, a writer that is gone is the end; a descriptor is never
closed while another thread may use its number, but pointed at the null device.
"""

from __future__ import annotations

import os
import select
from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Lock
from typing import IO, Final

#: Read at a time.
CHUNK_BYTES: Final = 1 << 17

_POSIX = os.name == "posix"
_GATHERS = hasattr(os, "writev")
_MOST_PIECES = 16  # what every system takes in one call
_PIPE_BYTES = 1 << 18


# Not select.select, which refuses descriptors from 1024 on. Windows never gets to these two: its
# pipes always block.
def _wait_readable(descriptor: int) -> None:
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    poll.poll()


def _wait_writable(descriptor: int) -> None:
    poll = select.poll()
    poll.register(descriptor, select.POLLOUT)
    poll.poll()


def read_available(descriptor: int, size: int = CHUNK_BYTES) -> bytes:
    """What is available, at least a byte and at most ``size``; empty at the end.

    Raises OSError if the stream is broken.
    """
    while True:
        try:
            return os.read(descriptor, size)
        except BlockingIOError:  # noqa: PERF203 - it is the rare case
            _wait_readable(descriptor)


def read_some(descriptor: int) -> bytes:
    """What is available, at least a byte; empty at the end, which a broken stream is as well."""
    try:
        return read_available(descriptor)
    except OSError:
        return b""


def write_all(
    descriptor: int,
    pieces: Sequence[bytes | memoryview],
    wait: Callable[[int], object] | None = None,
) -> None:
    """Write all pieces in order; raises OSError (BrokenPipeError if the reader is gone).

    ``wait`` is called with the descriptor when it would block; by default that waits until it can
    be written.
    """
    if _GATHERS and len(pieces) > 1:
        # One call for all, without a copy; whatever it leaves over is written below.
        try:
            written = os.writev(descriptor, pieces[:_MOST_PIECES])
        except BlockingIOError:
            written = 0
        if written == sum(map(len, pieces)):
            return
        left = memoryview(b"".join(pieces))[written:]
    else:
        left = memoryview(b"".join(pieces) if len(pieces) > 1 else pieces[0])
    while left:
        try:
            left = left[os.write(descriptor, left) :]
        except BlockingIOError:  # noqa: PERF203 - it is the rare case
            (wait or _wait_writable)(descriptor)


def abandon(descriptor: int) -> None:
    """Point a descriptor at the null device, so that the process at its other end sees it closed.

    The number stays taken: a thread that still uses it cannot meet another file there.
    """
    nowhere = os.open(os.devnull, os.O_RDWR)
    try:
        os.dup2(nowhere, descriptor)
    except OSError:
        pass
    finally:
        os.close(nowhere)


def widen(pipe: int) -> None:
    """Let a pipe hold more, where the system and its limits allow: fewer turns for long lines."""
    with suppress(OSError, ImportError, AttributeError):
        import fcntl

        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)


def nothing_to_read(descriptor: int) -> bool:
    """Whether a read would wait; True as well where the system cannot tell."""
    if not _POSIX:
        return True
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return not poll.poll(0)


def reader_is_gone(descriptor: int) -> bool:
    """Whether a write would fail for want of a reader; False where the system cannot tell."""
    if not _POSIX:
        return False
    poll = select.poll()
    poll.register(descriptor, 0)
    return any(found & (select.POLLERR | select.POLLHUP) for _, found in poll.poll(0))


def open_standard_streams() -> None:
    """Give those of stdin, stdout and stderr that are closed the null device.

    Otherwise the next file opened takes the number, and would be read or written in their place.
    """
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:  # noqa: PERF203 - three rounds
            os.open(os.devnull, os.O_RDWR)


class InputOfAgent:
    """An agent's stdin: written by one thread, closed by any.

    A write that waits for the agent cannot be broken off, so a thread that wants it closed leaves
    word, and the writer closes it when it is done.
    """

    def __init__(self, pipe: IO[bytes]) -> None:
        self._pipe = pipe
        self._lock = Lock()
        self._closing = False
        if _POSIX:
            # The agent's end is another description, so it does not see this.
            os.set_blocking(pipe.fileno(), False)

    def write(self, data: bytes, client: int, client_is_gone: Callable[[], object]) -> bool:
        """Write all of ``data``; False if the pipe was closed instead, or is to be closed now.

        While the agent does not read, ``client`` is watched, where the system allows: if its
        writer is gone ``client_is_gone`` is called. Raises OSError if the agent reads no more.
        """

        def wait_for_agent(agent: int) -> None:
            poll = select.poll()
            poll.register(agent, select.POLLOUT)
            poll.register(client, 0)
            found = dict(poll.poll())
            if client in found:
                # Some systems cannot watch every descriptor, and say so (POLLNVAL).
                if found[client] & (select.POLLHUP | select.POLLERR):
                    client_is_gone()
                _wait_writable(agent)

        with self._lock:
            if not self._closing:
                write_all(self._pipe.fileno(), [data], wait_for_agent)
        # Asked only after the release: whoever failed to take the lock has left word by then.
        if self._closing:
            self.close()
        return not self._closing

    def close(self) -> None:
        """Close the pipe, now or when the write that goes on is done."""
        self._closing = True
        if self._lock.acquire(blocking=False):
            try:
                self._pipe.close()
            finally:
                self._lock.release()
