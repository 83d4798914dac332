"""Proxies whose agent or client goes wrong: dies, hangs, floods, closes in the middle of a line."""

import fcntl
import os
import signal
import struct
import subprocess
import termios
import threading

import pytest

from tests.proxying import (
    ECHO,
    agent,
    feed,
    fill,
    proxy_command,
    read_all,
    read_exactly,
    read_line,
    run_proxy,
    running_proxy,
    write_all,
    write_on,
)
from tests.strategies import line_of, notification, tool_update

BIG = line_of(notification(tool_update("x" * 500_000)))
SMALL = line_of(notification(tool_update("short")))


def test_an_agent_killed_in_the_middle_of_a_line_leaves_the_rest_delivered(core):
    program = "line = read(); out(line); out(line[:-9]); os.kill(os.getpid(), signal.SIGKILL)"
    with running_proxy(core, program, "--quiet") as proxy:
        proxy.stdin.write(SMALL)
        assert read_all(proxy.stdout) == SMALL + SMALL[:-9]
        assert proxy.wait(20) == 128 + 9


def test_an_agent_killed_in_the_middle_of_a_long_line_leaves_it_as_it_is(core):
    program = "out(read()[:100_000]); os.abort()"
    run = run_proxy(core, program, input=BIG)
    assert run.stdout == BIG[:100_000]
    assert run.returncode == 128 + signal.SIGABRT
    assert b"not JSON" in run.stderr
    assert b"ended by signal 6" in run.stderr


def test_output_written_just_before_the_end_is_never_lost(core):
    program = "out(read() * 2000); os._exit(5)"
    with running_proxy(core, program, "--quiet") as proxy:
        write_all(proxy.stdin, SMALL)
        # The agent ends while half a megabyte waits for a client that has not begun to read.
        assert read_line(proxy.stdout) == SMALL
        assert len(read_all(proxy.stdout)) == len(SMALL) * 1999
        assert proxy.wait(20) == 5


def test_a_client_that_closes_its_end_in_the_middle_of_a_line_is_end_of_file_to_the_agent(core):
    """The agent's answers go nowhere, but it can finish, and its status is kept."""
    program = """
while line := read():
    out(line * 100)
out(b'late words, which nobody reads\\n' * 10_000)
os.write(2, b'finished')
sys.exit(4)
"""
    with running_proxy(core, program, "--quiet", stderr=subprocess.PIPE) as proxy:
        write_all(proxy.stdin, BIG)
        proxy.stdout.read(10)
        proxy.stdout.close()
        # The client's other end stays open.
        assert proxy.wait(20) == 4
        assert read_all(proxy.stderr) == b"finished"


def test_a_client_that_reads_no_more_learns_that_what_it_writes_arrives_nowhere(core):
    program = "out(b'ready\\n' * 100_000); read(); os.write(2, b'end of file'); time.sleep(600)"
    with running_proxy(core, program, "--quiet", stderr=subprocess.PIPE) as proxy:
        proxy.stdout.read(10)
        proxy.stdout.close()
        # The agent's stdin is closed, as its client's is from now on.
        assert read_exactly(proxy.stderr, 11) == b"end of file"
        with pytest.raises(BrokenPipeError):
            write_on(proxy.stdin)


def test_a_client_that_goes_away_gives_the_agent_time_to_finish(core):
    program = "read(); rest = read(); assert rest == b''; out(b'saved'); sys.exit(9)"
    run = run_proxy(core, program, "--quiet", "--grace", "60", input=SMALL)
    assert (run.stdout, run.returncode) == (b"saved", 9)


def ended_by_its_client(core, program, grace):
    """Output and status of an agent whose client goes away once it has said that it is ready."""
    with running_proxy(core, program, "--quiet", "--grace", grace) as proxy:
        assert read_line(proxy.stdout) == b"ready\n"
        proxy.stdin.close()
        return read_all(proxy.stdout), proxy.wait(20)


def test_an_agent_that_never_exits_is_terminated_after_its_grace(core):
    program = """
def end(*_):
    out(b'terminated')
    sys.exit(3)
signal.signal(signal.SIGTERM, end)
out(b'ready\\n')
while read(): pass
while True: signal.pause()
"""
    assert ended_by_its_client(core, program, "0.2") == (b"terminated", 3)


def test_an_agent_that_ignores_being_terminated_is_killed(core):
    program = """
signal.signal(signal.SIGTERM, signal.SIG_IGN)
out(b'ready\\n')
while read(): pass
while True: signal.pause()
"""
    assert ended_by_its_client(core, program, "0.2") == (b"", 128 + 9)


@pytest.mark.parametrize("separator", [b"\n", b" "], ids=["lines", "one line"])
def test_the_grace_does_not_run_while_output_moves(core, separator):
    # More than the grace goes by in steps that are shorter than it.
    program = f"""
out(b'ready\\n'); read()
for i in range(16): out(b'%d' % i + {separator!r}); time.sleep(0.15)
"""
    expected = b"".join(b"%d" % i + separator for i in range(16))
    assert ended_by_its_client(core, program, "1.5") == (expected, 0)


def test_the_grace_does_not_run_while_the_client_has_not_read(core):
    program = "out(b'x' * 3_000_000 + b'\\n'); out(b'y\\n' * 500_000); out(b'last\\n'); read()"
    with running_proxy(core, program, "--quiet", "--grace", "0.2") as proxy:
        assert read_exactly(proxy.stdout, 10) == b"x" * 10
        # Nothing moves any more, since a pipe holds far less, before the client is gone.
        while waiting(proxy.stdout) < 60_000:
            pass
        proxy.stdin.close()
        # Five graces without a byte read: nothing to wait for but time.
        with pytest.raises(subprocess.TimeoutExpired):
            proxy.wait(1)
        assert read_all(proxy.stdout)[-7:] == b"y\nlast\n"
        assert proxy.wait(20) == 0


def waiting(pipe):
    """Bytes that are there to be read."""
    return struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, b"\0" * 4))[0]


def test_an_agent_that_never_reads_does_not_outlive_its_client(core):
    with running_proxy(core, "while True: signal.pause()", "--quiet", "--grace", "0.2") as proxy:
        fill(proxy.stdin)
        proxy.stdin.close()
        proxy.stdout.close()
        assert proxy.wait(20) == 128 + 15


def test_an_agent_that_never_reads_holds_its_client_up_and_nothing_more(core):
    """Its output is delivered all the same, and the bytes it did not read are not piled up."""
    program = "for _ in range(1000): out(b'words\\n')\nsignal.pause()"
    with running_proxy(core, program, "--quiet") as proxy:
        assert read_exactly(proxy.stdout, 6000) == b"words\n" * 1000
        assert fill(proxy.stdin) < 1_000_000


def test_garbage_is_delivered_with_one_warning_that_shows_none_of_it(core):
    garbage = bytes(range(256)) * 1000 + b"\n"
    garbage += b"secret" * 20_000 + b"\n" + b"\xff" * 70_000
    run = run_proxy(core, ECHO, input=garbage + b"\n" + BIG)
    assert run.stdout.startswith(garbage + b"\n{")
    warning, summary = run.stderr.decode().splitlines()
    assert warning == (
        "acpbound: a line of 120001 bytes is not JSON; it and any like it pass through unchanged"
    )
    assert summary.startswith("acpbound: 1 frames bounded")


def test_an_agent_that_floods_a_client_that_is_gone_is_ended(core):
    program = "while True: out(b'x' * 1000 + b'\\n')"
    with running_proxy(core, program, "--quiet", "--grace", "0.2") as proxy:
        proxy.stdout.read(10)
        proxy.stdout.close()
        proxy.stdin.close()
        assert proxy.wait(20) == 128 + 15


def test_an_agent_that_goes_on_with_one_line_for_a_client_that_is_gone_is_ended(core):
    program = "out(b'ready\\n')\nwhile True: out(b'.'); time.sleep(0.02)"
    with running_proxy(core, program, "--quiet", "--grace", "0.5") as proxy:
        assert read_line(proxy.stdout) == b"ready\n"
        proxy.stdout.close()
        proxy.stdin.close()
        assert proxy.wait(20) == 128 + 15


@pytest.mark.parametrize("grandchild", ["read()", "while True: out(b'I am still here\\n')"])
def test_a_process_that_keeps_the_agents_streams_open_does_not_hold_the_proxy(core, grandchild):
    """Whether it is silent or talks on and on, all that the agent wrote is delivered."""
    program = f"""
import subprocess
out(b'words\\n' * 20_000 + b'last, without newline')
child = subprocess.Popen({agent(grandchild)!r})
os.write(2, b'%d\\n' % child.pid)
os._exit(6)
"""
    with running_proxy(core, program, "--quiet", stderr=subprocess.PIPE) as proxy:
        child = int(read_line(proxy.stderr))
        try:
            received = read_all(proxy.stdout)
            assert proxy.wait(20) == 6
        finally:
            os.kill(child, signal.SIGKILL)
        assert received.startswith(b"words\n" * 20_000 + b"last, without newline")


def test_a_client_on_a_full_disk_is_reported_and_the_agent_ended(core):
    with open("/dev/full", "wb") as full:  # noqa: PTH123
        command = proxy_command(core, ECHO)
        run = subprocess.run(
            command, check=False, input=BIG, stdout=full, stderr=-1, env=core.environment
        )
    assert b"the client's stream failed: No space left on device" in run.stderr
    assert run.returncode == 0


def test_an_agent_whose_client_never_reads_ends_by_signal_like_any_other(core):
    program = "out(read() * 10_000)"
    with running_proxy(core, program, "--quiet") as proxy:
        feed(proxy.stdin, SMALL).join()
        assert read_line(proxy.stdout) == SMALL
        proxy.terminate()
        # Dead, with its last output undelivered; what is left is still to be had.
        assert read_exactly(proxy.stdout, len(SMALL)) == SMALL
        read_all(proxy.stdout)
        assert proxy.wait(20) == 128 + 15


def test_a_failure_of_the_proxy_itself_ends_the_agent_and_is_not_hidden(core):
    """Memory that is not there, say: without a reader the agent would wait for ever."""
    broken = """
import sys, acpbound.lines
def bound_line(*_): raise MemoryError("none left")
acpbound.lines.bound_line = bound_line
from acpbound.cli import main
sys.exit(main())
"""
    command = proxy_command(core, ECHO)
    command[1:3] = ["-c", broken]
    with subprocess.Popen(
        command, stdin=-1, stdout=-1, stderr=-1, bufsize=0, env=core.environment
    ) as proxy:
        watchdog = threading.Timer(30, proxy.kill)
        watchdog.start()
        write_all(proxy.stdin, BIG)
        assert read_all(proxy.stdout) == b""
        assert b"MemoryError: none left" in read_all(proxy.stderr)
        assert proxy.wait(20) == 1
        watchdog.cancel()
