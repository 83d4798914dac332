"""What bounding an update costs follows the budget, not the buffer: counted in memory, not in time.

The middle of a text of 100 million characters is made unreadable for the process, so that whoever
looks at it ends the test; how much memory a bounded update takes at its peak is counted.
"""

import gc
import subprocess
import sys
import textwrap
import tracemalloc

import pytest

from tests.sdk_cases import MARKER
from tests.sdk_sessions import model_of
from tests.strategies import tool_update

GUARDED = """
    import asyncio, ctypes, json, sys
    from acp.schema import SessionNotification
    from acpbound import Projector
    from acpbound.sdk import bounded
    from tests.sdk_sessions import agent_side, model_of
    from tests.strategies import tool_update

    character, form = {character!r}, {form!r}
    text = character * 100_000_000
    raw_output = text
    if {named!r}:
        raw_output = [text]
    update = tool_update("small", text, rawOutput=raw_output)
    if form == "model":
        update = model_of(update)
        # pydantic may have encoded all of it, but has kept the very object.
        assert (update.raw_output[0] if {named!r} else update.raw_output) is text
    projector = Projector(ensure_ascii=True, also={named!r})

    # Head and tail are at most 13,107 and 52,429 code points, a step of the scanner is 4,096; what
    # is left of 20,000 and 60,000 is far more than the header of the object.
    PAGE, LIBC = 4096, ctypes.CDLL(None, use_errno=True)
    width = 1 if character < "\\u0100" else 2
    low = -(-(id(text) + 20_000 * width) // PAGE) * PAGE
    high = (id(text) + (100_000_000 - 60_000) * width) // PAGE * PAGE

    def protect(mode):
        assert LIBC.mprotect(ctypes.c_void_p(low), ctypes.c_size_t(high - low), mode) == 0

    async def session():
        async with agent_side() as (conn, next_line):
            protect(0)
            {send}
            protect(3)
            return len(await next_line())

    print(asyncio.run(session()), end="")
"""
SEND = 'await bounded(conn, projector).session_update("s-1", update)'


def run_guarded(core, **parts):
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(GUARDED).format(**parts)],
        env=core.environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


if sys.platform == "linux":

    @pytest.mark.parametrize("named", [(), ("rawOutput",)])
    @pytest.mark.parametrize("form", ["model", "dict"])
    @pytest.mark.parametrize("character", ["a", "汉"])
    def test_the_middle_of_a_hundred_million_characters_is_never_read(core, character, form, named):
        run = run_guarded(core, character=character, form=form, named=named, send=SEND)
        assert (run.returncode, run.stderr) == (0, "")
        assert 131_000 < int(run.stdout) < 131_500

    def test_the_guard_guards(core):
        run = run_guarded(core, character="a", form="model", named=(), send='text.count("b")')
        assert run.returncode < 0


@pytest.mark.parametrize("form", ["model", "dict"])
def test_peak_memory_of_an_update_does_not_grow_with_the_buffer(core, form):
    updates = core.module("sdk_updates").UpdateProjector(core.Projector(ensure_ascii=True))

    def peak(characters):
        text = 'log "line"\n' * (characters // 11)
        update = tool_update("small", text, rawOutput=text)
        update = model_of(update) if form == "model" else update
        gc.collect()
        tracemalloc.start()
        try:
            bounded = updates.project(update)
            return tracemalloc.get_traced_memory()[1], bounded
        finally:
            tracemalloc.stop()

    peak(200_000)  # what is built once
    at_first, _ = peak(200_000)
    later, bounded = peak(20_000_000)
    bounded = bounded.raw_output if form == "model" else bounded["rawOutput"]
    assert bounded.count(MARKER) == 1
    assert later < at_first + 65_536
