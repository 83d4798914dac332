"""What bounding costs, or saves, when a long history is replayed.

A history of 1,000 results of 500 KB, each in ``content`` and in ``rawOutput`` as agents send them,
is replayed in three ways: bounded, without projection, and, as the floor that any reader has, by
``json.loads`` on each line alone. Once the updates are only produced, and once written as the
notifications that go to the client. Compare within one group of one run; ``test_ratios`` runs the
ways in turn, so that what else the machine does meets all of them, and prints how they compare.

    pytest -s bench/test_replay.py
    pytest -s bench/test_replay.py -k ratios
"""

import json
import os
import statistics
import time
from pathlib import Path

import pytest

from acpbound.export import export_updates
from acpbound.replay import History
from acpbound.transcript import TranscriptStore

RESULTS = int(os.environ.get("BENCH_RESULTS", "1000"))
LINE = 'src/module_\u6c49.py:120:  assert "value" == other\t# note\n'
TEXT = (LINE * 12_000)[:500_000]


@pytest.fixture(scope="module")
def results(pytestconfig):
    # A short history will do when nothing is timed.
    return 20 if pytestconfig.getoption("benchmark_disable") else RESULTS


@pytest.fixture(scope="module")
def store(tmp_path_factory, results):
    store = TranscriptStore(tmp_path_factory.mktemp("history"))
    for number in range(results):
        store.append(
            "s",
            {
                "sessionUpdate": "tool_call_update",
                "toolCallId": f"call-{number}",
                "status": "completed",
                "content": [{"type": "content", "content": {"type": "text", "text": TEXT}}],
                "rawOutput": TEXT,
            },
        )
    return store


def bounded(store):
    return History(store).stream("s")


def without_projection(store):
    return export_updates(store, "s")


def json_loads_alone(store):
    with Path(store.root / "chats" / "s.jsonl").open("rb", buffering=1 << 18) as file:
        for line in file:
            yield json.loads(line)["update"]


WAYS = [bounded, without_projection, json_loads_alone]


def notifications(updates):
    """Writes each update as what goes to the client; the bytes written."""
    written = 0
    for update in updates:
        params = {"sessionId": "s", "update": update}
        message = {"jsonrpc": "2.0", "method": "session/update", "params": params}
        written += len(json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode())
    return written


def count(updates):
    return sum(1 for _ in updates)


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
@pytest.mark.benchmark(group="replay of 1,000 results of 500 KB, as updates")
def test_updates(benchmark, store, results, way):
    assert benchmark.pedantic(lambda: count(way(store)), rounds=3) == results


@pytest.mark.parametrize("way", WAYS[:2], ids=lambda way: way.__name__)
@pytest.mark.benchmark(group="replay of 1,000 results of 500 KB, as notifications")
def test_notifications(benchmark, store, results, way):
    bytes_written = benchmark.pedantic(lambda: notifications(way(store)), rounds=3)
    benchmark.extra_info["bytes written"] = bytes_written
    assert (bytes_written < results * 132_000) == (way is bounded)


def _seconds(use, updates):
    start = time.perf_counter()
    use(updates)
    return time.perf_counter() - start


def test_ratios(benchmark, store):
    """Each way beside ``json.loads`` alone: medians of the ratios of neighbouring runs."""
    benchmark.group = "ratios"
    uses = {
        "bounded": (count, bounded),
        "without projection": (count, without_projection),
        "bounded, written": (notifications, bounded),
        "without projection, written": (notifications, without_projection),
    }
    size = (store.root / "chats" / "s.jsonl").stat().st_size
    floors, ratios = [], {name: [] for name in uses}
    # A smoke run shows that it works, not how fast.
    for _ in range(5 if benchmark.enabled else 1):
        floors.append(_seconds(count, json_loads_alone(store)))
        for name, (use, way) in uses.items():
            ratios[name].append(_seconds(use, way(store)) / floors[-1])
    found = {name: statistics.median(each) for name, each in ratios.items()}
    benchmark.extra_info.update(found)
    benchmark.pedantic(lambda: None)
    print(f"\njson.loads alone: {size / statistics.median(floors) / 1e6:.0f} MB/s of {size} bytes")
    for name, ratio in found.items():
        print(f"{name}: {ratio:.2f} times json.loads alone")
