"""The README is true: its example prints what it says, and its figures hold."""

import json
import os
import shlex
import subprocess
import sys

from tests.conftest import DATA
from tests.readme import README, block
from tests.strategies import line_of, notification, tool_update


def test_the_library_example_prints_what_the_readme_says(core, tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", block("run: library")],
        cwd=tmp_path,
        env=core.environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == block("output: library")


def test_the_filter_example_says_what_the_readme_says(core):
    # All before it makes the environment; .ci/run runs the whole line as it stands.
    command = shlex.split(block("run: filter"))
    arguments = command[command.index(".venv/bin/acpbound") + 1 : command.index(">")]
    assert arguments == ["filter", "tests/data/agent_session_live.ndjson"]
    done = core.run(*arguments, cwd=README.parent)
    assert done.stderr.decode() in README.read_text("utf-8")
    before = (DATA / "agent_session_live.ndjson").read_bytes().split(b"\n")
    same = sum(map(bytes.__eq__, before[:-1], done.stdout.split(b"\n")))
    assert (same, len(before) - 1) == (4, 5)
    assert "four of the five lines" in README.read_text("utf-8")


def test_the_numbers_of_the_contract_are_right(core):
    text = README.read_text("utf-8")
    assert f"{core.BUDGET:,} bytes of\nJSON each" in text
    assert f"budget={core.BUDGET:_}" in text
    output = "x" * 500_000
    frame = line_of(notification(core.project_update(tool_update(output, rawOutput=output))))
    assert f"about {len(frame) // 1000} KB" in text


def test_the_recording_before_and_after_is_what_the_readme_shows(core):
    text = README.read_text("utf-8")
    recording = DATA / "agent_session_live.ndjson"
    filtered = core.run("filter", str(recording)).stdout
    before, after = (max(data.split(b"\n"), key=len) for data in (recording.read_bytes(), filtered))
    shown, kept = (json.loads(line)["params"]["update"]["rawOutput"] for line in (before, after))
    assert f"| bytes on the wire | {len(before):,} | {len(after):,} |" in text
    assert f"| characters of `rawOutput` | {len(shown):,} | {len(kept):,} |" in text
    cut = block("output: cut").rstrip("\n")
    assert json.dumps(core.MARKER)[1:-1] in cut
    assert cut.encode() in after


def test_the_editor_settings_start_the_agent_behind_the_proxy(core, tmp_path):
    (server,) = json.loads(block("run: zed"))["agent_servers"].values()
    assert server["command"] == "acpbound"
    agent = tmp_path / "some-agent"
    agent.write_text(
        f"#!{sys.executable}\nimport json, sys\n"
        "assert sys.argv[1:] == ['--acp']\nfor line in sys.stdin: print(line, end='')\n"
    )
    agent.chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    big = line_of(notification(tool_update("x" * 500_000)))
    done = core.run(*server["args"], input=big, env={**core.environment, "PATH": path})
    assert done.returncode == 0
    assert done.stdout == line_of(notification(core.project_update(tool_update("x" * 500_000))))
