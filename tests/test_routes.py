"""Conformance: one transcript through every way out. All deliver the same, export delivers all.

The expected results are the vectors', which come from another implementation.
"""

import json
from operator import eq
from pathlib import Path

import pytest

from tests.routes import (
    AGENT,
    SESSION,
    call,
    definitions_in,
    delivered_by,
    discovered,
    importers_of,
    unmarked,
    updates_within,
)
from tests.strategies import wire_bytes
from tests.vectors import CASES, assert_expected, update_of

LIVE = {"live send_update"}
WHOLE = {"command export"}
REPLAYED = {
    "history bulk",
    "history load_updates",
    "history page",
    "history stream",
    "history subagent",
    "http /session/{id}/transcript",
    "command replay",
}
ROUTES = sorted(LIVE | WHOLE | REPLAYED)

NAMES = [
    *(name for name in CASES if name.startswith(("a2ui/", "equal/", "mixed/", "structured/"))),
    *(name for name in CASES if name.startswith(("two/", "three/", "shape/", "kind/", "status/"))),
    *(f"long/{field}/{text}" for field in ("content", "raw") for text in ("lonehigh", "lonelow")),
    *("long/content/ascii", "long/content/linesep", "long/raw/emoji", "long/raw/nul"),
    *("absent/content", "absent/raw", "many/600x40000", "many/empty/1192", "log/content"),
]


@pytest.fixture(scope="module")
def updates():
    return [update_of(name) for name in NAMES]


@pytest.fixture
def store(core, updates, tmp_path):
    store = core.module("transcript").TranscriptStore(tmp_path)
    for update in updates:
        store.append(SESSION, update)
        store.append(SESSION, update, agent_id=AGENT)
    return store


def assert_bounded(updates, delivered):
    assert len(delivered) == len(updates)
    for name, canonical, update in zip(NAMES, updates, delivered, strict=True):
        assert_expected(name, canonical, update, same=eq)


def test_the_transcript_has_every_kind_of_result():
    expected = [CASES[name]["expect"] for name in NAMES]
    assert sum(case["unchanged"] for case in expected) > 15
    assert sum(not case["unchanged"] for case in expected) > 25


def test_every_way_out_is_known_here(core):
    assert discovered(core) == set(ROUTES)


def test_every_module_that_can_read_a_transcript_is_known_here(core):
    """A new one may be a new way out: give it a route above, or say why it is none."""
    folder = Path(core.module("cli").__file__).parent
    assert importers_of(folder, "jsonl", "transcript_reader", "transcript", "conversion") == {
        "cli_replay": {"transcript", "transcript_reader"},
        "conversion": {"jsonl", "transcript_reader"},  # what the routes are made of
        "cursor": {"conversion", "transcript_reader"},  # places, not updates
        "export": {"conversion", "transcript_reader"},
        "paging": {"conversion", "transcript_reader"},
        "proxy_command": {"transcript"},  # appends
        "replay": {"conversion", "transcript_reader"},
        "transcript": {"jsonl", "transcript_reader"},
        "transcript_reader": {"jsonl"},
    }
    assert importers_of(folder, "replay", "export", "cli_replay", "asgi") == {
        "asgi": {"replay"},
        "cli": {"cli_replay"},
        "cli_replay": {"export", "replay"},
        "export": {"replay"},  # what a store is
    }


def test_every_function_and_class_of_the_boundaries_is_known_here(core):
    """A new one may be a new way out: give it a route above, or say why it is none."""
    known = {
        "live": {"Client", "Session"},
        "replay": {"History", "Store"},
        "paging": {"checked_limit", "fill_page"},  # makes the pages of History
        "asgi": {"transcript_app"},
        "cli_replay": {"run"},
        "export": {"canonical_updates", "export_updates"},
    }
    assert {name: definitions_in(core.module(name)) for name in known} == known


@pytest.mark.parametrize("route", ROUTES)
def test_every_route_delivers_the_same_bounded_updates(core, store, updates, route):
    delivered = delivered_by(core, route, store, updates)
    if route in WHOLE:
        assert delivered == updates
        return
    if route in REPLAYED:
        delivered = [unmarked(*pair) for pair in zip(delivered, updates, strict=True)]
    assert_bounded(updates, delivered)


def test_a_route_that_goes_around_the_collector_fails(core, store, updates):
    steps = core.module("conversion").steps

    class Bypass(core.module("replay").History):
        def tail(self, session_id):
            with self._store.open(session_id) as transcript:
                return [step.update for step in steps(transcript)]

    leaked = updates_within(call(Bypass(store).tail))
    with pytest.raises(AssertionError):
        assert_bounded(updates, leaked)


def test_the_store_and_the_export_are_byte_for_byte_what_went_in(core, store, updates):
    wanted = [wire_bytes(update) for update in updates]
    chats = store.root / "chats" / f"{SESSION}.jsonl"
    subagent = store.root / "subagents" / SESSION / f"agent-{AGENT}.jsonl"
    for path in (chats, subagent):
        lines = path.read_bytes().split(b"\n")
        assert lines.pop() == b""
        for line, update in zip(lines, wanted, strict=True):
            before, _, after = line.partition(update)
            assert set(json.loads(before + b"null" + after)) >= {"uuid", "sessionId", "update"}
    run = core.run("export", str(store.root), SESSION)
    assert run.stdout.split(b"\n") == [*wanted, b""]
    library = core.module("export").export_updates(store, SESSION)
    assert [wire_bytes(update) for update in library] == wanted


def test_replay_leaves_the_store_as_it_was(core, store):
    files = [path for path in sorted(store.root.rglob("*")) if path.is_file()]
    before = [path.read_bytes() for path in files]
    for route in sorted(REPLAYED):
        delivered_by(core, route, store, [])
    assert [path.read_bytes() for path in files] == before
