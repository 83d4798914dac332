"""``acpbound replay`` and ``acpbound export``, as processes."""

import json
import subprocess

import pytest

from tests.conftest import DATA
from tests.histories import chat_record, chunk, delivered, own_record, write_chat
from tests.strategies import line_of, notification, tool_update, wire_bytes
from tests.test_transcript import store_at

LONG = 'line "of" output \u6c49\ud800\u2028\n' * 20_000
CHAT = str(DATA / "agent_chat.jsonl")


def replay_line(update, session_id="s"):
    params = {"sessionId": session_id, "update": update}
    return line_of({"jsonrpc": "2.0", "method": "session/update", "params": params})


def assert_says(run, status, *words):
    assert run.returncode == status
    message = run.stderr.decode()
    assert message.startswith("acpbound: ")
    assert message.count("\n") == 1
    for word in words:
        assert word in message


def test_export_gives_back_byte_for_byte_what_replay_truncates(core, tmp_path):
    store = store_at(core, tmp_path)
    update = tool_update(LONG, rawOutput=LONG)
    record_id = store.append("s", update)
    export = core.run("export", str(tmp_path), "s")
    assert (export.returncode, export.stderr) == (0, b"")
    assert export.stdout == wire_bytes(update) + b"\n"
    replay = core.run("replay", str(tmp_path), "s")
    assert (replay.returncode, replay.stderr) == (0, b"")
    bounded = core.project_update(update)
    marked = {**bounded, "_meta": {"qwen.session.recordId": record_id}}
    assert replay.stdout == replay_line(marked)
    assert len(replay.stdout) < 132_000


def test_the_only_session_need_not_be_named(core, tmp_path):
    write_chat(tmp_path, own_record(1), session_id="only")
    assert core.run("export", str(tmp_path)).stdout == line_of(chunk("text 1"))
    assert core.run("replay", str(tmp_path)).stdout == replay_line(delivered(1), "only")


@pytest.mark.parametrize("sessions", [[], ["a", "b"]])
def test_of_several_or_no_sessions_one_must_be_named(core, tmp_path, sessions):
    for name in sessions:
        write_chat(tmp_path, own_record(1), session_id=name)
    for command in ("export", "replay"):
        run = core.run(command, str(tmp_path))
        assert_says(run, 2, f"has {len(sessions)} sessions; name one as SESSION")
        assert run.stdout == b""


def test_a_subagent_is_named_by_its_virtual_id(core, tmp_path):
    store_at(core, tmp_path).append("s", chunk("of the agent"), agent_id="a")
    run = core.run("export", str(tmp_path), "subagent.cw.YQ")
    assert run.stdout == line_of(chunk("of the agent"))


def test_a_single_file_of_qwen_code_is_replayed_bounded_and_exported_whole(core):
    session = "00000000-0000-4000-8000-000000000002"
    lines = core.run("replay", CHAT).stdout.split(b"\n")
    assert lines.pop() == b""
    assert 100_000 < max(map(len, lines)) < 132_000
    frames = [json.loads(line) for line in lines]
    assert {frame["method"] for frame in frames} == {"session/update"}
    assert {frame["params"]["sessionId"] for frame in frames} == {session}
    exported = [json.loads(line) for line in core.run("export", CHAT).stdout.split(b"\n")[:-1]]
    record = json.loads((DATA / "agent_chat.jsonl").read_bytes().split(b"\n")[2])
    assert exported[3]["rawOutput"] == record["toolCallResult"]["resultDisplay"]
    assert len(exported) == len(frames) == 4
    renamed = core.run("replay", CHAT, "another").stdout
    assert json.loads(renamed.split(b"\n")[0])["params"]["sessionId"] == "another"


def test_a_file_may_be_a_pipe(core):
    content = (DATA / "agent_chat.jsonl").read_bytes()
    for command in ("replay", "export"):
        piped = core.run(command, "/dev/stdin", input=content)
        named = core.run(command, CHAT, "stdin")
        assert (piped.returncode, piped.stderr) == (0, b"")
        assert piped.stdout == named.stdout != b""


def test_the_replay_is_what_the_filter_would_leave_alone(core, tmp_path):
    replay = core.run("replay", CHAT)
    recording = tmp_path / "replay.ndjson"
    recording.write_bytes(replay.stdout)
    run = core.run("filter", str(recording))
    assert run.stdout == replay.stdout
    assert b"4 frames, 0 bounded" in run.stderr


def test_replay_takes_a_budget(core, tmp_path):
    write_chat(tmp_path, own_record(1, update=tool_update(rawOutput="x" * 1000)))
    run = core.run("replay", "--budget", "200", str(tmp_path))
    raw_output = json.loads(run.stdout)["params"]["update"]["rawOutput"]
    assert len(json.dumps(raw_output)) == 200
    assert core.run("replay", "--budget", "96", str(tmp_path)).returncode == 2


def test_a_damaged_line_is_told_and_the_rest_is_written(core, tmp_path):
    path = write_chat(tmp_path, own_record(1), 42, own_record(2))
    offset = len(json.dumps(own_record(1))) + 1
    said = (str(path), f"the line at byte {offset} is not an object; it is skipped")
    export = core.run("export", str(tmp_path))
    assert_says(export, 1, *said)
    assert export.stdout == line_of(chunk("text 1")) + line_of(chunk("text 2"))
    replay = core.run("replay", str(path))
    assert_says(replay, 0, *said)
    assert replay.stdout == replay_line(delivered(1)) + replay_line(delivered(2))


def test_a_record_of_the_future_is_told(core, tmp_path):
    write_chat(tmp_path, own_record(1), {"uuid": "u", "v": 2}, own_record(2))
    export = core.run("export", str(tmp_path))
    assert_says(export, 1, "no known record: its version is not 1")
    assert export.stdout == line_of(chunk("text 1")) + line_of(chunk("text 2"))
    replay = core.run("replay", str(tmp_path))
    assert_says(replay, 1, "cannot be converted", "the replay ends there")
    assert replay.stdout == replay_line(delivered(1))


@pytest.mark.parametrize("command", ["export", "replay"])
def test_what_is_not_there_is_an_error(core, tmp_path, command):
    write_chat(tmp_path, own_record(1))
    assert_says(core.run(command, str(tmp_path / "no")), 1, "no: No such file or directory")
    assert_says(core.run(command, str(tmp_path), "other"), 1, "there is no session other")
    assert_says(core.run(command, str(tmp_path), "../s"), 2, "'../s' is no plain name")
    (tmp_path / "chats" / "link.jsonl").symlink_to(CHAT)
    assert_says(core.run(command, str(tmp_path), "link"), 1, "a link leads out")


def test_a_reader_that_goes_away_ends_the_command(core, tmp_path):
    write_chat(tmp_path, *(chat_record("user", {"text": "x" * 100_000}) for _ in range(50)))
    command = core.command("export", str(tmp_path))
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, env=core.environment, **pipes) as process:
        process.stdout.read(10)
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 141


def test_other_commands_do_not_load_what_these_need(core):
    script = "import sys, acpbound.cli; print([n for n in sys.modules if 'replay' in n])"
    run = subprocess.run(
        [*core.command()[:1], "-c", script], env=core.environment, capture_output=True, check=True
    )
    assert run.stdout == b"[]\n"


def test_a_notification_is_what_the_protocol_says(core, tmp_path):
    write_chat(tmp_path, own_record(1), session_id="s-1")
    run = core.run("replay", str(tmp_path))
    assert json.loads(run.stdout) == notification(delivered(1))
