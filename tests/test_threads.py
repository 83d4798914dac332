"""Many threads at once: shared inputs, one projector, the results of a single thread.

With a lock of the interpreter this runs with a switch every few bytecodes; without one (3.13t and
later) the threads are really side by side, and this is what the kernels' claim to be fit for that
rests on.
"""

import subprocess
import sys
import threading

import pytest

from tests.strategies import block, line_of, notification, tool_update, wire_bytes

THREADS = 8
ROUNDS = 40

SEGMENTS = ["a", 'q"\\', "\x00\n", "\xe9", "\u6c49", "x\ud800", "\ud83d\ude00", "\U0001f600z"]
TEXTS = [segment * (7_000 // len(segment)) for segment in SEGMENTS]
UPDATES = [
    tool_update("small", rawOutput="small"),
    tool_update(*TEXTS),
    *(tool_update(text, "s", rawOutput=text) for text in TEXTS),
    tool_update(*["block"] * 300, rawOutput={"out": TEXTS, "exit": 0}),
    tool_update(rawInput={"content": TEXTS[4]}, _meta={"terminal_output": {"data": TEXTS[1]}}),
]


@pytest.fixture(autouse=True)
def _many_switches():
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


def in_threads(*tasks):
    """Run the tasks at once, each in a thread; what they return, or the first error."""
    start = threading.Barrier(len(tasks))
    results, errors = [None] * len(tasks), []

    def run(number, task):
        try:
            start.wait(60)
            results[number] = task()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=item) for item in enumerate(tasks)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return results


def hammered(work):
    """Whether ``work`` gives in every round of every thread what it gives in a single one."""
    expected = work()
    return all(in_threads(*[lambda: all(work() == expected for _ in range(ROUNDS))] * THREADS))


def test_kernels_give_the_same_in_many_threads(core):
    kernels = core.module("_core")

    def work():
        results = []
        for ensure_ascii in (False, True):
            results += [
                kernels.fits(TEXTS, 60_000, ensure_ascii),
                kernels.demands(TEXTS, 60_000, 41, ensure_ascii),
            ]
            for text in TEXTS:
                results += [
                    kernels.payload_size(text, 50_000, ensure_ascii),
                    kernels.prefix_end(text, 3_333, ensure_ascii),
                    kernels.suffix_start(text, 3_333, ensure_ascii),
                ]
        return results + [kernels.canonical_texts(update.get("content")) for update in UPDATES]

    assert hammered(work)


def test_one_projector_gives_the_same_in_many_threads(core):
    seen = []
    projector = core.Projector(5_000, also=("rawOutput", "rawInput", "_meta"), observer=seen.append)
    before = wire_bytes(UPDATES)
    assert hammered(lambda: [projector.project_update(update) for update in UPDATES])
    assert wire_bytes(UPDATES) == before
    # The observer was told of every field in every round.
    rounds = 1 + THREADS * ROUNDS
    projector.project_update(UPDATES[1])
    assert len([event for event in seen if event == seen[-1]]) == rounds + 1


def test_lines_are_bounded_the_same_in_many_threads(core):
    projector = core.Projector(5_000)
    bound_line = core.module("splice").bound_line
    lines = [line_of(notification(update)) for update in UPDATES]
    assert hammered(lambda: [bound_line(line, projector) for line in lines])


def test_content_that_another_thread_changes_is_read_as_it_was_at_some_moment(core):
    kernels = core.module("_core")
    content = [block(f"{i} first") for i in range(20)]
    finished = threading.Event()

    def change():
        # New strings and blocks each time, so that the ones before them are freed under the reader.
        try:
            for count in range(THREADS * ROUNDS * 40):
                content[count % 20]["content"]["text"] = f"{count % 20} text" * (1 + count % 9)
                content[(count + 7) % 20] = block(f"{(count + 7) % 20} block" * (1 + count % 5))
                content.append(block(f"{count} last"))
                content.pop()
        finally:
            finished.set()

    def read():
        reads = 0
        while reads < ROUNDS or not finished.is_set():
            texts = kernels.canonical_texts(content)
            assert 20 <= len(texts) <= 21
            for i, text in enumerate(texts[:20]):
                word = text.removeprefix(f"{i} ")[:5].strip("0123456789 ")
                assert word in ("first", "text", "block")
            assert kernels.fits(texts, 10**6, False)
            reads += 1
        return reads

    reads = in_threads(change, *[read] * (THREADS - 1))
    assert min(reads[1:]) >= ROUNDS


def test_importing_the_kernels_leaves_the_interpreters_lock_as_it_was(core):
    # Where the lock can be off, an extension that does not declare itself fit turns it on.
    script = (
        "import sys; lock = getattr(sys, '_is_gil_enabled', lambda: True); before = lock(); "
        "import acpbound; print(acpbound.IMPLEMENTATION, lock() == before)"
    )
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", script],
        env=core.environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert run.stdout.split() == [core.IMPLEMENTATION, "True"]
