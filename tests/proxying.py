"""A running proxy, and the agents that it runs; shared by the tests of the proxy.

Agents are short Python programs. All of them have ``out`` (raw stdout), ``read`` (a line of stdin)
and ``sys``, ``os``, ``time``, ``signal``, ``json``.
"""

import os
import select
import subprocess
import sys
import threading
from contextlib import contextmanager

PREAMBLE = """
import json, os, signal, sys, time
def out(data, left=None):
    left = memoryview(data)
    while left: left = left[os.write(1, left):]
read = sys.stdin.buffer.readline
"""

#: Sends back every line as it came.
ECHO = "while line := read(): out(line)"


def agent(program):
    """The command of an agent that runs ``program``."""
    return [sys.executable, "-c", PREAMBLE + program]


def proxy_command(core, program, *options):
    command = program if isinstance(program, list) else agent(program)
    return core.command("proxy", *options, "--", *command)


def run_proxy(core, program, *options, **arguments):
    """Run a proxy to its end: its CompletedProcess, with output as bytes."""
    command = proxy_command(core, program, *options)
    arguments = {"input": b"", "capture_output": True, "timeout": 120, **arguments}
    return subprocess.run(command, check=False, env=core.environment, **arguments)


@contextmanager
def running_proxy(core, program, *options, **streams):
    """A proxy with pipes, unbuffered; ended, with its agent, if the test leaves it running."""
    streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, **streams}
    proxy = subprocess.Popen(
        proxy_command(core, program, *options), bufsize=0, env=core.environment, **streams
    )
    try:
        yield proxy
    finally:
        if proxy.poll() is None:
            # The agent gets it as well, and would outlive a proxy that is killed.
            proxy.terminate()
            try:
                proxy.wait(10)
            except subprocess.TimeoutExpired:
                proxy.kill()
                proxy.wait()
        for stream in (proxy.stdin, proxy.stdout, proxy.stderr):
            if stream is not None:
                stream.close()


def read_all(stream):
    """Everything until the end of an unbuffered stream."""
    return b"".join(iter(lambda: stream.read(1 << 20), b""))


def read_line(stream):
    """One line of an unbuffered stream, read byte by byte so that nothing else is taken."""
    line = bytearray()
    while not line.endswith(b"\n"):
        byte = stream.read(1)
        if not byte:
            break
        line += byte
    return bytes(line)


def write_all(stream, data):
    """Write to an unbuffered stream, which may take less than it is given."""
    left = memoryview(data)
    while left:
        left = left[stream.write(left) :]


def write_on(stream):
    """Write for ever: until the reader is gone."""
    while True:
        stream.write(b"x" * 65_536)


def fill(stream):
    """Write until no more is taken for a while; the number of bytes that were taken."""
    os.set_blocking(stream.fileno(), False)
    taken = 0
    while select.select([], [stream], [], 0.5)[1]:
        taken += stream.write(b"x" * 65_536) or 0
    return taken


def feed(stream, data, *, close=False):
    """A started thread that writes ``data``, and at the end may close the stream."""

    def write():
        write_all(stream, data)
        if close:
            stream.close()

    thread = threading.Thread(target=write)
    thread.start()
    return thread


def read_exactly(stream, count):
    data = bytearray()
    while len(data) < count:
        chunk = stream.read(count - len(data))
        if not chunk:
            break
        data += chunk
    return bytes(data)
