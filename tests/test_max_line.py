"""A line too long to be held passes as it comes, and what follows is bounded as usual."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.proxying import ECHO, read_exactly, run_proxy, running_proxy
from tests.strategies import line_of, notification, tool_update
from tests.test_huge_lines import LENGTH, MIB, output_and_peak

BUDGET = 120
MAX_LINE = 400
WORDS = ("--budget", str(BUDGET), "--max-line", str(MAX_LINE))


def line_of_length(length):
    """A frame with a field over the budget, of so many bytes without its newline."""
    empty = line_of(notification(tool_update(rawOutput="")))
    line = line_of(notification(tool_update(rawOutput="x" * (length + 1 - len(empty)))))
    assert len(line) == length + 1
    return line


AT = line_of_length(MAX_LINE)
ABOVE = line_of_length(MAX_LINE + 1)
SMALL = line_of(notification({"n": 1}))
TOO_LONG = f"is longer than {MAX_LINE} bytes; it and any like it pass through unchanged"


def bounded(core, line):
    after = core.module("splice").bound_line(line, core.Projector(BUDGET))
    assert len(after) < len(line)
    return after


class Stream:
    """What comes out of a filter whose stream is fed in chunks, and what it says and records."""

    def __init__(self, core, chunks, **options):
        self.warnings = []
        line_filter = core.module("lines").LineFilter(
            core.Projector(BUDGET), self.warnings.append, max_line=MAX_LINE, **options
        )
        chunk_filter = core.module("chunks").ChunkFilter(line_filter)
        self.outputs = [b"".join(chunk_filter.feed(chunk)) for chunk in chunks]
        self.outputs.append(b"".join(chunk_filter.end()))
        self.output = b"".join(self.outputs)
        self.counts = vars(line_filter.counts)


def test_a_line_at_the_limit_is_bounded_and_one_byte_more_is_not(core):
    stream = Stream(core, [AT + ABOVE + AT + SMALL])
    assert stream.output == bounded(core, AT) + ABOVE + bounded(core, AT) + SMALL
    assert stream.warnings == [f"line 2 {TOO_LONG}"]
    assert stream.counts == {
        "frames": 4,
        "frames_bounded": 2,
        "too_long": 1,
        "bytes_in": len(AT + ABOVE + AT + SMALL),
        "bytes_out": len(stream.output),
    }


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b""])
def test_the_end_of_a_line_does_not_count_but_for_a_carriage_return(core, end):
    for line in (AT[:-1], ABOVE[:-1]):
        is_bounded = len(line) + len(end.strip(b"\n")) <= MAX_LINE
        expected = bounded(core, line) if is_bounded else line
        assert Stream(core, [line + end]).output == expected + end


def test_there_is_one_warning_of_each_kind_without_content(core):
    stream = Stream(core, [(b"secret" * 30 + b"\n" + b"secret" * 300 + b"\n") * 3])
    assert stream.warnings == [
        "line 1 is not JSON; it and any like it pass through unchanged",
        f"line 2 {TOO_LONG}",
    ]
    assert stream.counts["too_long"] == 3
    assert stream.counts["frames"] == 0


@settings(max_examples=60)
@given(
    lines=st.lists(st.sampled_from([AT, ABOVE, SMALL, b"\n", b"x" * 2000 + b"\n"]), max_size=8),
    last=st.sampled_from([b"", AT[:-1], ABOVE[:-1], b"x" * 2000]),
    data=st.data(),
)
def test_where_the_chunks_are_cut_changes_nothing(core, lines, last, data):
    stream = b"".join(lines) + last
    cuts = data.draw(st.lists(st.integers(0, len(stream)), max_size=12))
    expected = b"".join(
        bounded(core, line) if line in (AT, AT[:-1]) else line for line in [*lines, last]
    )
    whole = Stream(core, [stream])
    assert whole.output == expected
    bounds = [0, *sorted(cuts), len(stream)]
    for chunks in (
        [stream[start:end] for start, end in pairwise(bounds)],
        [stream[i : i + 1] for i in range(len(stream))],
    ):
        parts = Stream(core, chunks)
        assert parts.output == whole.output
        assert parts.counts == whole.counts
        assert parts.warnings == whole.warnings


def test_no_more_than_the_limit_is_held_and_the_rest_leaves_as_it_comes(core):
    stream = Stream(core, [b"x" * 100] * 7 + [b"\n" + SMALL])
    assert [len(output) for output in stream.outputs] == [
        *(0, 0, 0, 0, 500, 100, 100),
        1 + len(SMALL),
        0,
    ]


def test_such_a_line_is_not_recorded_and_the_warning_says_so(core):
    recorded = []
    stream = Stream(core, [AT + ABOVE, SMALL + ABOVE[:450], ABOVE[450:]], record=recorded.append)
    assert stream.warnings == [f"line 2 {TOO_LONG}, and are not recorded"]
    assert [line for line in recorded if line] == [AT, SMALL[:-1]]


def test_a_limit_below_the_budget_is_refused(core):
    lines = core.module("lines")
    with pytest.raises(ValueError, match=r"119 bytes is below the budget of 120"):
        lines.LineFilter(core.Projector(120), print, max_line=119)
    assert lines.LineFilter(core.Projector(120), print, max_line=120).max_line == 120
    assert lines.LineFilter(core.Projector(), print).max_line == 256 * MIB


def test_filter_and_proxy_take_the_limit_and_count_what_was_longer(core):
    data = AT + ABOVE + ABOVE + AT
    expected = bounded(core, AT) + ABOVE + ABOVE + bounded(core, AT)
    counts = f"{len(data)} bytes in, {len(expected)} bytes out, 2 lines too long to be bounded"
    filtered = core.run("filter", *WORDS, input=data)
    assert filtered.stdout == expected
    assert filtered.stderr.decode().splitlines() == [
        f"acpbound: line 2 {TOO_LONG}",
        f"acpbound: 4 frames, 2 bounded, {counts}",
    ]
    proxied = run_proxy(core, ECHO, *WORDS, input=data)
    assert proxied.stdout == expected
    assert proxied.stderr.decode().splitlines() == [
        f"acpbound: a line {TOO_LONG}",
        f"acpbound: 2 frames bounded, {counts}",
    ]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--max-line", "65535"], "--max-line: 65535 is below the budget, which is 65536"),
        (["--max-line", "many"], "--max-line: invalid int value: 'many'"),
    ],
)
def test_a_limit_that_cannot_be_is_explained(core, words, message):
    for command in (["filter", *words], ["proxy", *words, "--", "cat"]):
        run = core.run(*command, input=b"")
        assert run.returncode == 2
        assert message in run.stderr.decode()


def test_a_budget_above_the_default_limit_raises_it(core):
    run = core.run("filter", "--budget", str(300 * MIB), input=AT)
    assert (run.returncode, run.stdout) == (0, AT)


def test_a_transcript_lacks_the_line_and_has_those_around_it(core, tmp_path):
    words = (*WORDS, "--transcript", str(tmp_path))
    run = run_proxy(core, ECHO, *words, input=AT + ABOVE + AT)
    assert b"and are not recorded\n" in run.stderr
    assert run.stderr.endswith(b"1 lines too long to be bounded, 2 updates recorded\n")
    export = core.run("export", str(tmp_path), "s-1")
    assert export.stdout.count(b'"rawOutput"') == 2


def test_the_beginning_of_such_a_line_is_there_before_its_end(core):
    program = "out(b'x' * 1_000_000); read(); out(b'end\\n')"
    with running_proxy(core, program, "--quiet", "--max-line", "100000") as proxy:
        assert read_exactly(proxy.stdout, 1_000_000) == b"x" * 1_000_000
        proxy.stdin.write(b"go on\n")
        assert read_exactly(proxy.stdout, 4) == b"end\n"


@pytest.mark.parametrize("command", ["proxy", "filter"])
def test_two_hundred_megabytes_in_a_line_take_no_memory_beyond_the_limit(core, command):
    before, after = line_of(notification(tool_update("HERE"))).split(b"HERE")
    program = f"""
for _ in range(200): out(b'0123456789abcdef' * 65536)
out(b'\\n' + {SMALL!r} + {before!r} + b'y' * 500_000 + {after!r})
"""
    output, peak = output_and_peak(core, command, program, "--max-line", str(4 * MIB))
    is_the_same = output[: LENGTH + 1] == b"0123456789abcdef" * (LENGTH // 16) + b"\n"
    assert is_the_same
    assert output[LENGTH + 1 :].startswith(SMALL)
    assert len(output) < LENGTH + len(SMALL) + 66_000
    assert peak < 50 * MIB
