"""``acpbound proxy``: start the agent, stand between, report its end as a shell would.

Exit statuses: the agent's own; 128 + n if signal n ended it; 126 if the command cannot be run and
127 if it does not exist.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Sequence

from acpbound.chunks import ChunkFilter
from acpbound.descriptors import open_standard_streams
from acpbound.freed_memory import keep_freed_memory
from acpbound.lines import LineFilter
from acpbound.projection import Projector
from acpbound.proxy import Proxy
from acpbound.recording import Recorder
from acpbound.signals import SIGNAL_STATUS, forwarding

_NOT_EXECUTABLE = 126
_NOT_FOUND = 127
_STDIN = 0
_STDOUT = 1


def _recorder(folder: str, say: Callable[[str], object]) -> Recorder:
    # Only who keeps a transcript waits for its import.
    from acpbound.transcript import TranscriptStore

    return Recorder(TranscriptStore(folder), say)


def _start(command: Sequence[str]) -> subprocess.Popen[bytes]:
    program, *arguments = command
    if os.name == "nt":
        import shutil

        # Windows itself finds .exe files only, and many agents are started by a .cmd file.
        program = shutil.which(program) or program
    return subprocess.Popen(  # noqa: S603 - running the user's command is the purpose
        [program, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        bufsize=0,
        # What was left open for the agent (an IPC channel, say) reaches it.
        close_fds=False,
    )


def run_proxy(
    command: Sequence[str],
    projector: Projector,
    say: Callable[[str], object],
    *,
    grace: float,
    max_line: int,
    transcript: str | None,
    quiet: bool,
) -> int:
    """Run ``command`` as an agent for the client at stdin and stdout; returns the exit status.

    ``grace`` is in seconds; ``max_line`` is the bytes of the longest line that is bounded;
    ``transcript`` is the folder in which updates are kept, if any.
    """
    open_standard_streams()
    keep_freed_memory()
    recorder = None if transcript is None else _recorder(transcript, say)
    lines = LineFilter(
        projector,
        say,
        record=None if recorder is None else recorder.record,
        count_short=False,
        max_line=max_line,
    )
    try:
        agent = _start(command)
    except FileNotFoundError:
        say(f"{command[0]}: no such command (or its interpreter is missing)")
        return _NOT_FOUND
    except OSError as error:
        say(f"{command[0]}: cannot be run: {error.strerror or error}")
        return _NOT_EXECUTABLE
    proxy = Proxy(agent, _STDIN, _STDOUT, ChunkFilter(lines), say, grace)
    with forwarding(agent, proxy.agent_gone):
        status = proxy.run()
    by_signal = status < 0
    if not quiet:
        ending = f"; the agent was ended by signal {-status}" if by_signal else ""
        counts = lines.counts
        say(
            f"{counts.frames_bounded} frames bounded, {counts.size()}"
            f"{f', {recorder}' if recorder else ''}{ending}"
        )
    return SIGNAL_STATUS - status if by_signal else status
