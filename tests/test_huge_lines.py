"""One line of 200 MB through the proxy and the filter: exactness, and memory measured."""

import json
import subprocess
import sys
from contextlib import ExitStack

import pytest

from tests.cores import HAS_GIL
from tests.proxying import agent, proxy_command

MIB = 1 << 20
MARKER = "\n[... truncated for ACP transport ...]\n"
LENGTH = 200 * MIB

HEAD = b'{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":'
HEAD += b'{ "sessionUpdate":"tool_call",'
TAIL = b', "n":1e400}}}\n'
#: What stands before and after the text, and how long its head and tail are when it is bounded.
FIELDS = {
    "rawOutput": (b'"rawOutput":"', b'"', 13_098, 52_395),
    "content": (
        b'"content":[{"type":"content","content":{"type":"text","text":"',
        b'"}}]',
        13_087,
        52_352,
    ),
}


#: In lines, what is not a copy of the line.
MORE = 0.4 if HAS_GIL else 1.6


def writer(before, after):
    """An agent that writes the line, and one more."""
    return f"""
out({HEAD + before!r})
for _ in range(200): out(b'0123456789abcdef' * 65536)
out({after + TAIL!r} + b'next\\n')
"""


#: Runs a command and says how much memory it had. This process cannot ask for that itself, since a
#: child's peak begins with what its parent had.
LAUNCHER = """
import os, subprocess, sys
child = subprocess.Popen(sys.argv[1:], stderr=subprocess.DEVNULL)
_, status, usage = os.wait4(child.pid, 0)
child.returncode = os.waitstatus_to_exitcode(status)
print(usage.ru_maxrss, file=sys.stderr)
sys.exit(child.returncode)
"""


def output_and_peak(core, command, program, *options):
    """What comes out, and the most memory that the process had, in bytes."""
    if command == "proxy":
        words = proxy_command(core, program, "--quiet", *options)
    else:
        words = core.command("filter", *options)
    with ExitStack() as stack:
        source = None
        if command == "filter":
            source = stack.enter_context(subprocess.Popen(agent(program), stdout=subprocess.PIPE))
        run = subprocess.run(
            [sys.executable, "-c", LAUNCHER, *words],
            check=True,
            stdin=source.stdout if source else subprocess.DEVNULL,
            capture_output=True,
            env=core.environment,
        )
    return run.stdout, int(run.stderr) * 1024


@pytest.mark.parametrize("command", ["proxy", "filter"])
@pytest.mark.parametrize("field", FIELDS)
def test_a_line_of_two_hundred_megabytes_is_bounded(core, command, field):
    before, after, head_length, tail_length = FIELDS[field]
    output, peak = output_and_peak(core, command, writer(before, after))
    line, following = output.split(b"\n", 1)
    assert following == b"next\n"
    assert line.startswith(HEAD + before)
    assert line.endswith(after + TAIL[:-1])
    update = json.loads(line)["params"]["update"]
    text = update["rawOutput"] if field == "rawOutput" else update["content"][0]["content"]["text"]
    head, tail = text.split(MARKER)
    whole = "0123456789abcdef" * 5000
    assert (head, tail) == (whole[:head_length], whole[-tail_length:])
    # The line as bytes and as text; the pure kernel also makes the value.
    copies = {"c": 2, "py": 3}[core.name]
    assert LENGTH < peak < (copies + MORE) * LENGTH


def test_a_line_of_two_hundred_megabytes_that_stays_is_the_same(core):
    program = writer(b'"rawInput":"', b'"')
    expected = HEAD + b'"rawInput":"' + b"0123456789abcdef" * 65_536 * 200 + b'"' + TAIL
    for command in ("proxy", "filter"):
        output, peak = output_and_peak(core, command, program)
        # Compared in parts: what pytest would show of 200 MB takes longer than the test.
        assert len(output) == len(expected) + 5
        is_the_same = output.startswith(expected)
        assert is_the_same
        # As bytes, as text and as the value.
        assert peak < (3 + MORE) * LENGTH
