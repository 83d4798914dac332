"""Every vector, on both implementations, through every public way in: update, frame, filter."""

import json
from operator import eq, is_

import pytest

from tests.strategies import line_of, notification
from tests.vectors import CASES, assert_expected, update_of


def test_the_vectors_are_all_here():
    assert len(CASES) == 407


@pytest.mark.parametrize("name", CASES)
def test_update(core, name):
    update = update_of(name)
    bounded = core.project_update(update)
    assert_expected(name, update, bounded, same=is_)
    assert core.project_update(bounded) is bounded


@pytest.mark.parametrize("name", CASES)
def test_frame(core, name):
    frame = notification(update_of(name))
    bounded = core.module("frames").project_frame(frame, core.Projector())
    assert (bounded is frame) == CASES[name]["expect"]["unchanged"]
    assert_expected(name, frame["params"]["update"], bounded["params"]["update"], same=is_)


def test_filter(core, tmp_path):
    lines = [line_of(notification(update_of(name))) for name in CASES]
    recording = tmp_path / "vectors.ndjson"
    recording.write_bytes(b"".join(lines))
    run = core.run("filter", str(recording))
    assert run.returncode == 0
    bounded_lines = [line + b"\n" for line in run.stdout.split(b"\n")[:-1]]
    assert len(bounded_lines) == len(lines)
    changed = 0
    for name, line, bounded_line in zip(CASES, lines, bounded_lines, strict=True):
        if CASES[name]["expect"]["unchanged"]:
            assert bounded_line == line
        else:
            changed += 1
        before = json.loads(line)["params"]["update"]
        assert_expected(name, before, json.loads(bounded_line)["params"]["update"], same=eq)
    assert f"{len(lines)} frames, {changed} bounded".encode() in run.stderr
