"""A million projections of every shape: nothing may be kept of them, compiled or pure.

    python tests/leaks.py [COUNT]

Each of the hundred cases runs COUNT times on each implementation, 10,000 if nothing is said, which
makes a million in two minutes. Strategy: after a warm-up the interpreter's allocated blocks, the
resident memory of the process and the reference count of every object that goes in are read, and
read again at the end: all must be where they were. The texts are short and the budget small: that
is quick, and all that is made of them lies in blocks that the interpreter counts.
``test_leaks.py`` does the same with fewer rounds, in every run of the tests.
"""

from __future__ import annotations

import contextlib
import gc
import mmap
import operator
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.cores import CORES
from tests.shapes import SHAPES, shaped_update
from tests.strategies import block, line_of, notification, tool_update

BUDGET = 250
TEXTS = ["line of output\n" * 20, 'a "quoted" \\ path\t\x00' * 15, "\u6c49\u5b57" * 60]
ODD = ["\ud83d\ude00" * 30, "\U0001f600" * 70, "\xe9" * 140]
ALL_FIELDS = ("content", "rawInput", "rawOutput", "_meta")
#: Blocks, resident bytes and references that may be there at the end and not at the start; what is
#: kept of every round, or of one in a hundred, is more whatever the count.
NOISE = (300, 4 * 2**20, 10)


class Word(str):
    """A subclass of str."""

    __slots__ = ()


class Case(NamedTuple):
    """What is done again and again, and the objects that go in."""

    name: str
    work: Callable[[], object]
    inputs: object


def _raises(function: Callable[..., object], *arguments: object) -> Callable[[], object]:
    def work() -> None:
        with contextlib.suppress(Exception):
            function(*arguments)
            raise SystemExit(f"{function} did not raise")

    return work


def _updates() -> Iterator[tuple[str, dict[str, Any]]]:
    for shape in SHAPES:
        yield shape, shaped_update(shape, TEXTS[len(shape) % 3])
    for i, text in enumerate([*TEXTS, *ODD, Word(TEXTS[0]), Word(ODD[1])]):
        yield f"both fields the same, text {i}", tool_update(text, rawOutput=text)
    yield "within the budget", tool_update("small", "s", rawOutput="small")
    yield "both fields differ", tool_update(TEXTS[0], rawOutput=TEXTS[2])
    yield "several blocks", tool_update("small", *TEXTS[:2], *ODD)
    yield "collapsed", tool_update(*["block"] * 12)
    yield "exempt", tool_update(TEXTS[0], _meta={"serverId": "a2ui"})
    yield "another kind", tool_update(TEXTS[0], sessionUpdate="plan")
    yield "mixed content", tool_update(TEXTS[0], content=[block(TEXTS[0]), {"type": "terminal"}])
    yield "structure too large", tool_update(rawOutput={str(i): i for i in range(60)})
    yield "no room for markers", tool_update(rawOutput=["a text of more than a marker" * 3] * 6)
    cyclic: dict[str, Any] = {"text": TEXTS[0]}
    cyclic["self"] = cyclic
    yield "no JSON", tool_update(rawOutput=cyclic, rawInput={"x": object()})


def _refused(_event: object) -> None:
    raise ValueError("an observer that raises")


def cases(core: Any) -> Iterator[Case]:
    """Every shape of update, line and kernel call, on one implementation."""
    kernels, splice = core.module("_core"), core.module("splice")
    projectors = {
        ensure_ascii: core.Projector(
            BUDGET, ensure_ascii=ensure_ascii, also=ALL_FIELDS, observer=len
        )
        for ensure_ascii in (False, True)
    }
    for name, update in _updates():
        for ensure_ascii, projector in projectors.items():
            mode = "ascii" if ensure_ascii else "utf-8"
            yield Case(f"{name}, {mode}", lambda p=projector, u=update: p.project_update(u), update)
    lines = [line_of(notification(tool_update(text, rawOutput=[text]))) for text in TEXTS]
    for i, line in enumerate([*lines, b"{]" * 200, b'"\xff"' * 200, b'"text"' + b" " * 300]):
        if i < len(lines):
            work: Any = partial(splice.bound_line, line, projectors[False])
        else:
            work = _raises(splice.bound_line, line, projectors[False])
        yield Case(f"line {i}", work, line)
    for i, text in enumerate([*TEXTS, *ODD, Word("w")]):
        for name in ("payload_size", "prefix_end", "suffix_start"):
            kernel = getattr(kernels, name)
            yield Case(f"{name}, text {i}", lambda k=kernel, t=text: k(t, 300, False), text)
    texts = [*TEXTS, *ODD]
    yield Case("fits", lambda: kernels.fits(texts, 250, True), texts)
    yield Case("demands", lambda: kernels.demands(texts, 250, 41, True), texts)
    yield Case("demands without room", lambda: kernels.demands(texts, 50, 41, True), texts)
    wrong: list[tuple[str, tuple[object, ...]]] = [
        *((name, (7, 5, False)) for name in ("payload_size", "prefix_end", "suffix_start")),
        *((name, ("t", "5", False)) for name in ("payload_size", "prefix_end", "suffix_start")),
        ("fits", (["t", 7], 500, False)),
        ("fits", (["t"], None, False)),
        ("demands", (["t", None], 500, 41, False)),
        ("demands", (["t"], 500, "41", False)),
    ]
    for name, arguments in wrong:
        yield Case(f"{name} of {arguments}", _raises(getattr(kernels, name), *arguments), arguments)
    yield Case("too small a budget", _raises(core.Projector, 5), ())
    failing = core.Projector(BUDGET, observer=_refused)
    update = tool_update(TEXTS[0])
    yield Case("an observer that raises", lambda: failing.project_update(update), update)


def objects_in(value: object) -> list[object]:
    """Every array, object and string in a value, keys included, each once.

    Not the numbers: the small ones are shared with everybody, and counts are numbers.
    """
    found: dict[int, object] = {}
    open_values = [value]
    while open_values:
        item = open_values.pop()
        if id(item) in found:
            continue
        if isinstance(item, (str, bytes, dict, list, tuple)):
            found[id(item)] = item
        if isinstance(item, dict):
            open_values += [*item.keys(), *item.values()]
        elif isinstance(item, (list, tuple)):
            open_values += item
    return list(found.values())


def references(objects: list[object]) -> list[int]:
    """How often each object is referred to."""
    return [sys.getrefcount(item) for item in objects]


def repeat(work: Callable[[], object], count: int) -> None:
    """Do it ``count`` times."""
    for _ in range(count):
        work()


def _resident_bytes() -> int:
    try:
        pages = Path("/proc/self/statm").read_text("ascii").split()[1]
    except OSError:
        return 0  # no Linux; the blocks have to do
    return int(pages) * mmap.PAGESIZE


def grown(case: Case, count: int, warm_up: int = 2_000) -> tuple[int, int, int]:
    """Allocated blocks, resident bytes and references that ``count`` rounds left behind."""
    objects = objects_in(case.inputs)
    repeat(case.work, warm_up)
    gc.collect()
    before = references(objects)
    blocks, resident = sys.getallocatedblocks(), _resident_bytes()
    repeat(case.work, count)
    gc.collect()
    kept = sys.getallocatedblocks() - blocks, _resident_bytes() - resident
    lost = sum(abs(new - old) for old, new in zip(before, references(objects), strict=True))
    return *kept, lost


def main(count: int) -> int:
    """Run every case on both implementations; 1 if anything was kept."""
    failures = 0
    for name, core in CORES.items():
        core.activate()
        start, number = time.monotonic(), 0
        worst = [0, 0, 0]
        for case in cases(core):
            number += 1
            result = grown(case, count)
            worst = [*map(max, worst, result)]
            if any(map(operator.gt, result, NOISE)):
                failures += 1
                print(f"{name}: {case.name}: kept {result}", flush=True)
        core.deactivate()
        seconds = time.monotonic() - start
        print(
            f"{name}: {number} cases, {count} times each, {seconds:.0f} s; at most "
            f"{worst[0]} blocks, {worst[1]} resident bytes and {worst[2]} references more",
            flush=True,
        )
    return failures > 0


if __name__ == "__main__":
    import logging

    logging.disable()
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000))
