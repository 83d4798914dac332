"""``acpbound measure --html``: one file that a browser can show without asking anybody."""

import json
import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import line_of, notification, tool_update

BIG = "x" * 100_000
VOID = {"meta"}


class Page(HTMLParser):
    """Its elements, texts and attributes; every element has to be closed."""

    def __init__(self, source):
        super().__init__()
        self.open = []
        self.elements = []
        self.attributes = []
        self.text = ""
        self.feed(source)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.elements.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data + "\n"


def page_of(core, tmp_path, *frames, options=()):
    recording = tmp_path / "recording.ndjson"
    recording.write_bytes(b"".join(map(line_of, frames)))
    page = tmp_path / "report.html"
    run = core.run("measure", str(recording), "--html", str(page), *options)
    assert (run.returncode, run.stderr) == (0, b"")
    return page.read_text("utf-8"), run.stdout


def test_the_page_shows_the_counts_of_the_report(core, tmp_path):
    frames = [
        notification(tool_update(BIG, rawOutput=BIG)),
        notification(tool_update("small")),
        notification(tool_update(rawOutput={"stdout": BIG})),
    ]
    source, printed = page_of(core, tmp_path, *frames, options=["--json"])
    report = json.loads(printed)
    page = Page(source)
    assert source.startswith("<!DOCTYPE html>")
    for wanted in (
        f"{report['bytesBefore']:,}",
        f"{report['bytesAfter']:,}",
        "tool_call_update",
        "structured rawOutput",
        "--also rawOutput",
        "65,536 bytes for each display field",
        "recording.ndjson:3",
    ):
        assert wanted in page.text
    before, after = (
        [int(size.replace(",", "")) for size in re.findall(rf"{name}: ([\d,]+) bytes", page.text)]
        for name in ("before", "after")
    )
    assert before == [len(line_of(frame)) - 1 for frame in frames]
    assert before[1:] == after[1:]
    assert after[0] == report["largestFrames"][0]["bytes_after"] < before[0]
    assert page.elements.count("rect") == 2 * len(frames)


def test_the_page_loads_nothing_and_runs_nothing(core, tmp_path):
    source, _ = page_of(core, tmp_path, notification(tool_update(BIG)))
    page = Page(source)
    assert not {"script", "link", "img", "iframe", "object", "embed", "base"} & {*page.elements}
    names = {name for name, _ in page.attributes}
    assert not {"src", "href", "xlink:href", "action", "srcset"} & names
    assert not any(name.startswith("on") for name in names)
    assert "url(" not in source
    assert "@import" not in source
    (policy,) = (value for name, value in page.attributes if "default-src" in (value or ""))
    assert policy.startswith("default-src 'none'")


def test_what_a_recording_says_is_text_and_nothing_else(core, tmp_path):
    hostile = "<script>alert('1')</script>\"&\x1b[31m\u202e\udc80"
    frame = {"method": hostile, "params": BIG}
    source, _ = page_of(core, tmp_path, frame)
    page = Page(source)
    assert "script" not in page.elements
    assert "<script>alert('1')</script>\"&?[31m??" in page.text
    assert "\x1b" not in source


def test_the_name_of_a_recording_is_text_too(core, tmp_path):
    recording = tmp_path / "<b>&.ndjson"
    recording.write_bytes(b"{}\n")
    page = tmp_path / "page.html"
    assert core.run("measure", str(recording), "--html", str(page)).returncode == 0
    parsed = Page(page.read_text("utf-8"))
    assert "b" in parsed.elements  # the figures' own
    assert "<b>&.ndjson" in parsed.text


@pytest.mark.parametrize("content", [b"", b"\n\n", b"no json\n"])
def test_a_recording_without_frames_makes_a_page_without_drawings(core, tmp_path, content):
    recording = tmp_path / "empty.ndjson"
    recording.write_bytes(content)
    page = tmp_path / "page.html"
    assert core.run("measure", str(recording), "--html", str(page)).returncode == 0
    parsed = Page(page.read_text("utf-8"))
    assert "svg" not in parsed.elements
    assert "unreadable lines" in parsed.text


def test_the_tables_are_printed_as_well(core, tmp_path):
    frame = notification(tool_update(BIG))
    _, printed = page_of(core, tmp_path, frame)
    assert printed == core.run("measure", str(tmp_path / "recording.ndjson")).stdout
    assert b"Largest frames" in printed


def test_a_page_that_cannot_be_written_is_an_error_with_its_name(core, tmp_path):
    recording = tmp_path / "recording.ndjson"
    recording.write_bytes(b"{}\n")
    run = core.run("measure", str(recording), "--html", str(tmp_path))
    assert run.returncode == 1
    assert run.stderr.decode() == f"acpbound: {tmp_path}: Is a directory\n"


@given(st.lists(st.tuples(st.integers(0, 999), st.integers(0, 999)), max_size=2000))
def test_columns_hold_the_largest_of_equally_many_frames(core, sizes):
    course = core.module("course").Course()
    for before, after in sizes:
        course.add(before, after)
    columns = course.as_json()
    width = columns["framesPerColumn"]
    for name, values in (("before", [b for b, _ in sizes]), ("after", [a for _, a in sizes])):
        chunks = [values[i : i + width] for i in range(0, len(values), width)]
        assert columns[name] == [max(chunk) for chunk in chunks]
    # As few frames in a column as let all of them have one.
    assert len(columns["before"]) <= 240
    assert width == 1 or len(sizes) > 240 * width / 2


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1 kB"),
        (65_536, "65.5 kB"),
        (202_009, "202 kB"),
        (1_000_000, "1 MB"),
        (286_000_000, "286 MB"),
        (5_120_000_000, "5.12 GB"),
        (7_000_000_000_000, "7,000 GB"),
    ],
)
def test_sizes_are_shown_with_three_digits(core, size, expected):
    assert core.module("report_page")._bytes(size) == expected


@pytest.mark.parametrize("frames", [240, 241, 480, 481, 100_000])
def test_a_long_recording_has_no_more_columns_than_a_screen(core, frames):
    course = core.module("course").Course()
    for size in range(frames):
        course.add(size, size // 2)
    columns = course.as_json()
    width = columns["framesPerColumn"]
    assert width == 1 or 120 * width < frames <= 240 * width
    assert columns["before"] == [
        min(start + width, frames) - 1 for start in range(0, frames, width)
    ]
