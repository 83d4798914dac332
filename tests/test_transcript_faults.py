"""Crashes, full disks, many writers and damage: acknowledged records stay, torn ones never show."""

import json
import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.strategies import tool_update
from tests.test_transcript import recorded, store_at

ROOT = Path(__file__).parent.parent

#: Appends records of some size for ever and prints each uuid once it is acknowledged.
APPENDER = """
import sys
from acpbound.transcript import TranscriptStore
root, size = sys.argv[1], int(sys.argv[2])
store = TranscriptStore(root)
n = 0
while True:
    update = {"sessionUpdate": "tool_call_update", "toolCallId": "c", "n": n, "text": str(n) * size}
    print(n, store.append("s", update), flush=True)
    n += 1
"""

#: Appends ten records in writes of at most a thousand bytes, and lets others run between them.
PIECEMEAL = """
import os, sys, time
from acpbound.transcript import TranscriptStore
write = os.write
def piece(fd, data):
    time.sleep(0.0001)
    return write(fd, data[:1000])
os.write = piece
store = TranscriptStore(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
for n in range(10):
    store.append("s", {"sessionUpdate": "plan", "who": sys.argv[2], "n": n, "text": "x" * 100_000})
"""

#: Appends a record whole, then writes half of the next one, says so, and goes no further.
HALF_WAY = """
import os, sys
from acpbound.transcript import TranscriptStore
store = TranscriptStore(sys.argv[1])
update = {"sessionUpdate": "plan", "who": sys.argv[2], "text": "x" * 100_000}
print(store.append("s", update), flush=True)
write = os.write
def half(fd, data):
    write(fd, data[: len(data) // 2])
    print("half", flush=True)
    sys.stdin.readline()
os.write = half
store.append("s", update)
"""

#: Fills the space that a file may take, then gets more of it.
ON_A_FULL_DISK = """
import resource, sys
from acpbound.transcript import TranscriptStore
store = TranscriptStore(sys.argv[1])
update = {"sessionUpdate": "plan", "text": "x" * 30_000}
store.append("s", {**update, "n": 0})
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, resource.RLIM_INFINITY))
refused = 0
for n in range(1, 6):
    try:
        store.append("s", {**update, "n": n})
    except OSError as error:
        refused += 1
store.append("s", {"sessionUpdate": "plan", "n": "small"})
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
store.append("s", {**update, "n": "last"})
print(refused)
"""


def start(core, script, *arguments):
    return subprocess.Popen(
        [sys.executable, "-c", script, *map(str, arguments)],
        env=core.environment,
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )


def chat_file(root):
    return root / "chats" / "s.jsonl"


def test_a_writer_killed_in_a_loop_loses_nothing_acknowledged_and_tears_nothing(core, tmp_path):
    acknowledged = {}
    for round_ in range(8):
        with start(core, APPENDER, tmp_path, 100_000 + round_) as writer:
            for _ in range(3):
                number, record_id = writer.stdout.readline().split()
                acknowledged[record_id.decode()] = int(number)
            writer.send_signal(signal.SIGKILL)
            for line in writer.stdout:
                if line.endswith(b"\n"):
                    number, record_id = line.split()
                    acknowledged[record_id.decode()] = int(number)
    assert len(acknowledged) >= 24
    store = store_at(core, tmp_path, on_damage=lambda _: None)
    with store.open("s") as transcript:
        found = {line.value["uuid"]: line.value["update"] for line in transcript.lines()}
    assert acknowledged.items() <= {key: update["n"] for key, update in found.items()}.items()
    for update in found.values():
        repeats, rest = divmod(len(update["text"]), len(str(update["n"])))
        assert rest == 0
        assert 100_000 <= repeats < 100_008
        assert update["text"] == str(update["n"]) * repeats


def test_a_writer_killed_in_the_middle_of_a_line_holds_up_and_tears_nothing(core, tmp_path):
    damage, acknowledged = [], []
    store = store_at(core, tmp_path, on_damage=damage.append)
    for round_ in range(5):
        with start(core, HALF_WAY, tmp_path, round_) as writer:
            acknowledged.append(writer.stdout.readline().decode().strip())
            assert writer.stdout.readline() == b"half\n"
            assert not chat_file(tmp_path).read_bytes().endswith(b"\n")
            writer.kill()
        damage.clear()
        with store.open("s") as transcript:
            assert [line.value["uuid"] for line in transcript.lines()] == acknowledged
        # The last half line may still grow; those before it have lines after them.
        assert [one.reason for one in damage] == ["not JSON"] * round_
    acknowledged.append(store.append("s", tool_update("after")))
    with store.open("s") as transcript:
        assert [line.value["uuid"] for line in transcript.lines()] == acknowledged


def test_two_processes_never_interleave_within_a_line(core, tmp_path):
    writers = [start(core, PIECEMEAL, tmp_path, who) for who in "ab"]
    for writer in writers:
        assert writer.stdout.readline() == b"ready\n"
    for writer in writers:
        writer.stdin.write(b"go\n")
        writer.stdin.flush()
    for writer in writers:
        writer.communicate()
        assert writer.returncode == 0
    lines = chat_file(tmp_path).read_bytes().split(b"\n")
    assert lines.pop() == b""
    updates = [json.loads(line)["update"] for line in lines]
    assert {(update["who"], update["n"]) for update in updates} == {
        (who, n) for who in "ab" for n in range(10)
    }
    for who in "ab":
        assert [u["n"] for u in updates if u["who"] == who] == list(range(10))


def test_threads_of_one_process_never_interleave_within_a_line(core, tmp_path, monkeypatch):
    store = store_at(core, tmp_path)
    write = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: write(fd, data[:1000]))
    together = threading.Barrier(4)

    def append_ten(who):
        together.wait()
        for number in range(10):
            store.append("s", {"sessionUpdate": "plan", "who": who, "n": number, "t": "x" * 30_000})

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(append_ten, range(4))) == [None] * 4
    found = [(update["who"], update["n"]) for update in recorded(store)]
    assert sorted(found) == [(who, number) for who in range(4) for number in range(10)]


def test_a_full_disk_refuses_records_whole_and_takes_others_later(core, tmp_path):
    with start(core, ON_A_FULL_DISK, tmp_path) as process:
        refused, _ = process.communicate()
    assert process.returncode == 0
    assert refused == b"3\n"
    lines = chat_file(tmp_path).read_bytes().split(b"\n")
    assert lines.pop() == b""
    kept = [json.loads(line)["update"]["n"] for line in lines]
    assert kept == [0, 1, 2, "small", "last"]


def test_a_failed_write_that_cannot_be_taken_back_damages_nothing(core, tmp_path, monkeypatch):
    damage = []
    store = store_at(core, tmp_path, on_damage=damage.append)
    store.append("s", tool_update("before"))
    write = os.write

    def half(fd, data):
        if len(data) < 100:
            raise OSError(28, "No space left on device")
        return write(fd, data[: len(data) // 2])

    def refuse(*_):
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", half)
        patch.setattr(os, "ftruncate", refuse)
        with pytest.raises(OSError, match="No space left"):
            store.append("s", tool_update("lost" * 1000))
    assert not chat_file(tmp_path).read_bytes().endswith(b"\n")
    store.append("s", tool_update("after"))
    assert recorded(store) == [tool_update("before"), tool_update("after")]
    assert [one.reason for one in damage] == ["not JSON"]


def test_a_write_that_was_interrupted_is_taken_back(core, tmp_path, monkeypatch):
    store = store_at(core, tmp_path)
    store.append("s", tool_update("before"))
    whole = chat_file(tmp_path).read_bytes()
    write = os.write

    def interrupted(fd, data):
        if len(data) < 2000:
            raise KeyboardInterrupt
        return write(fd, data[:1000])

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", interrupted)
        with pytest.raises(KeyboardInterrupt):
            store.append("s", tool_update("x" * 10_000))
    assert chat_file(tmp_path).read_bytes() == whole


@pytest.mark.parametrize("torn", [b"", b'{"torn'])
def test_an_append_is_a_single_write(core, tmp_path, monkeypatch, torn):
    store = store_at(core, tmp_path)
    store.append("s", tool_update("before"))
    with chat_file(tmp_path).open("ab") as file:
        file.write(torn)
    write, sizes = os.write, []

    def counted(fd, data):
        sizes.append(len(data))
        return write(fd, data)

    before = chat_file(tmp_path).stat().st_size
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", counted)
        store.append("s", tool_update("x" * 1_000_000))
    assert sizes == [chat_file(tmp_path).stat().st_size - before]
    assert sizes[0] > 1_000_000
