"""Progress bars: shown to whoever waits at a terminal, and in nobody's way."""

import json

import pytest

from tests.histories import own_record, write_chat
from tests.strategies import line_of, notification, tool_update
from tests.terminal import WITHOUT_RICH, run_in_terminal, screen_after

BIG = "x" * 100_000
UNREADABLE = b"y" * 100_000 + b"\n"
LINE = line_of(notification(tool_update(BIG)))
RECORD = line_of(own_record(1, update=tool_update(BIG)))

#: What each command is given, and the last line that it leaves on stderr.
COMMANDS = {
    "filter": (LINE, "acpbound: 40 frames, 40 bounded"),
    "replay": (RECORD, "it is skipped"),
    "export": (RECORD, "it is skipped"),
}


@pytest.fixture
def recording(request, tmp_path):
    path = tmp_path / "recording.ndjson"
    (line, _) = COMMANDS[request.getfixturevalue("name")]
    path.write_bytes(line * 20 + UNREADABLE + line * 20)
    return path


@pytest.mark.parametrize("rich", [True, False])
@pytest.mark.parametrize("name", COMMANDS)
def test_a_file_that_is_read_has_a_bar_that_makes_way_for_messages(core, recording, name, rich):
    words = [name, str(recording)]
    command = core.command(*words) if rich else [*WITHOUT_RICH, *words]
    shown, written, status = run_in_terminal(command, core.environment, stdout=False)
    unseen = core.run(*words)
    assert (written, status) == (unseen.stdout, unseen.returncode)
    assert "recording.ndjson" in shown
    assert "100%" in shown
    assert ("\x1b[" in shown) is rich
    # What is left at the end are the messages alone, each on a line of its own.
    assert screen_after(shown) == [*unseen.stderr.decode().split("\n")]
    assert COMMANDS[name][1] in screen_after(shown)[-2]


@pytest.mark.parametrize("name", COMMANDS)
def test_no_bar_is_shown_where_nobody_sees_it(core, recording, name):
    unseen = core.run(name, str(recording))
    assert b"%" not in unseen.stderr
    assert b"\r" not in unseen.stderr
    # The lines go to the same terminal, where a bar would spoil them.
    shown, _ = run_in_terminal(core.command(name, str(recording)), core.environment)
    assert "%" not in shown


def test_the_bar_is_gone_before_a_replay_says_where_it_ends(core, tmp_path):
    path = write_chat(tmp_path, own_record(1), {"uuid": "u", "v": 2}, own_record(2))
    command = [*WITHOUT_RICH, "replay", str(path)]
    shown, written, status = run_in_terminal(command, core.environment, stdout=False)
    assert (written.count(b"\n"), status) == (1, 1)
    (message, end) = screen_after(shown)
    assert message.endswith("the replay ends there")
    assert end == ""


def test_a_pipe_that_is_read_as_a_file_shows_how_much_has_come(core, tmp_path):
    path = tmp_path / "recording.ndjson"
    path.write_bytes(RECORD * 50)
    program = ["bash", "-c", 'cat "$0" | "$@" /dev/stdin', str(path)]
    command = [*program, *WITHOUT_RICH, "export"]
    shown, written, status = run_in_terminal(command, core.environment, stdout=False)
    assert (written.count(b"\n"), status) == (50, 0)
    assert "stdin: 4 MiB" in shown
    assert screen_after(shown) == [""]
    assert json.loads(written.split(b"\n")[0]) == tool_update(BIG)
