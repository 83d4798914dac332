"""``acpbound measure``: what it counts, what it shows, how it reads."""

import gzip
import json
import re

import pytest

from tests.conftest import DATA
from tests.strategies import block, line_of, notification, tool_update, wire_bytes
from tests.terminal import WITHOUT_RICH, run_in_terminal

BIG = "x" * 100_000


def measured(core, tmp_path, *frames, options=()):
    recording = tmp_path / "recording.ndjson"
    recording.write_bytes(b"".join(map(line_of, frames)))
    run = core.run("measure", "--json", *options, str(recording))
    assert run.returncode == 0, run.stderr
    assert run.stderr == b""
    return json.loads(run.stdout)


def test_frames_bytes_kinds_and_savings_are_counted(core, tmp_path):
    frames = [
        notification({"sessionUpdate": "agent_message_chunk"}),
        notification(tool_update(BIG, rawOutput=BIG)),
        {"id": 1, "result": {"updates": [tool_update("a"), tool_update("b", rawOutput=BIG)]}},
        {"id": 2, "method": "session/prompt"},
    ]
    report = measured(core, tmp_path, *frames)
    lines = b"".join(map(line_of, frames))
    bounded = core.run("filter", str(tmp_path / "recording.ndjson")).stdout
    assert report["frames"] == 4
    assert report["framesBounded"] == 2
    assert report["unreadableLines"] == 0
    assert (report["bytesBefore"], report["bytesAfter"]) == (len(lines), len(bounded))
    assert report["bytesSaved"] == len(lines) - len(bounded)
    assert report["updatesByKind"] == {"tool_call_update": 3, "agent_message_chunk": 1}
    assert report["fieldsOverBudget"] == {"content": 1, "rawOutput": 2}
    assert report["leftAlone"] == {}


def test_the_largest_frames_come_first_with_their_places(core, tmp_path):
    frames = [
        notification(tool_update("a" * 10)),
        notification(tool_update(BIG)),
        {"method": "fs/write_text_file", "params": {"content": "b" * 2000}},
        {"id": 1, "result": "c" * 1000},
    ]
    report = measured(core, tmp_path, *frames, options=["--top", "3"])
    name = str(tmp_path / "recording.ndjson")
    sizes = [len(line_of(frame)) - 1 for frame in frames]
    assert [(f["place"], f["kind"], f["bytes_before"]) for f in report["largestFrames"]] == [
        (f"{name}:2", "tool_call_update", sizes[1]),
        (f"{name}:3", "fs/write_text_file", sizes[2]),
        (f"{name}:4", "response", sizes[3]),
    ]
    assert report["largestFrames"][0]["bytes_after"] < 66_000
    assert measured(core, tmp_path, *frames, options=["--top", "0"])["largestFrames"] == []


def test_frame_sizes_are_counted_before_and_after(core, tmp_path):
    report = measured(
        core, tmp_path, {"a": 1}, notification(tool_update(BIG)), notification(tool_update(BIG * 5))
    )
    used = {c["upTo"]: (c["before"], c["after"]) for c in report["frameSizes"] if c["before"]}
    assert used == {256: (1, 1), 262_144: (1, 2), 1_048_576: (1, 0)}
    assert sum(c["after"] for c in report["frameSizes"]) == 3


EXTRA_KEY = {"type": "content", "content": {"type": "text", "text": BIG, "annotations": None}}
IMAGE = {"type": "content", "content": {"type": "image", "data": BIG}}
DIFF = {"type": "diff", "path": "/a", "newText": BIG}


@pytest.mark.parametrize(
    ("update", "where", "reason", "also"),
    [
        (tool_update(rawOutput={"stdout": BIG}), "rawOutput", "structured rawOutput", "rawOutput"),
        (tool_update(rawOutput={BIG: 1}), "rawOutput", "structured rawOutput", None),
        (tool_update(content=[block("a"), EXTRA_KEY]), "content", "extra key", "content"),
        (tool_update(content=[block(BIG), DIFF]), "content", "diff", None),
        (tool_update(content=[{"type": "terminal", "id": BIG}]), "content", "terminal", None),
        (tool_update(content=[IMAGE]), "content", "image block", None),
        (tool_update(content=[BIG]), "content", "block of another kind", None),
        (tool_update(content=BIG), "content", "content that is no array", None),
        (tool_update("a", _meta={"terminal_output": {"data": BIG}}), "_meta", "_meta", "_meta"),
        (tool_update("a", rawInput={"content": BIG}), "rawInput", "rawInput", "rawInput"),
        (tool_update("a", title=BIG), "title", "another member", None),
        (tool_update(BIG, _meta={"serverId": "dq-A2UI"}), "content", "A2UI", None),
    ],
)
def test_each_large_payload_that_stays_is_named_with_its_reason_and_what_would_bound_it(
    core, tmp_path, update, where, reason, also
):
    report = measured(core, tmp_path, notification(update))
    field = where
    size = len(wire_bytes(update[field]))
    assert report["framesBounded"] == 0
    assert report["leftAlone"] == {reason: {"payloads": 1, "bytes": size, "also": also}}
    assert report["largestLeftAlone"] == [
        {
            "size": size,
            "place": f"{tmp_path / 'recording.ndjson'}:1",
            "where": f"tool_call_update.{where}",
            "reason": reason,
            "also": also,
        }
    ]
    if also is not None:
        reached = measured(core, tmp_path, notification(update), options=["--also", also])
        assert reached["framesBounded"] == 1
        assert reached["leftAlone"] == {}


def test_each_choice_is_shown_with_the_largest_frame_that_it_leaves(core, tmp_path):
    frames = [
        notification(tool_update(rawOutput={"stdout": BIG * 3}, _meta={"data": BIG * 2})),
        notification(tool_update("a", _meta={"data": BIG * 4})),
        {"id": 1, "result": "c" * 150_000},
    ]
    lines = b"".join(map(line_of, frames))

    def largest(*options):
        return max(map(len, core.run("filter", *options, input=lines).stdout.split(b"\n")))

    choices = measured(core, tmp_path, *frames)["largestFrameByChoice"]
    assert choices == {
        "": largest(),
        "rawOutput": largest("--also", "rawOutput"),
        "_meta": largest("--also", "_meta"),
        "all": largest("--also", "all"),
    }
    assert choices["all"] == len(line_of(frames[2])) - 1 < choices["_meta"] < choices[""]
    narrowed = measured(core, tmp_path, *frames, options=["--also", "_meta"])
    assert narrowed["largestFrameByChoice"] == {
        "_meta": choices["_meta"],
        "_meta,rawOutput": choices["all"],
    }
    text = core.run("measure", str(tmp_path / "recording.ndjson")).stdout.decode()
    assert re.search(rf"--also _meta +{choices['_meta']:,}\n", text)
    assert re.search(r"structured rawOutput +1 +[\d,]+ +--also rawOutput\n", text)


def test_a_named_field_that_cannot_be_bounded_is_told_with_the_reason(core, tmp_path):
    update = tool_update(rawOutput={BIG: 1})
    report = measured(core, tmp_path, notification(update), options=["--also", "all"])
    (item,) = report["largestLeftAlone"]
    assert item["reason"] == "its structure alone exceeds the budget"
    assert item["also"] is None
    # A name reaches into objects and arrays; a text in this place is no display field.
    update = tool_update(rawInput=BIG)
    report = measured(core, tmp_path, notification(update), options=["--also", "all"])
    (item,) = report["largestLeftAlone"]
    assert (item["reason"], item["also"]) == ("rawInput", None)


def test_large_updates_of_other_kinds_and_other_frames_are_named(core, tmp_path):
    chunk = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": BIG}}
    permission = {"method": "session/request_permission", "params": {"toolCall": tool_update(BIG)}}
    report = measured(core, tmp_path, notification(chunk), permission)
    found = {(item["where"], item["reason"]) for item in report["largestLeftAlone"]}
    assert found == {
        ("agent_message_chunk", "not a tool update"),
        ("session/request_permission", "no session update"),
    }


def test_what_is_bounded_or_small_is_not_left_alone(core, tmp_path):
    small = {"stdout": "x" * 1000}
    report = measured(core, tmp_path, notification(tool_update(BIG, rawInput=small, _meta=small)))
    assert report["leftAlone"] == {}


def test_lines_that_cannot_be_read_are_counted_and_empty_ones_are_not(core, tmp_path):
    recording = tmp_path / "log"
    deep = b'{"a":' * 100_000
    recording.write_bytes(b"log line\n\n \r\n\xff\n" + deep + b'\n{"n": ' + b"9" * 5000 + b"}")
    report = json.loads(core.run("measure", "--json", str(recording)).stdout)
    assert (report["unreadableLines"], report["frames"]) == (3, 1)
    assert report["bytesBefore"] == report["bytesAfter"] == recording.stat().st_size


@pytest.mark.parametrize("packed", [False, True])
def test_recordings_come_from_files_packed_or_not_and_from_stdin(core, tmp_path, packed):
    recording = (DATA / "agent_session_live.ndjson").read_bytes()
    data = gzip.compress(recording) + gzip.compress(recording) if packed else recording * 2
    file = tmp_path / "recording"
    file.write_bytes(data)
    from_file = json.loads(core.run("measure", "--json", str(file)).stdout)
    from_stdin = json.loads(core.run("measure", "--json", "-", input=data).stdout)
    assert from_file["frames"] == from_stdin["frames"] == 10
    assert from_file["bytesBefore"] == from_stdin["bytesBefore"] == 2 * len(recording)
    both = json.loads(core.run("measure", "--json", str(file), "-", input=data).stdout)
    assert both["frames"] == 20


def test_a_damaged_archive_or_a_missing_file_is_said_plainly(core, tmp_path):
    packed = tmp_path / "cut.gz"
    packed.write_bytes(gzip.compress(line_of({"a": BIG}) * 9)[:-20])
    run = core.run("measure", str(packed))
    assert (run.returncode, run.stdout) == (1, b"")
    assert run.stderr.startswith(f"acpbound: {packed}: damaged after line ".encode())
    run = core.run("measure", str(tmp_path / "none"))
    assert run.returncode == 1
    assert run.stderr == f"acpbound: {tmp_path / 'none'}: No such file or directory\n".encode()


@pytest.mark.parametrize("word", ["-1", "many", "1.5"])
def test_a_number_of_the_largest_must_be_one(core, word):
    run = core.run("measure", f"--top={word}", "-")
    assert run.returncode == 2
    assert f"'{word}' is no whole number from 0 on" in run.stderr.decode()


def test_plain_text_is_what_a_pipe_gets(core, tmp_path):
    recording = tmp_path / "r"
    frame = notification(tool_update(BIG, rawInput=BIG), method="session/update")
    recording.write_bytes(line_of(frame) + line_of({"method": "\x1b[31mred\n"}))
    text = core.run("measure", str(recording), cwd=tmp_path).stdout.decode()
    assert "\x1b" not in text
    assert "?[31mred?" in text
    for row in ("frames +2", "tool_call_update +1", "rawInput +1 +100,002"):
        assert re.search(f"^  {row}$", text, re.MULTILINE), row
    assert "up to 256 KiB" in text
    assert "#" * 18 in text


@pytest.mark.parametrize("rich", [True, False])
def test_a_terminal_shows_tables_a_histogram_and_progress(core, tmp_path, rich):
    recording = tmp_path / "recording.ndjson"
    recording.write_bytes(line_of(notification(tool_update(BIG))) * 300)
    words = ["measure", str(recording)]
    command = core.command(*words) if rich else [*WITHOUT_RICH, *words]
    shown, status = run_in_terminal(command, core.environment)
    assert status == 0
    assert "recording.ndjson" in shown
    assert "100%" in shown
    mark = "█" if rich else "#"
    assert mark * 18 in shown
    assert ("\x1b[" in shown) is rich
    assert "30,0" in shown  # bytes, with separators
