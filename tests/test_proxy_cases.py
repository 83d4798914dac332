"""The cases from the field, by their numbers there, through a running proxy.

Elsewhere: 2 (``test_proxy_peers``), 3, 5 and 6 (``test_proxy_load``), 16 (``test_measure``, too),
20 (``test_proxy_transcript``).
"""

import json

import pytest

from tests.proxying import ECHO, feed, read_all, run_proxy, running_proxy
from tests.strategies import block, line_of, notification, tool_update, wire_bytes

MARKER = "\n[... truncated for ACP transport ...]\n"
BUDGET = 65_536
BIG = "x" * 100_000


def through_proxy(core, *lines, options=()):
    """Each line as it comes out of a running proxy."""
    run = run_proxy(core, ECHO, "--quiet", *options, input=b"".join(lines))
    assert run.returncode == 0
    output = [line + b"\n" for line in run.stdout.split(b"\n")[:-1]]
    assert len(output) == len(lines)
    return output


def bounded_updates(core, *updates, options=()):
    lines = [line_of(notification(update)) for update in updates]
    output = through_proxy(core, *lines, options=options)
    return [json.loads(line)["params"]["update"] for line in output]


def assert_untouched(core, *lines, options=()):
    assert through_proxy(core, *lines, options=options) == list(lines)


@pytest.mark.parametrize("size", [65_536, 65_537, (1 << 20) + 1])
def test_case_1_a_line_of_a_telling_size_is_bounded_only_if_a_field_is_over(core, size):
    def padded(update):
        frame = notification(update, padding="")
        return line_of({**frame, "padding": "p" * (size - len(line_of(frame)) + 1)})

    small = padded(tool_update("a" * 10_000))
    assert len(small) - 1 == size
    assert_untouched(core, small)
    [bounded] = through_proxy(
        core, line_of({**json.loads(small), **notification(tool_update(BIG))})
    )
    assert json.loads(bounded)["padding"] == json.loads(small)["padding"]
    assert len(wire_bytes(json.loads(bounded)["params"]["update"]["content"])) == BUDGET


def test_case_4_half_a_megabyte_in_both_fields(core):
    text = "a" * 499_999
    line = line_of(notification(tool_update(text, rawOutput=text)))
    assert len(line) > 1_000_000
    [bounded] = through_proxy(core, line)
    update = json.loads(bounded)["params"]["update"]
    sizes = [len(wire_bytes(update[field])) for field in ("content", "rawOutput")]
    assert sizes == [65_536, 65_482]
    assert update["content"] == [block(update["rawOutput"])]
    assert update["rawOutput"] == "a" * 13_087 + MARKER + "a" * 52_352
    assert len(wire_bytes(update)) <= 131_173


@pytest.mark.parametrize("character", ['"', "\x00", "\x7f", "a", "é", "汉", "😀", "\ud800"])
def test_case_7_fields_around_the_budget_in_each_class(core, character):
    size = len(wire_bytes(character)) - 2
    filler = (BUDGET - 2) % size
    at_budget = character * ((BUDGET - 2) // size) + "a" * filler
    exact, over = tool_update(rawOutput=at_budget), tool_update(rawOutput=at_budget + "a")
    under = tool_update(rawOutput=at_budget[:-1])
    assert len(wire_bytes(at_budget)) == BUDGET
    after = bounded_updates(core, under, exact, over)
    assert after[:2] == [under, exact]
    assert MARKER in after[2]["rawOutput"]
    assert BUDGET - 12 < len(wire_bytes(after[2]["rawOutput"])) <= BUDGET


@pytest.mark.parametrize("unit", ["😀", "\ud83d\udc00", "\udc00."])
def test_cases_8_and_9_a_cut_parts_no_character(core, unit):
    """At every position: the text moves by one byte past head and tail."""
    texts = ["a" * i + unit * 60 + "b" * i for i in range(13)]
    lines = [line_of(notification(tool_update(rawOutput=text))) for text in texts]
    outputs = through_proxy(core, *lines, options=["--budget", "200"])
    for text, output in zip(texts, outputs, strict=True):
        raw_output = json.loads(output)["params"]["update"]["rawOutput"]
        # JSON joins an escaped pair into one character, on both sides.
        joined = json.loads(json.dumps(text))
        head, tail = raw_output.split(MARKER)
        assert joined.startswith(head)
        assert joined.endswith(tail)
        assert "\ufffd" not in raw_output
        assert len(wire_bytes(raw_output)) <= 200


def test_case_10_a_lone_surrogate_stays_an_escape(core):
    update = tool_update("\ud800" + BIG + "\udfff", rawOutput="\udc00", title="\udbff")
    [output] = through_proxy(core, line_of(notification(update)))
    after = json.loads(output)["params"]["update"]
    text = after["content"][0]["content"]["text"]
    assert (text[0], text[-1], after["rawOutput"], after["title"]) == (
        "\ud800",
        "\udfff",
        "\udc00",
        "\udbff",
    )
    assert b"\\ud800" in output
    output.decode()  # strict UTF-8


@pytest.mark.parametrize("character", ["\u2028", "\u2029", "\x85", "\x7f"])
def test_case_11_what_other_readers_take_for_a_line_end_ends_no_line(core, character):
    small = line_of(notification(tool_update(f"a{character}b")))
    assert character.encode() in small
    assert_untouched(core, small, b"a\rb\x0cc\r\n")
    [after] = bounded_updates(core, tool_update(character + BIG + character))
    text = after["content"][0]["content"]["text"]
    assert text[0] == text[-1] == character


def test_case_12_a_character_that_arrives_one_byte_at_a_time_is_intact(core):
    line = line_of(notification(tool_update("汉😀é" * 30, rawOutput="汉" * 200)))
    program = "for byte in sys.stdin.buffer.read(): os.write(1, bytes([byte]))"
    whole = run_proxy(core, ECHO, "--quiet", "--budget", "300", input=line).stdout
    assert len(whole) < len(line)
    assert run_proxy(core, program, "--quiet", "--budget", "300", input=line).stdout == whole


@pytest.mark.parametrize(
    ("text", "is_over"),
    [("\x00" * 8192, False), ("\x00" * 20_000, True), ('"' * 40_000, True), ("\\" * 40_000, True)],
)
def test_case_13_escapes_count_as_they_are_written(core, text, is_over):
    [after] = bounded_updates(core, tool_update(rawOutput=text))
    assert (MARKER in after["rawOutput"]) is is_over
    assert len(wire_bytes(after["rawOutput"])) <= BUDGET


@pytest.mark.parametrize("budget", [97, 98, 120, 200])
def test_case_14_the_marker_is_inside_the_smallest_budgets(core, budget):
    update = tool_update(BIG, rawOutput=BIG)
    [after] = bounded_updates(core, update, options=["--budget", str(budget)])
    for field in ("content", "rawOutput"):
        assert len(wire_bytes(after[field])) <= budget
        assert wire_bytes(MARKER)[1:-1] in wire_bytes(after[field])


def test_cases_15_to_18_what_the_contract_leaves_alone_is_untouched(core):
    diff = {"type": "diff", "path": "/a", "newText": "y" * 1_000_000}
    commands = '[{"beginRendering": {}}]' + BIG
    updates = [
        tool_update(content=[{"type": "terminal", "terminalId": "t"}]),
        tool_update(content=[], _meta={"terminal_output": {"data": "z" * 1_000_000}}),
        tool_update(rawOutput={"stdout": BIG}),
        tool_update(content=[block(BIG), diff]),
        tool_update(commands, rawOutput=commands, _meta={"serverId": "dq-A2UI"}),
        tool_update(commands, rawOutput=commands, _meta={"toolName": "mcp__ui__present_ui"}),
    ]
    assert_untouched(core, *(line_of(notification(update)) for update in updates))
    replayed = {"id": 1, "result": {"updates": updates}}
    bulk = {"id": 2, "result": {"_meta": {"qwen.session.loadReplay": {"v": 1, "updates": updates}}}}
    events = {"id": 3, "result": {"events": [{"data": update} for update in updates]}}
    asked = {"method": "session/request_permission", "params": {"update": tool_update(BIG)}}
    assert_untouched(core, *map(line_of, (replayed, bulk, events, asked)))


def test_case_19_what_is_no_frame_passes_with_at_most_one_warning(core):
    noise = [b"npm WARN deprecated\n", b"\x1b[31mred\x1b[0m\n", b"null\n", b"42\n", b'"text"\n']
    noise += [b"[]\n", b"\n", b"\r\n", b"{broken\n", b"\xff\xfe\n", b"n" * 70_000 + b"\n"]
    frame = line_of(notification(tool_update(BIG)))
    run = run_proxy(core, ECHO, input=b"".join(line + frame for line in [*noise, *noise]))
    output = [line + b"\n" for line in run.stdout.split(b"\n")[:-1]]
    assert output[0::2] == [*noise, *noise]
    assert len(set(output[1::2])) == 1
    assert len(output[1]) < 66_000
    assert run.stderr.count(b"\n") == 2  # the warning and the summary


@pytest.mark.parametrize("stream", [b"", b"\n", b"\n" * 200_000, b"\r\n\r\n", b"\n\n{}\n\n"])
def test_streams_of_nearly_nothing_pass_as_they_are(core, stream):
    with running_proxy(core, "out(sys.stdin.buffer.read())", "--quiet") as proxy:
        feeder = feed(proxy.stdin, stream, close=True)
        assert read_all(proxy.stdout) == stream
        feeder.join()
        assert proxy.wait(20) == 0
