"""``acpbound filter`` as a process: real recordings, odd lines, pieces of lines, closed pipes."""

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.conftest import DATA
from tests.strategies import line_of, notification, tool_update, wire_bytes

BIG_LINE = line_of(notification(tool_update("汉字" * 30_000, rawOutput='"q" ' * 40_000)))
SMALL_LINE = line_of(notification(tool_update("small", rawOutput="small")))
NOISE = [
    b"[2026-12-02] agent started\n",
    b"\x1b[31mred\x1b[0m\n",
    b"null\n",
    b"42\n",
    b'"text"\n',
    b"[]\n",
    b"\n",
    b"   \n",
    b"\r\n",
    b"\xff\xfe\n",
]


def bounded(core, line, budget=65_536):
    """A line as the library would have it, by decoding and writing the whole of it."""
    frame = json.loads(line)
    return line_of(core.module("frames").project_frame(frame, core.Projector(budget)))


def run(core, data, *arguments):
    done = core.run("filter", *arguments, input=data)
    assert done.returncode == 0
    return done.stdout, done.stderr.decode()


@pytest.mark.parametrize("name", ["agent_session_live", "agent_session_replay"])
def test_a_real_recording(core, name):
    recording = DATA / f"{name}.ndjson"
    done = core.run("filter", str(recording))
    assert done.returncode == 0
    before = recording.read_bytes().split(b"\n")
    after = done.stdout.split(b"\n")
    changed = [i for i, line in enumerate(before) if after[i] != line]
    assert len(after) == len(before)
    assert len(changed) == 1
    was, now = (json.loads(lines[changed[0]])["params"]["update"] for lines in (before, after))
    assert was["sessionUpdate"] == "tool_call_update"
    assert len(wire_bytes(was["rawOutput"])) > 160_000
    assert len(wire_bytes(now["rawOutput"])) <= 65_536
    assert now == core.project_update(was)
    assert {**now, "rawOutput": None} == {**was, "rawOutput": None}
    frames = len(before) - 1
    assert done.stderr.decode() == (
        f"acpbound: {frames} frames, 1 bounded, {recording.stat().st_size} bytes in, "
        f"{len(done.stdout)} bytes out\n"
    )


def test_a_file_and_standard_input_give_the_same(core):
    recording = DATA / "agent_session_live.ndjson"
    assert run(core, recording.read_bytes()) == run(core, b"", str(recording))


def test_the_budget_can_be_lowered(core):
    stdout, _ = run(core, BIG_LINE + SMALL_LINE, "--budget", "2000")
    assert stdout == bounded(core, BIG_LINE, 2_000) + SMALL_LINE
    assert run(core, SMALL_LINE * 3, "--budget", "97")[0] == SMALL_LINE * 3


@pytest.mark.parametrize("length", [65_536, 65_537, 1_048_577])
def test_case_1_lines_at_the_limits_are_forwarded(core, length):
    shell = {"method": "session/update", "padding": ""}
    line = line_of({**shell, "padding": "p" * (length - len(line_of(shell)) + 1)})
    assert len(line) == length + 1
    for ending in (b"\n", b"\r\n", b""):
        data = line[:-1] + ending
        assert run(core, data)[0] == data


def test_case_19_noise_between_frames_is_forwarded(core):
    stdout, stderr = run(core, SMALL_LINE.join(NOISE) + BIG_LINE)
    assert stdout == SMALL_LINE.join(NOISE) + bounded(core, BIG_LINE)
    # None of the noise is long enough to be read at all.
    assert stderr.count("\n") == 1
    # Nine small frames and the big one.
    assert stderr.startswith("acpbound: 10 frames, 1 bounded,")


def test_one_warning_tells_of_unreadable_lines_without_their_content(core):
    secret = b"hunter2" * 20_000
    nested = b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}\n"
    bad = [secret + b"\n", b'"' + secret + b'"\n', b'{"a":"\xff' + secret + b'"}\n', nested]
    for first, reason in zip(
        bad, ("not JSON", "not an object", "not UTF-8", "nested too deeply"), strict=True
    ):
        data = SMALL_LINE + first + b"".join(bad) + BIG_LINE
        stdout, stderr = run(core, data)
        assert stdout == data[: -len(BIG_LINE)] + bounded(core, BIG_LINE)
        warning, summary = stderr.rstrip().split("\n")
        assert warning == (
            f"acpbound: line 2 is {reason}; it and any like it pass through unchanged"
        )
        assert "1 bounded" in summary
        assert "hunter2" not in stderr


def test_case_11_only_the_newline_byte_ends_a_line(core):
    text = "\u2028\u2029\u0085\x0c\x0b\x1c\r" * 20_000
    line = line_of(notification(tool_update(text.replace("\r", ""), rawOutput=text)))
    assert line.count(b"\n") == 1
    assert "\u2028".encode() in line
    stdout, stderr = run(core, line + b"odd \r line \x0b\x0c\n" + SMALL_LINE)
    assert stdout == bounded(core, line) + b"odd \r line \x0b\x0c\n" + SMALL_LINE
    assert "2 frames, 1 bounded" in stderr


@pytest.mark.parametrize("data", [b"", b"\n", b"\n\n\n", b"no newline at the end", SMALL_LINE[:-1]])
def test_streams_without_a_frame_or_a_last_newline(core, data):
    assert run(core, data)[0] == data


def test_a_last_line_without_newline_is_bounded_and_gets_none(core):
    assert run(core, BIG_LINE[:-1])[0] == bounded(core, BIG_LINE)[:-1]


def test_case_10_and_18_lone_surrogates_stay_and_a2ui_is_exempt(core):
    lone = line_of(notification(tool_update("x\udc00y\ud800" * 20_000)))
    stdout, _ = run(core, lone)
    assert stdout == bounded(core, lone)
    assert b"\\udc00y\\ud800" in stdout
    exempt = line_of(notification(tool_update("[{}] prose" * 9_000, _meta={"serverId": "A2UI"})))
    assert run(core, exempt)[0] == exempt


class Pieces:
    """A byte stream that gives a list of pieces, one at each read."""

    def __init__(self, pieces):
        self._pieces = [piece for piece in pieces if piece]

    def read1(self, _size):
        return self._pieces.pop(0) if self._pieces else b""


def lines_from(core, pieces):
    return [
        line for group in core.module("stdio").lines_as_available(Pieces(pieces)) for line in group
    ]


def test_case_12_how_input_is_cut_into_pieces_does_not_matter(core):
    data = "汉😀\n\n{}\nlast".encode()
    expected = ["汉😀\n".encode(), b"\n", b"{}\n", b"last"]
    assert lines_from(core, [data]) == expected
    assert lines_from(core, [data[i : i + 1] for i in range(len(data))]) == expected
    for cut in range(len(data)):
        assert lines_from(core, [data[:cut], data[cut:]]) == expected
        for second in range(cut, len(data)):
            assert lines_from(core, [data[:cut], data[cut:second], data[second:]]) == expected


def test_case_12_a_line_that_arrives_in_pieces_is_bounded_and_leaves_at_once(core):
    process = subprocess.Popen(
        core.command("filter"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=core.environment,
        stderr=subprocess.DEVNULL,
        bufsize=0,
    )
    with process:
        watchdog = threading.Timer(60, process.kill)
        watchdog.start()
        for line in (SMALL_LINE, BIG_LINE, SMALL_LINE):
            feeder = threading.Thread(target=feed, args=(process.stdin, line))
            feeder.start()
            expected = bounded(core, line)
            received = b""
            while len(received) < len(expected):
                received += process.stdout.read(len(expected) - len(received))
            # The answer is here although the input is still open.
            assert received == expected
            feeder.join()
        process.stdin.close()
        assert process.stdout.read() == b""
        watchdog.cancel()
    assert process.returncode == 0


def feed(stream, data):
    """Write the beginning byte by byte, so that characters arrive in parts, and then the rest."""
    for i in range(500):
        stream.write(data[i : i + 1])
    view = memoryview(data)[500:]
    while view:
        view = view[stream.write(view) :]


@pytest.mark.skipif(os.name == "nt", reason="pipes there do not end a process with SIGPIPE")
def test_a_closed_reader_ends_it_quietly_with_the_status_of_sigpipe(core):
    process = subprocess.Popen(
        core.command("filter"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=core.environment,
    )
    process.stdout.close()
    _, stderr = process.communicate(SMALL_LINE * 5_000, timeout=60)
    assert process.returncode == 128 + signal.SIGPIPE
    assert stderr == b""


@pytest.mark.skipif(os.name == "nt", reason="no SIGINT for one process there")
def test_an_interrupt_ends_it_quietly_with_its_usual_status(core):
    process = subprocess.Popen(
        core.command("filter"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=core.environment,
    )
    process.stdin.write(SMALL_LINE)
    process.stdin.flush()
    assert process.stdout.readline() == SMALL_LINE
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 128 + signal.SIGINT
    assert stderr == b""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_is_an_error(core):
    with Path("/dev/full").open("wb") as full:
        done = core.run(
            "filter", input=BIG_LINE, capture_output=False, stdout=full, stderr=subprocess.PIPE
        )
    assert done.returncode == 1
    assert done.stderr == b"acpbound: No space left on device\n"


def test_a_file_that_cannot_be_read_is_named(core, tmp_path):
    for path, reason in (
        (tmp_path / "nowhere", "No such file or directory"),
        (tmp_path, "Is a dir"),
    ):
        done = core.run("filter", str(path))
        assert (done.returncode, done.stdout) == (1, b"")
        assert done.stderr.decode().startswith(f"acpbound: {path}: {reason}")
        assert done.stderr.count(b"\n") == 1


def test_the_module_and_the_command_are_the_same(core):
    command = str(Path(sys.executable).parent / "acpbound")
    for arguments in (["--version"], ["filter", str(DATA / "agent_session_live.ndjson")]):
        installed = subprocess.run(
            [command, *arguments], env=core.environment, capture_output=True, check=True
        )
        assert installed.stdout == core.run(*arguments).stdout
