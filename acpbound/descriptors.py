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
from collections.abc import Callable
from threading import Lock
from typing import IO, Final

#: What a pipe holds on most systems.
CHUNK_BYTES: Final = 1 << 16

_POSIX = os.name == "posix"


def _wait(descriptor: int, events: str) -> None:
    # Not select.select, which refuses descriptors from 1024 on. Windows never gets here: its pipes
    # always block.
    poll = select.poll()
    poll.register(descriptor, getattr(select, events))
    poll.poll()


def read_some(descriptor: int) -> bytes:
    """What is available, at least a byte; empty at the end, which a broken stream is as well."""
    while True:
        try:
            return os.read(descriptor, CHUNK_BYTES)
        except BlockingIOError:  # noqa: PERF203 - it is the rare case
            _wait(descriptor, "POLLIN")
        except OSError:
            return b""


def write_all(descriptor: int, data: bytes, wait: Callable[[int], object] | None = None) -> None:
    """Write all of ``data``; raises OSError (BrokenPipeError if the reader is gone).

    ``wait`` is called with the descriptor when it would block; by default that waits until it can
    be written.
    """
    left = memoryview(data)
    while left:
        try:
            left = left[os.write(descriptor, left) :]
        except BlockingIOError:  # noqa: PERF203 - it is the rare case
            if wait is None:
                _wait(descriptor, "POLLOUT")
            else:
                wait(descriptor)


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


def nothing_to_read(descriptor: int) -> bool:
    """Whether a read would wait; True as well where the system cannot tell."""
    if not _POSIX:
        return True
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return not poll.poll(0)


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
            if any(found == client for found, _ in poll.poll()):
                client_is_gone()
                _wait(agent, "POLLOUT")

        with self._lock:
            if not self._closing:
                write_all(self._pipe.fileno(), data, wait_for_agent)
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
