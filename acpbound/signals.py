"""Signals passed on to an agent.

Strategy: Python runs handlers in the main thread, which waits for the agent; the other threads
block these signals, so that the system wakes the right one.

Rules: the agent stays in this process group, so that whoever ends the group ends it too; a Ctrl-C
typed at the terminal reaches the whole group and is not passed on a second time, since many agents
take a second one for "quit now"; a signal that was ignored at the start stays ignored; once the
agent is gone a signal ends this process.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event
from types import FrameType
from typing import Final

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")
FORWARDED: Final = tuple(getattr(signal, name) for name in _NAMES if hasattr(signal, name))

#: What a shell adds to the number of the signal that ended a process.
SIGNAL_STATUS: Final = 128


@contextmanager
def signals_for_this_thread() -> Iterator[None]:
    """Threads started inside never receive the forwarded signals."""
    if os.name != "posix":
        yield
        return
    previous = signal.pthread_sigmask(signal.SIG_BLOCK, FORWARDED)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, previous)


def _is_from_terminal(number: int) -> bool:
    """Whether the agent has had this signal from the terminal at the same time."""
    if number != signal.SIGINT:
        return False
    if os.name != "posix":
        return True
    try:
        terminal = os.open(os.ctermid(), os.O_RDONLY | os.O_NOCTTY)
        try:
            return os.tcgetpgrp(terminal) == os.getpgrp()
        finally:
            os.close(terminal)
    except OSError:
        return False


@contextmanager
def forwarding(agent: subprocess.Popen[bytes], agent_gone: Event) -> Iterator[None]:
    """Pass INT, TERM and HUP on to ``agent``; after ``agent_gone`` they raise SystemExit."""

    def forward(number: int, _: FrameType | None) -> None:
        if agent_gone.is_set():
            raise SystemExit(SIGNAL_STATUS + number)
        if not _is_from_terminal(number):
            agent.send_signal(number)

    previous = {number: signal.getsignal(number) for number in FORWARDED}
    for number, handler in previous.items():
        if handler != signal.SIG_IGN:
            signal.signal(number, forward)
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
