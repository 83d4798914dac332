"""A proxy that runs an agent and stands between it and its client.

Strategy: three daemon threads on blocking descriptors, which work the same on every system. One
copies the client's bytes to the agent, one the agent's lines to the client, bounded, and one ends
an agent whose client is gone. Each reads its next chunk when the last is written, so a slow reader
slows its writer and nothing piles up here. The main thread waits for the agent, which leaves it
free for signals.

Rules:

- the client's end reaches the agent as end of file; then the agent has a grace time, counted from
  the last bytes that moved, before it is terminated, and a short one before it is killed;
- the agent's exit ends the proxy, whatever the client does, once all that the agent wrote has been
  delivered; a process that keeps the agent's stdout open does not count as the agent;
- an agent that closes one of its streams and runs on has it closed towards the client as well;
- when the client reads no more, the agent's output is still read (and recorded), so that the agent
  can finish;
- descriptors are read and written without Python's buffers, whose locks a blocked daemon thread
  would hold while the interpreter exits.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from threading import Event, Lock, Thread
from typing import Final

from acpbound.chunks import ChunkFilter
from acpbound.descriptors import (
    CHUNK_BYTES,
    InputOfAgent,
    abandon,
    nothing_to_read,
    read_some,
    reader_is_gone,
    widen,
    write_all,
)
from acpbound.lines import Piece
from acpbound.signals import signals_for_this_thread

#: Seconds between asking an agent to end and ending it.
_KILL_AFTER: Final = 3.0

#: Seconds without output after which an agent that has exited is taken to have said all.
_QUIET: Final = 0.5

#: No pipe holds more, with a chunk just read; what comes beyond it after the agent's exit is from
#: another process.
_PIPE_BYTES: Final = (1 << 20) + CHUNK_BYTES


class Proxy:
    """One agent and its client.

    ``agent`` was started with pipes for stdin and stdout and no buffers. ``client_in`` and
    ``client_out`` are the descriptors on which the client writes and reads. ``say`` is called with
    a sentence when something is wrong. ``grace`` is in seconds.
    """

    def __init__(
        self,
        agent: subprocess.Popen[bytes],
        client_in: int,
        client_out: int,
        chunks: ChunkFilter,
        say: Callable[[str], object],
        grace: float,
    ) -> None:
        assert agent.stdin is not None
        assert agent.stdout is not None
        self.agent_gone: Final = Event()
        self._agent = agent
        self._agent_in = InputOfAgent(agent.stdin)
        self._agent_out = agent.stdout.fileno()
        widen(self._agent_out)
        self._client_in = client_in
        self._client_out = client_out
        self._client_reads = True
        self._client_gone = Event()
        self._chunks = chunks
        self._say = say
        self._grace = grace
        self._moved = 0  # writes that reached a side which is still there, reads for such a side
        self._read = 0  # bytes from the agent
        self._reading = False
        self._delivery = Lock()  # held while the agent's output is bounded and written
        self._output_ended = False
        self._failure: BaseException | None = None

    def run(self) -> int:
        """Copy both ways until the agent has ended; its return code as ``Popen`` gives it."""
        work = (self._copy_to_client, self._copy_to_agent, self._end_agent)
        threads = [Thread(target=target, daemon=True) for target in work]
        with signals_for_this_thread():
            for thread in threads:
                thread.start()
        status = self._agent.wait()
        self.agent_gone.set()
        self._finish(threads[0])
        return status

    def _copy_to_agent(self) -> None:
        try:
            while chunk := read_some(self._client_in):
                if not self._agent_in.write(chunk, self._client_in, self._client_gone.set):
                    break
                self._moved += 1
            else:
                self._client_gone.set()
        except OSError:
            # The agent reads no more; let the client know as it would without a proxy.
            pass
        self._agent_in.close()
        abandon(self._client_in)

    def _copy_to_client(self) -> None:
        try:
            while chunk := self._next_chunk():
                with self._delivery:
                    if self._output_ended:
                        return
                    self._deliver(self._chunks.feed(chunk))
            self._end_output()
        except BaseException as error:
            # Without this thread nobody reads from the agent.
            self._failure = error
            self._agent.kill()

    def _next_chunk(self) -> bytes:
        self._reading = True
        chunk = read_some(self._agent_out)
        self._reading = False
        self._read += len(chunk)
        # A long line moves although nothing of it is written before its end.
        self._moved += self._client_reads
        return chunk

    def _deliver(self, pieces: list[Piece]) -> None:
        if not self._client_reads or not pieces:
            return
        try:
            write_all(self._client_out, pieces)
        except OSError as error:
            if not isinstance(error, (BrokenPipeError, ConnectionError)):
                self._say(f"the client's stream failed: {error.strerror or error}")
            self._client_reads = False
            self._client_gone.set()
            self._agent_in.close()
        else:
            self._moved += 1

    def _end_output(self) -> None:
        """Deliver a last line without its newline, then end of file."""
        with self._delivery:
            if not self._output_ended:
                self._output_ended = True
                self._deliver(self._chunks.end())
                abandon(self._client_out)

    def _end_agent(self) -> None:
        self._client_gone.wait()
        moved = -1
        # A client that takes its time to read is not gone, or writing to it would fail.
        while moved != self._moved or self._delivery.locked():
            moved = self._moved
            if self.agent_gone.wait(self._grace):
                return
            if reader_is_gone(self._client_out):
                # Writing would have told, but a line that never ends is not written.
                self._client_reads = False
        self._agent.terminate()
        if not self.agent_gone.wait(_KILL_AFTER):
            self._agent.kill()

    def _finish(self, output: Thread) -> None:
        """Let what the agent wrote reach the client, however slow that is."""
        read = -1
        last = self._read + _PIPE_BYTES
        while output.is_alive():
            output.join(_QUIET)
            is_quiet = self._reading and nothing_to_read(self._agent_out) and self._read == read
            if is_quiet or self._read > last:
                break
            read = self._read
        if self._failure is not None:
            raise self._failure
        self._end_output()
