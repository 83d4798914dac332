"""The filter on streams as others set them up: closed, full, not blocking, unbuffered."""

import json
import os
import resource
import signal
import subprocess
import sys
import threading

import pytest

from tests.strategies import line_of, notification, tool_update

SMALL_LINE = line_of(notification(tool_update("small")))
DATA = SMALL_LINE * 20_000
UNREADABLE = b"x" * 70_000 + b"\n"

pytestmark = pytest.mark.skipif(os.name == "nt", reason="descriptors and signals as POSIX has them")


@pytest.fixture(params=[None, "1"], ids=["buffered", "unbuffered"])
def environment(core, request):
    """With and without PYTHONUNBUFFERED, whatever this run was started with."""
    variables = {key: value for key, value in core.environment.items() if key != "PYTHONUNBUFFERED"}
    return variables if request.param is None else {**variables, "PYTHONUNBUFFERED": request.param}


def shell(environment, script, data=b""):
    """``script`` with ACPBOUND as the command; status, stdout and stderr."""
    command = f"{sys.executable} -m acpbound"
    done = subprocess.run(
        ["bash", "-c", script.replace("ACPBOUND", command)],
        input=data,
        env=environment,
        capture_output=True,
        timeout=120,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr.decode()


def test_a_full_file_is_an_error_whatever_the_buffering(core, environment, tmp_path):
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

    with (tmp_path / "out").open("wb") as out:
        done = subprocess.run(
            core.command("filter"),
            input=b'{"a":"' + b"x" * 100_000 + b'"}\n',
            stdout=out,
            stderr=subprocess.PIPE,
            env=environment,
            preexec_fn=limit,
            check=False,
        )
    assert (done.returncode, done.stderr) == (1, b"acpbound: File too large\n")


def test_a_pipe_that_does_not_block_gets_everything(core, environment):
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    received = []

    def read_slowly():
        with os.fdopen(reader, "rb", buffering=0) as stream:
            while chunk := stream.read(4_096):
                received.append(chunk)

    with subprocess.Popen(
        core.command("filter"),
        stdin=subprocess.PIPE,
        stdout=writer,
        stderr=subprocess.DEVNULL,
        env=environment,
    ) as process:
        os.close(writer)
        thread = threading.Thread(target=read_slowly)
        thread.start()
        process.communicate(DATA, timeout=60)
        thread.join()
    assert process.returncode == 0
    assert b"".join(received) == DATA


def test_an_input_that_does_not_block_is_waited_for(core, environment):
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    with subprocess.Popen(
        core.command("filter"),
        stdin=reader,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
    ) as process:
        os.close(reader)
        os.write(writer, SMALL_LINE)
        # The answer shows that it has read all there was; then there is nothing, and then more.
        assert process.stdout.readline() == SMALL_LINE
        os.write(writer, SMALL_LINE * 2)
        os.close(writer)
        assert process.stdout.read() == SMALL_LINE * 2
    assert process.returncode == 0


def test_a_stop_in_the_middle_of_a_write_loses_nothing(core, environment):
    with subprocess.Popen(
        core.command("filter"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
    ) as process:
        feeder = threading.Thread(target=lambda: (process.stdin.write(DATA), process.stdin.close()))
        feeder.start()
        received = [process.stdout.read(1)]
        for _ in range(20):
            process.send_signal(signal.SIGSTOP)
            process.send_signal(signal.SIGCONT)
            received.append(process.stdout.read(10_000))
        received.append(process.stdout.read())
        feeder.join()
    assert process.returncode == 0
    assert b"".join(received) == DATA


def test_with_stderr_closed_the_data_is_still_all_and_alone(environment, tmp_path):
    data = UNREADABLE + SMALL_LINE
    status, stdout, _ = shell(environment, "ACPBOUND filter 2>&-", data)
    assert (status, stdout) == (0, data)
    recording = tmp_path / "recording.ndjson"
    recording.write_bytes(data)
    status, stdout, _ = shell(environment, f"ACPBOUND filter '{recording}' 2>&-", b"")
    assert (status, stdout) == (0, data)
    status, stdout, _ = shell(environment, f"ACPBOUND measure --json '{recording}' 2>&-", b"")
    assert (status, json.loads(stdout)["frames"]) == (0, 1)


@pytest.mark.skipif(not os.access("/dev/full", os.W_OK), reason="needs a device that is full")
def test_a_message_that_nobody_takes_never_stops_the_data(environment):
    data = UNREADABLE + SMALL_LINE
    for nobody in ("2>/dev/full", "2> >(exec true); wait $!"):
        status, stdout, _ = shell(environment, f"ACPBOUND filter {nobody}", data)
        assert stdout == data
        assert status in (0, 127), "127 is the shell's own, for a reader that it has forgotten"


def test_closed_standard_streams_are_an_error_in_one_line(environment):
    for command, closed, name in (
        ("filter", "<&-", "input"),
        ("filter", ">&-", "output"),
        ("measure /dev/null", ">&-", "output"),
    ):
        status, stdout, stderr = shell(environment, f"ACPBOUND {command} {closed}", b"")
        assert (status, stdout) == (1, b"")
        assert stderr == f"acpbound: standard {name} is closed\n"


def test_a_dash_is_standard_input(environment):
    assert shell(environment, "ACPBOUND filter -", DATA)[:2] == (0, DATA)


@pytest.mark.parametrize("option", ["--version", "--help", "filter --help"])
def test_what_the_options_print_into_a_closed_pipe(environment, option):
    script = f"ACPBOUND {option} | true; echo ${{PIPESTATUS[0]}}"
    status, stdout, stderr = shell(environment, script)
    assert (status, stderr) == (0, "")
    # A small text may be gone into the pipe before its reader is.
    assert stdout in (b"141\n", b"0\n")


@pytest.mark.parametrize("length", [65_536, 65_537])
def test_a_line_is_read_only_if_it_is_longer_than_the_budget(environment, length):
    line = b"y" * length
    for ending in (b"\n", b""):
        status, stdout, stderr = shell(environment, "ACPBOUND filter", line + ending)
        assert (status, stdout) == (0, line + ending)
        assert ("is not JSON" in stderr) == (length > 65_536)


def test_frames_are_counted_by_how_a_message_or_a_batch_begins(environment):
    data = b'  {"a":1}\n[ {"b":2}]\n\t[{"c":3}]\n[log] line\n[]\n{"d":4}'
    assert "4 frames, 0 bounded" in shell(environment, "ACPBOUND filter", data)[2]
