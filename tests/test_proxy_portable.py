"""The proxy where the system has nothing that only POSIX has, as on Windows."""

import subprocess
import sys

from tests.proxying import ECHO, agent, write_all
from tests.strategies import line_of, notification, tool_update

BIG = line_of(notification(tool_update("x" * 500_000)))

#: Takes away what Windows lacks, once the parts of Python itself that need it are loaded.
WITHOUT_POSIX = """
import argparse, gzip, io, json, os, re, select, shutil, signal, subprocess, sys, threading
sys.modules["fcntl"] = sys.modules["resource"] = sys.modules["pwd"] = sys.modules["termios"] = None
for module, names in {
    os: "fork forkpty ctermid getpgrp getpgid setsid killpg tcgetpgrp writev readv set_blocking "
        "get_blocking openpty sendfile O_NOCTTY O_NONBLOCK uname getuid",
    select: "poll epoll",
    signal: "SIGHUP SIGUSR1 SIGKILL SIGPIPE SIGCHLD pthread_sigmask pthread_kill sigwait alarm",
}.items():
    for name in names.split():
        if hasattr(module, name):
            delattr(module, name)
def select_refuses(*_):
    raise OSError("select takes sockets alone")
select.select = select_refuses
# Popen ends a process by a method of its own there; SIGTERM and SIGINT are the names that are left.
send = subprocess.Popen.send_signal
def send_signal(self, number):
    if number != signal.SIGTERM:
        raise ValueError(f"unsupported signal: {number}")
    send(self, number)
subprocess.Popen.send_signal = send_signal
subprocess.Popen.kill = subprocess.Popen.terminate
os.name = "nt"
shutil.which = lambda program: program  # the real one reads what only Windows has
sys.argv = ["acpbound", *sys.argv[1:]]
from acpbound.cli import main
sys.exit(main())
"""


def command(program, *options):
    return [sys.executable, "-c", WITHOUT_POSIX, "proxy", *options, "--", *agent(program)]


def run(core, program, *options, **arguments):
    return subprocess.run(
        command(program, *options),
        check=False,
        capture_output=True,
        env=core.environment,
        timeout=60,
        **arguments,
    )


def test_lines_are_bounded_and_the_summary_is_said(core):
    done = run(core, ECHO, input=BIG + b"\r\n\x1a\n" + BIG[:-1])
    first, noise, control, last = done.stdout.split(b"\n")
    assert (noise, control) == (b"\r", b"\x1a")
    assert len(first) < 66_000
    assert first == last
    assert b"2 frames bounded" in done.stderr
    assert done.returncode == 0


def test_more_than_the_pipes_hold_goes_both_ways(core):
    lines = b"".join(line_of({"id": i, "text": "y" * 200}) for i in range(20_000))
    done = run(core, ECHO, "--quiet", input=lines)
    assert done.stdout == lines
    assert (done.returncode, done.stderr) == (0, b"")


def test_the_status_is_the_agents_and_a_missing_command_is_127(core):
    assert run(core, "sys.exit(7)", "--quiet", input=b"").returncode == 7
    missing = subprocess.run(
        [sys.executable, "-c", WITHOUT_POSIX, "proxy", "--", "no-such-agent"],
        check=False,
        capture_output=True,
        env=core.environment,
    )
    assert missing.returncode == 127
    assert b"no-such-agent: no such command" in missing.stderr


def test_an_agent_that_does_not_end_is_ended_after_its_grace(core):
    program = "while read(): pass\nwhile True: signal.pause()"
    assert run(core, program, "--quiet", "--grace", "0.2", input=b"").returncode == 128 + 15


def test_a_process_that_keeps_the_agents_stdout_does_not_hold_the_proxy(core):
    program = f"""
import subprocess
# It goes when its other stream is closed: when the test is over.
child = subprocess.Popen({agent("read()")!r}, stdin=0, stderr=-3)
out(b'last words'); os._exit(6)
"""
    with subprocess.Popen(
        command(program, "--quiet"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=core.environment,
    ) as proxy:
        assert proxy.stdout.read() == b"last words"
        assert proxy.wait(20) == 6


def test_being_terminated_ends_the_agent(core):
    with subprocess.Popen(
        command("out(b'ready\\n'); signal.pause()", "--quiet"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        bufsize=0,
        env=core.environment,
    ) as proxy:
        assert proxy.stdout.readline() == b"ready\n"
        write_all(proxy.stdin, b"unread\n")
        proxy.terminate()
        assert proxy.wait(20) == 128 + 15


def test_a_client_that_reads_no_more_does_not_hold_the_agent(core):
    with subprocess.Popen(
        command("out(read() * 1000); sys.exit(4 * (read() == b''))", "--quiet"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        bufsize=0,
        env=core.environment,
    ) as proxy:
        write_all(proxy.stdin, b"word" * 1000 + b"\n")
        assert len(proxy.stdout.read(100)) == 100
        proxy.stdout.close()
        assert proxy.wait(20) == 4


def test_filter_and_measure_need_nothing_more(core):
    for words, expected in ((["filter"], b"3 bounded"), (["measure", "-"], b"")):
        done = subprocess.run(
            [sys.executable, "-c", WITHOUT_POSIX, *words],
            check=True,
            input=BIG * 3,
            capture_output=True,
            env=core.environment,
        )
        assert expected in done.stderr
        assert done.stdout.count(b"\n") >= 3
