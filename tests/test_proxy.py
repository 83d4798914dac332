"""``acpbound proxy`` with well-behaved agents: what passes, what is said, how it ends."""

import json
import os
import subprocess
import sys

import pytest

from tests.proxying import (
    ECHO,
    feed,
    proxy_command,
    read_all,
    read_exactly,
    read_line,
    run_proxy,
    running_proxy,
    write_on,
)
from tests.strategies import block, line_of, notification, tool_update, wire_bytes

BIG = line_of(notification(tool_update("x" * 500_000, rawOutput="x" * 500_000)))
SMALL = line_of(notification(tool_update("short")))


def test_big_results_are_bounded_and_the_rest_is_as_it_came(core):
    run = run_proxy(core, ECHO, input=SMALL + BIG + b"a log line\n" + SMALL)
    first, bounded, log, last = run.stdout.splitlines(keepends=True)
    assert (first, log, last) == (SMALL, b"a log line\n", SMALL)
    update = json.loads(bounded)["params"]["update"]
    assert len(wire_bytes(update["content"])) == 65_536
    assert len(wire_bytes(update["rawOutput"])) == 65_482
    assert update["content"][0]["content"]["text"] == update["rawOutput"]
    assert len(bounded) < 131_173 + 200
    assert run.returncode == 0


def test_the_budget_is_the_one_asked_for(core):
    run = run_proxy(core, ECHO, "--budget", "97", input=BIG)
    content = json.loads(run.stdout)["params"]["update"]["content"]
    assert content == [block("\n[... truncated for ACP transport ...]\n")]


def test_a_budget_below_the_smallest_is_an_error(core):
    run = run_proxy(core, ECHO, "--budget", "96")
    assert run.returncode == 2
    assert b"96 is below 97" in run.stderr


def test_the_summary_counts_what_passed(core):
    run = run_proxy(core, ECHO, input=SMALL + BIG)
    bytes_in, bytes_out = len(SMALL + BIG), len(run.stdout)
    summary = f"acpbound: 1 frames bounded, {bytes_in} bytes in, {bytes_out} bytes out\n"
    assert run.stderr.decode() == summary


def test_quiet_leaves_stderr_to_the_agent(core):
    run = run_proxy(core, "os.write(2, b'agent: \\xff\\n')", "--quiet")
    assert run.stderr == b"agent: \xff\n"


def test_without_a_transcript_nothing_is_written_to_disk(core, tmp_path):
    """No file appears where programs like to leave them, and none could take a byte anyway."""
    folders = dict.fromkeys(("HOME", "TMPDIR", "XDG_CACHE_HOME", "XDG_DATA_HOME"), str(tmp_path))
    command = proxy_command(core, ECHO)
    run = subprocess.run(
        ["sh", "-c", 'trap "" XFSZ; ulimit -f 0; exec "$@"', "sh", *command],
        check=True,
        input=b"not JSON" * 10_000 + b"\n" + BIG,
        capture_output=True,
        cwd=tmp_path,
        env={**core.environment, **folders},
    )
    assert run.stderr.count(b"\n") == 2  # the warning about the first line, and the summary
    assert b"1 frames bounded" in run.stderr
    assert list(tmp_path.iterdir()) == []


def test_the_agent_gets_its_arguments_as_they_are_without_a_shell(core):
    words = ["$HOME", "a b", "*", "--", "--budget", "", "é", ";"]
    command = [sys.executable, "-c", "import sys, json; print(json.dumps(sys.argv[1:]))", *words]
    assert json.loads(run_proxy(core, command).stdout) == words


def test_the_agent_has_the_environment_the_folder_and_the_open_files(core, tmp_path):
    program = (
        "out(json.dumps([os.getcwd(), os.read(int(os.environ['CHANNEL']), 5).decode()]).encode())"
    )
    readable, writable = os.pipe()
    os.write(writable, b"hello")
    environment = {**core.environment, "CHANNEL": str(readable)}
    command = proxy_command(core, program, "--quiet")
    run = subprocess.run(
        command, check=True, stdout=-1, cwd=tmp_path, pass_fds=[readable], env=environment
    )
    os.close(readable)
    os.close(writable)
    assert json.loads(run.stdout) == [str(tmp_path), "hello"]


@pytest.mark.parametrize("status", [0, 1, 3, 255])
def test_the_exit_status_is_the_agents(core, status):
    assert run_proxy(core, f"sys.exit({status})").returncode == status


@pytest.mark.parametrize(
    ("command", "status", "message"),
    [
        (["no-such-agent"], 127, "no-such-agent: no such command"),
        (["/no/such/agent"], 127, "/no/such/agent: no such command"),
        (["/"], 126, "/: cannot be run: Permission denied"),
    ],
)
def test_a_command_that_cannot_start_has_the_status_of_a_shell(core, command, status, message):
    run = run_proxy(core, command)
    assert run.returncode == status
    assert message in run.stderr.decode()
    assert run.stdout == b""


def test_a_file_that_is_not_executable_has_status_126(core, tmp_path):
    script = tmp_path / "agent"
    script.write_text("#!/bin/sh\n")
    assert run_proxy(core, [str(script)]).returncode == 126
    script.chmod(0o755)
    assert run_proxy(core, [str(script)]).returncode == 0
    script.write_bytes(b"\x7fELF, but not really")
    assert run_proxy(core, [str(script)]).returncode == 126


@pytest.mark.parametrize("words", [[], ["cat"], ["--budget", "97"], ["--"], ["npx", "--yes", "a"]])
def test_a_missing_command_is_explained(core, words):
    run = core.run("proxy", *words)
    assert run.returncode == 2
    assert b"the agent's command must follow `--`" in run.stderr


def test_help_is_given_without_a_command(core):
    run = core.run("proxy", "--help")
    assert run.returncode == 0
    assert b"-- COMMAND [ARGS...]" in run.stdout


def test_a_frame_arrives_while_the_agent_goes_on(core):
    program = "out(read()); out(read()); out(read())"
    with running_proxy(core, program, "--quiet") as proxy:
        for line in (SMALL, b"\n", b"not a frame\n"):
            proxy.stdin.write(line)
            assert read_line(proxy.stdout) == line
        # The agent has ended although the client's end is still open.
        assert proxy.wait(20) == 0


def test_a_last_line_without_newline_is_delivered(core):
    bounded = run_proxy(core, ECHO, input=BIG[:-1]).stdout
    assert bounded == run_proxy(core, ECHO, input=BIG).stdout[:-1]
    assert run_proxy(core, ECHO, input=b"half a li").stdout == b"half a li"


def test_an_agent_that_closes_its_stdout_has_it_closed_for_the_client(core):
    with running_proxy(
        core, "out(b'bye\\n'); os.close(1); read(); sys.exit(7)", "--quiet"
    ) as proxy:
        assert read_all(proxy.stdout) == b"bye\n"
        proxy.stdin.write(b"go\n")
        assert proxy.wait(20) == 7


def test_an_agent_that_closes_its_stdin_has_it_closed_for_the_client(core):
    program = "os.close(0); out(b'closed\\n'); signal.pause()"
    with running_proxy(core, program, "--quiet") as proxy:
        assert read_line(proxy.stdout) == b"closed\n"
        with pytest.raises(BrokenPipeError):
            write_on(proxy.stdin)
        proxy.terminate()
        assert proxy.wait(20) == 128 + 15


@pytest.mark.parametrize("closed", ["<&-", ">&-", "<&- >&-", "<&- >&- 2>&-"])
def test_standard_streams_that_are_closed_are_taken_as_ended(core, closed, tmp_path):
    """Their numbers are free, and nothing that is opened next may be read or written for them."""
    program = f"""
for _ in range(3): out(b'words for the client\\n')
with open({str(tmp_path / "read")!r}, 'wb') as file:
    file.write(b'%d bytes' % len(sys.stdin.buffer.read()))
"""
    command = proxy_command(core, program, "--quiet")
    run = subprocess.run(
        ["sh", "-c", f'exec "$@" {closed}', "sh", *command],
        check=True,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=core.environment,
        timeout=60,
    )
    assert (tmp_path / "read").read_bytes() == b"0 bytes"
    assert run.stdout == (b"" if ">&-" in closed else b"words for the client\n" * 3)
    assert run.stderr == b""


def test_streams_that_do_not_block_are_waited_for(core):
    """A client may share its choice not to block with the proxy, as over a socket pair."""
    stdin, to_stdin = os.pipe()
    from_stdout, stdout = os.pipe()
    os.set_blocking(stdin, False)
    os.set_blocking(stdout, False)
    lines = SMALL * 3000
    with running_proxy(core, ECHO, "--quiet", stdin=stdin, stdout=stdout) as proxy:
        os.close(stdin)
        os.close(stdout)
        with os.fdopen(from_stdout, "rb", 0) as reader:
            with os.fdopen(to_stdin, "wb", 0) as writer:
                writer.write(SMALL)
                assert read_line(reader) == SMALL
                # More than all pipes hold, so both sides of the proxy have to wait.
                feeder = feed(writer, lines)
                assert read_exactly(reader, len(lines)) == lines
                feeder.join()
            assert proxy.wait(20) == 0
