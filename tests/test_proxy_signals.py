"""Signals on their way through a proxy, with and without a terminal."""

import os
import pty
import signal
import subprocess

import pytest

from tests.proxying import (
    proxy_command,
    read_all,
    read_exactly,
    read_line,
    run_proxy,
    running_proxy,
)

#: Says "ready", then the name of each signal as it comes; ends at end of file.
LISTENER = """
def tell(number, _):
    out(b'%s\\n' % signal.Signals(number).name.encode())
for name in ('SIGINT', 'SIGTERM', 'SIGHUP'):
    signal.signal(getattr(signal, name), tell)
out(b'ready\\n')
while read(): pass
"""


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_signal_reaches_an_agent_that_goes_on(core, name):
    with running_proxy(core, LISTENER, "--quiet") as proxy:
        assert read_line(proxy.stdout) == b"ready\n"
        for _ in range(3):
            proxy.send_signal(getattr(signal, name))
            assert read_line(proxy.stdout) == name.encode() + b"\n"
        proxy.stdin.close()
        assert proxy.wait(20) == 0


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_an_agent_that_a_signal_ends_gives_the_status_of_a_shell(core, name):
    program = f"signal.signal(signal.{name}, signal.SIG_DFL); out(b'ready\\n'); signal.pause()"
    with running_proxy(core, program, "--quiet") as proxy:
        assert read_line(proxy.stdout) == b"ready\n"
        proxy.send_signal(getattr(signal, name))
        assert proxy.wait(20) == 128 + getattr(signal, name)


def test_the_summary_names_the_signal(core):
    run = run_proxy(core, "os.kill(os.getpid(), signal.SIGSEGV)")
    assert run.returncode == 128 + 11
    assert run.stderr.endswith(b"; the agent was ended by signal 11\n")


def test_a_signal_that_was_ignored_stays_ignored(core):
    # The agent takes it again, and would be ended by what is passed on.
    program = (
        "signal.signal(signal.SIGHUP, signal.SIG_DFL)\nout(b'ready\\n'); read(); out(b'here\\n')"
    )
    command = proxy_command(core, program, "--quiet")
    proxy = subprocess.Popen(
        ["nohup", *command], bufsize=0, stdin=-1, stdout=-1, stderr=-3, env=core.environment
    )
    with proxy:
        assert read_line(proxy.stdout) == b"ready\n"
        proxy.send_signal(signal.SIGHUP)
        proxy.stdin.write(b"\n")
        assert read_line(proxy.stdout) == b"here\n"
    assert proxy.returncode == 0


def test_a_signal_ends_a_proxy_whose_agent_is_gone_and_whose_client_does_not_read(core):
    program = "out(b'words\\n' * 20_000); os.write(2, b'%d\\n' % os.getpid())"
    with running_proxy(core, program, "--quiet", stderr=subprocess.PIPE) as proxy:
        agent = int(read_line(proxy.stderr))
        assert read_exactly(proxy.stdout, 1) == b"w"
        # The proxy has read all, and is still writing when the agent is gone from the system.
        while os.path.exists(f"/proc/{agent}"):  # noqa: PTH110
            pass
        proxy.terminate()
        try:
            status = proxy.wait(5)
        except subprocess.TimeoutExpired:
            # It came just before the proxy had noticed, and went to the agent.
            proxy.terminate()
            status = proxy.wait(20)
        assert status == 128 + 15


def test_a_ctrl_c_typed_at_the_terminal_reaches_the_agent_once(core):
    """The terminal sends it to proxy and agent alike, so the proxy must not pass it on."""
    reading, writing = os.pipe()
    program = """
def tell(number, _):
    os.write(CHANNEL, b'I' if number == signal.SIGINT else b'T')
signal.signal(signal.SIGINT, tell)
signal.signal(signal.SIGTERM, tell)
os.write(CHANNEL, b'r')
while read(): pass
os.write(CHANNEL, b'.')
"""
    command = proxy_command(core, program.replace("CHANNEL", str(writing)), "--quiet")
    os.set_inheritable(writing, True)
    child, terminal = pty.fork()
    if child == 0:
        try:
            os.execve(command[0], command, core.environment)
        finally:
            os._exit(99)
    os.close(writing)
    with os.fdopen(reading, "rb", 0) as channel, os.fdopen(terminal, "r+b", 0) as keyboard:
        assert channel.read(1) == b"r"
        # The proxy sleeps until the agent has seen its own, or two could fall into one.
        os.kill(child, signal.SIGSTOP)
        keyboard.write(b"\x03")
        assert channel.read(1) == b"I"
        os.kill(child, signal.SIGTERM)
        os.kill(child, signal.SIGCONT)
        # Signals that wait are handled by their numbers, so a second SIGINT would be first.
        assert channel.read(1) == b"T"
        keyboard.write(b"\x04")
        assert read_all(channel) == b"."
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
