"""Work follows the budget and not the text: counted in memory touched, not in time.

A text of 100 million characters gets its middle made unreadable for the process, so that any
visit beyond the two ends ends the test. What is touched of the ends, and how much memory a
projection takes at its peak, is counted; nothing is timed.
"""

import gc
import json
import subprocess
import sys
import textwrap
import tracemalloc
import weakref

import pytest

from tests.cores import CORES
from tests.strategies import block, tool_update, wire_bytes

linux_only = pytest.mark.skipif(
    sys.platform != "linux", reason="makes memory unreadable with Linux system calls"
)

GUARD = """
    import ctypes, sys

    libc = ctypes.CDLL(None, use_errno=True)
    PAGE = 4096

    def storage(text):
        kind = 1 if max(text[:64]) < "\\u0100" else 2 if max(text[:64]) < "\\U00010000" else 4
        overhead = sys.getsizeof("\\u0100") - 4 if kind > 1 else sys.getsizeof("\\xe9") - 2
        if text[:64].isascii():
            overhead = sys.getsizeof("a") - 2
        return id(text) + overhead, kind

    def guard(text, first, last):
        '''Make all but the first and the last so many characters unreadable.'''
        start, kind = storage(text)
        low = -(-(start + first * kind) // PAGE) * PAGE
        high = (start + (len(text) - last) * kind) // PAGE * PAGE
        assert high > low, "nothing to guard"
        assert libc.mprotect(ctypes.c_void_p(low), ctypes.c_size_t(high - low), 0) == 0
        return lambda: libc.mprotect(ctypes.c_void_p(low), ctypes.c_size_t(high - low), 3)
"""


def run_guarded(core, script):
    program = textwrap.dedent(GUARD) + textwrap.dedent(script)
    return subprocess.run(
        [sys.executable, "-c", program],
        env=core.environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@linux_only
@pytest.mark.parametrize("character", ["a", "é", "汉", "😀", '"', "\x00"])
@pytest.mark.parametrize("ensure_ascii", [False, True])
def test_the_middle_of_a_hundred_million_characters_is_never_read(core, character, ensure_ascii):
    # One budget for the head and its block, one for the tail and its block: the first step of
    # either implementation is at most 4,096 code points.
    run = run_guarded(
        core,
        f"""
        import acpbound
        text = {character!r} * 100_000_000
        unguard = guard(text, 13_107 + 4_096, 52_429 + 4_096)
        update = {{"sessionUpdate": "tool_call", "rawOutput": text,
                   "content": [{{"type": "content", "content": {{"type": "text", "text": text}}}}]}}
        bounded = acpbound.Projector(ensure_ascii={ensure_ascii}).project_update(update)
        assert bounded["rawOutput"].count(acpbound.MARKER) == 1
        assert bounded["content"][0]["content"]["text"] == bounded["rawOutput"]
        unguard()
        print(len(text), end="")
        """,
    )
    assert (run.returncode, run.stdout, run.stderr) == (0, "100000000", "")


@linux_only
def test_the_guard_guards(core):
    run = run_guarded(
        core,
        """
        text = "a" * 100_000_000
        guard(text, 20_000, 60_000)
        text.count("b")
        """,
    )
    assert run.returncode < 0


@linux_only
@pytest.mark.parametrize("ensure_ascii", [False, True])
def test_600_blocks_are_read_no_further_than_the_largest_share(core, ensure_ascii):
    # available - reserved + own reserve = 32,535 - 600 * 41 + 41 = 7,976 characters a block,
    # so of 40,000 characters in each the middle is never read.
    run = run_guarded(
        core,
        f"""
        import acpbound
        texts = [chr(97 + i % 26) * 40_000 for i in range(600)]
        undo = [guard(text, 7_976 + 4_096, 7_976 + 4_096) for text in texts]
        content = [{{"type": "content", "content": {{"type": "text", "text": t}}}} for t in texts]
        bounded = acpbound.Projector(ensure_ascii={ensure_ascii}).project_content(content)
        for unguard in undo:
            unguard()
        print(len(bounded), end="")
        """,
    )
    assert (run.returncode, run.stdout, run.stderr) == (0, "600", "")


@pytest.fixture
def pure():
    CORES["py"].activate()
    yield CORES["py"]
    CORES["py"].deactivate()


def test_the_pure_scanner_visits_no_more_than_the_contract_allows(pure, monkeypatch):
    # The compiled scanner has no place to count in; the guarded tests above hold for it.
    scan = pure.module("_scan_py")
    visits = []
    original = scan._payload

    def counted(piece, ensure_ascii):
        visits.append(len(piece))
        return original(piece, ensure_ascii)

    monkeypatch.setattr(scan, "_payload", counted)
    for character in ("a", "汉", "😀", '"'):
        visits.clear()
        pure.project_update(tool_update(character * 10**6, rawOutput=character * 10**6))
        assert 0 < sum(visits) <= 2 * 65_536
        # So much is copied at a time.
        assert max(visits) <= scan.CHUNK
    visits.clear()
    pure.Projector().project_content([block("a" * 40_000)] * 600)
    assert 0 < sum(visits) <= 600 * (7_976 + 2 * 54)
    # The second key is longer than what the first leaves of the limit.
    visits.clear()
    structure = pure.module("structure").TextStructure({"k" * 600: 1, "l" * 900: 1}, 1_000, False)
    assert structure.json_bytes > 1_000
    assert sum(visits) == 600


def test_lengths_alone_settle_most_contents(pure, monkeypatch):
    fit = pure.module("_fit_py")
    measured = []
    monkeypatch.setattr(fit, "payload_size", lambda *arguments: measured.append(arguments))
    for texts, available, ensure_ascii, fits in (
        (["a" * 600] * 15, 54_000, False, True),
        (["a" * 600] * 15, 108_000, True, True),
        (["a" * 30_000] * 3, 89_999, False, False),
        ([], 0, True, True),
    ):
        assert fit.fits(texts, available, ensure_ascii) is fits
    assert measured == []


def test_peak_memory_of_a_projection_stays_under_a_mebibyte(core):
    text = '2026-12-02 INFO "汉" \\ done\n' * 4_000_000
    update = tool_update(text, text + "x", rawOutput=text)
    core.project_update(tool_update("warm" * 50_000))
    tracemalloc.start()
    try:
        bounded = core.project_update(update)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(wire_bytes(bounded["content"])) <= 65_536
    assert peak < 1 << 20


def test_a_small_update_allocates_a_few_temporaries(core):
    text = '2026-12-02 INFO "done" in 12 ms\n' * 36
    update = tool_update(text, rawOutput=text)
    core.project_update(update)
    tracemalloc.start()
    try:
        assert core.project_update(update) is update
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # Two lists of one text, a few frames and integers; the text itself takes more.
    assert peak < len(text)


def test_the_high_water_mark_of_a_process_rises_by_less_than_a_mebibyte(core):
    script = """
        import acpbound, json, resource, sys
        def high_water():
            unit = 1 if sys.platform == "darwin" else 1024
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
        text = "log line with \\\\u6c49 and \\"quotes\\"\\n" * 3_000_000
        update = {"sessionUpdate": "tool_call", "rawOutput": text}
        acpbound.project_update({"sessionUpdate": "tool_call", "rawOutput": "warm" * 50_000})
        before = high_water()
        bounded = [acpbound.project_update(update) for _ in range(20)]
        print(json.dumps([len(text), high_water() - before]))
    """
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        env=core.environment,
        capture_output=True,
        check=True,
    )
    characters, risen = json.loads(run.stdout)
    assert characters > 90_000_000
    # Twenty results of 64 KiB are kept, and one projection's own memory may come on top.
    assert risen < 20 * 65_536 + (1 << 20)


class TrackedStr(str):
    __slots__ = ("__weakref__",)


def test_a_preview_keeps_nothing_of_the_text_alive(core):
    text = TrackedStr("z" * 500_000)
    gone = weakref.ref(text)
    bounded = core.project_update(tool_update(text, rawOutput=text))
    shown = core.Projector().project_text(text)
    del text
    gc.collect()
    assert gone() is None
    assert sys.getsizeof(bounded["rawOutput"]) < 66_000
    assert sys.getsizeof(shown) < 66_000
