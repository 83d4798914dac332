"""What bounding costs, or saves, when a long history is replayed.

A history of 1,000 results of 500 KB, each in ``content`` and in ``rawOutput`` as agents send them,
is replayed in three ways: bounded, without projection, and, as the floor that any reader has, by
``json.loads`` on each line alone. Once the updates are only produced, and once written as the
notifications that go to the client. Compare within one group of one run.

    pytest bench/test_replay.py --benchmark-enable
"""

import json
import os
from pathlib import Path

import pytest

from acpbound.export import export_updates
from acpbound.replay import History
from acpbound.transcript import TranscriptStore

RESULTS = int(os.environ.get("BENCH_RESULTS", "1000"))
LINE = 'src/module_\u6c49.py:120:  assert "value" == other\t# note\n'
TEXT = (LINE * 12_000)[:500_000]


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    store = TranscriptStore(tmp_path_factory.mktemp("history"))
    for number in range(RESULTS):
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
    with Path(store.root / "chats" / "s.jsonl").open("rb") as file:
        for line in file:
            yield json.loads(line)["update"]


WAYS = [bounded, without_projection, json_loads_alone]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
@pytest.mark.benchmark(group="replay of 1,000 results of 500 KB, as updates")
def test_updates(benchmark, store, way):
    def replay():
        return sum(1 for _ in way(store))

    assert benchmark.pedantic(replay, rounds=3) == RESULTS


@pytest.mark.parametrize("way", WAYS[:2], ids=lambda way: way.__name__)
@pytest.mark.benchmark(group="replay of 1,000 results of 500 KB, as notifications")
def test_notifications(benchmark, store, way):
    def replay():
        written = 0
        for update in way(store):
            params = {"sessionId": "s", "update": update}
            message = {"jsonrpc": "2.0", "method": "session/update", "params": params}
            written += len(json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode())
        return written

    bytes_written = benchmark.pedantic(replay, rounds=3)
    benchmark.extra_info["bytes written"] = bytes_written
    assert (bytes_written < RESULTS * 132_000) == (way is bounded)
