"""A process that holds on to an agent's stdout and writes there when the agent's proxy is done."""

import os
import subprocess
import threading

from tests.proxying import agent

LATE = """
if os.fork() == 0:
    os.read({signal}, 1)
    out(b'late words\\n')
    os._exit(0)
out(b'words\\n')
os._exit(0)
"""


class Chunks:
    """Passes on what it is fed, and keeps it."""

    def __init__(self):
        self.fed = []

    def feed(self, chunk):
        self.fed.append(chunk)
        return [chunk]

    def end(self):
        return []


def test_what_comes_after_the_end_of_the_output_is_neither_delivered_nor_counted(core):
    signal_reads, signal_writes = os.pipe()
    client_in, client_writes = os.pipe()
    client_reads, client_out = os.pipe()
    others = set(threading.enumerate())
    chunks = Chunks()
    with subprocess.Popen(
        agent(LATE.format(signal=signal_reads)),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        bufsize=0,
        pass_fds=[signal_reads],
    ) as process:
        proxy = core.module("proxy").Proxy(process, client_in, client_out, chunks, print, 5.0)
        assert proxy.run() == 0
        assert os.read(client_reads, 100) == b"words\n"
        assert os.read(client_reads, 100) == b""
        os.write(signal_writes, b"!")
        os.close(client_writes)
        for thread in set(threading.enumerate()) - others:
            thread.join(60)
            assert not thread.is_alive()
    assert chunks.fed == [b"words\n"]
    for descriptor in (signal_reads, signal_writes, client_in, client_reads, client_out):
        os.close(descriptor)
