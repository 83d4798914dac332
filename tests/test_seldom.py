"""Ways through the code that are seldom taken, and that branch coverage found untested."""

import os
import sys

import pytest

from tests.histories import call_part, chat_record, history_of, joined, own_record, write_chat
from tests.strategies import block, line_of, notification, tool_update


def test_the_shim_falls_back_to_both_pure_kernels_when_one_is_missing(core, monkeypatch):
    shim = core.module("_core")
    monkeypatch.setitem(sys.modules, "acpbound._fit_c", None)
    scan, fit, implementation, reason = shim._choose("auto")
    assert [scan.__name__, fit.__name__] == ["acpbound._scan_py", "acpbound._fit_py"]
    assert implementation == "python"
    assert "_fit_c" in reason
    with pytest.raises(ImportError, match="_fit_c"):
        shim._choose("require")
    with pytest.raises(ValueError, match="ACPBOUND_EXT='on' is not one of auto, off, require"):
        shim._choose("on")


def test_a_failed_write_is_not_taken_back_where_somebody_went_on_after_it(
    core, tmp_path, monkeypatch
):
    jsonl = core.module("jsonl")
    path = tmp_path / "file"
    write = os.write

    def write_half_and_fail(fd, data):
        if data[:1] == b"\n":
            raise OSError(28, "No space left on device")
        written = write(fd, data[:4])
        # A writer that takes no lock.
        write(fd, b"other\n")
        monkeypatch.setattr(
            jsonl.os, "write", lambda *_: (_ for _ in ()).throw(OSError(28, "full"))
        )
        return written

    monkeypatch.setattr(jsonl.os, "write", write_half_and_fail)
    fd = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT)
    try:
        with pytest.raises(OSError, match="full"):
            jsonl.append_line(fd, b'{"a":1}\n')
    finally:
        os.close(fd)
    assert path.read_bytes() == b'{"a"other\n'


@pytest.mark.parametrize("content", [b"", b"{]\n", b'{"sessionId":7}\n', b'{"update":{}}\n'])
def test_a_file_that_names_no_session_is_named_after_itself(core, tmp_path, content):
    path = tmp_path / "chat.jsonl"
    path.write_bytes(content)
    single = core.module("cli_replay")._SingleFile(path, lambda _: None)
    assert single.recorded_session() == "chat"


def test_a_page_that_closes_calls_reads_past_records_that_it_cannot_convert(core, tmp_path):
    records = [
        chat_record("assistant", call_part("c-1"), {"text": "one"}),
        chat_record("nothing known"),
        *(chat_record("user", {"text": f"{n}"}) for n in range(3)),
    ]
    history = history_of(core, tmp_path, *records)
    first = history.page("s", limit=2)
    second = history.page("s", first["nextCursor"], 2)
    assert "replayError" in second
    rest = [history.page("s", second["nextCursor"], 3)]
    rest.append(history.page("s", rest[-1]["nextCursor"], 3))
    assert [update.get("status") for update in joined(rest)] == [None, None, None, "failed"]
    assert joined(rest)[-1]["toolCallId"] == "c-1"


def test_a_call_is_closed_by_what_the_page_saw_though_more_is_written_meanwhile(core, tmp_path):
    conversion, store = core.module("conversion"), core.module("transcript")
    path = write_chat(tmp_path, chat_record("assistant", call_part("c-1")))
    end = path.stat().st_size
    with path.open("ab") as file:
        file.write(line_of(chat_record("assistant", call_part("c-2"))))
    with store.TranscriptStore(tmp_path).open("s") as transcript:
        assert list(conversion._open_calls(transcript, 0, end)) == ["c-1"]
        assert list(conversion._open_calls(transcript, 0, end + 1)) == ["c-1"]


def test_a_large_frame_of_small_parts_has_no_payload_to_name(core):
    left_alone = core.module("left_alone")
    projector = core.Projector(500)
    small = {"sessionUpdate": "plan", "entries": ["e" * 100]}
    assert list(left_alone.large_payloads({"result": {"updates": [small] * 9}}, projector)) == []
    # Long only by the spaces between its values.
    assert list(left_alone.large_payloads({"id": 1, "result": {}}, projector)) == []


def test_a_frame_of_several_kinds_is_called_by_their_number(core, tmp_path):
    recording = tmp_path / "recording.ndjson"
    updates = [tool_update(content=[block("t")]), {"sessionUpdate": "plan"}]
    recording.write_bytes(line_of({"result": {"updates": updates}}) + line_of(notification({})))
    shown = core.run("measure", str(recording)).stdout.decode()
    assert "2 updates" in shown


def test_own_records_leave_no_call_open(core, tmp_path):
    call = {"sessionUpdate": "tool_call", "toolCallId": "c-1", "_meta": {}}
    history = history_of(core, tmp_path, own_record(1, update=call))
    assert len(history.bulk("s")["updates"]) == 1
