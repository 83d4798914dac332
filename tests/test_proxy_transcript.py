"""``acpbound proxy --transcript`` with the real store and a real file system."""

import json
import subprocess

from tests.proxying import ECHO, proxy_command, run_proxy
from tests.strategies import line_of, notification, tool_update, wire_bytes


def test_a_proxy_keeps_the_whole_text_in_its_transcript(core, tmp_path):
    updates = [tool_update("x" * 500_000, rawOutput="x" * 500_000), tool_update("\ud800 small")]
    lines = [line_of(notification(update)) for update in updates]
    run = run_proxy(core, ECHO, "--transcript", str(tmp_path), input=b"".join(lines))
    assert len(run.stdout) < 132_000
    assert run.stderr.endswith(b", 2 updates recorded\n")
    [file] = tmp_path.rglob("*.jsonl")
    kept = [json.loads(line)["update"] for line in file.read_bytes().splitlines()]
    assert kept == updates


def test_what_a_proxy_kept_comes_back_byte_for_byte_by_export(core, tmp_path):
    update = tool_update("汉\u2028" * 100_000, rawOutput="y" * 500_000)
    run_proxy(core, ECHO, "--transcript", str(tmp_path), input=line_of(notification(update)))
    run = core.run("export", str(tmp_path), "s-1")
    assert run.returncode == 0
    assert wire_bytes(update) in run.stdout


def test_a_full_disk_under_the_transcript_does_not_stop_delivery(core, tmp_path):
    """The disk is full for this process: no file may grow beyond 200 blocks of 512 bytes."""
    lines = [line_of(notification(tool_update("z" * 80_000))) for _ in range(5)]
    command = proxy_command(core, ECHO, "--transcript", str(tmp_path))
    run = subprocess.run(
        ["sh", "-c", 'ulimit -f 200 && exec "$@"', "sh", *command],
        check=True,
        input=b"".join(lines),
        capture_output=True,
        env=core.environment,
    )
    assert run.stdout.count(b"\n") == 5
    warning, summary = run.stderr.splitlines()
    assert b"the transcript cannot keep an update" in warning
    assert b"1 updates recorded, 4 not" in summary


def test_a_session_id_that_is_no_plain_name_is_delivered_and_not_written(core, tmp_path):
    folder = tmp_path / "inner"
    frame = line_of(notification(tool_update("a"))).replace(b'"s-1"', b'"../escaped"')
    run = run_proxy(core, ECHO, "--transcript", str(folder), input=frame)
    assert run.stdout == frame
    assert b"the transcript cannot keep an update" in run.stderr
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
