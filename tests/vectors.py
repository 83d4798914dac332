"""The cases in data/vectors: inputs as recipes, with exact results from an independent source."""

import hashlib
import json
from pathlib import Path

from tests.strategies import wire_bytes

_FOLDER = Path(__file__).parent / "data" / "vectors"


def _with_index(value, index):
    if isinstance(value, str):
        return value.replace("{i}", str(index))
    if isinstance(value, list):
        return [_with_index(item, index) for item in value]
    if isinstance(value, dict):
        return {key: _with_index(item, index) for key, item in value.items()}
    return value


def _expanded(value):
    """Recipes replaced: {"$text": [[segment, count], ...]} and {"$repeat": [item, n]}."""
    if isinstance(value, list):
        return [_expanded(item) for item in value]
    if not isinstance(value, dict):
        return value
    if set(value) == {"$text"}:
        return "".join(segment * count for segment, count in value["$text"])
    if set(value) == {"$repeat"}:
        item, count = value["$repeat"]
        return [_expanded(_with_index(item, i)) for i in range(count)]
    return {key: _expanded(item) for key, item in value.items()}


def _read_cases():
    cases = {}
    for name in ("named.jsonl", "random.jsonl"):
        for line in (_FOLDER / name).read_text("utf-8").strip().split("\n"):
            case = json.loads(line)
            cases[case["name"]] = case
    return cases


CASES = _read_cases()


def update_of(name):
    """A case's input; the round trip joins surrogate pairs that a recipe put side by side."""
    return json.loads(json.dumps(_expanded(CASES[name]["update"])))


def assert_expected(name, before, after, *, same):
    """``after`` is what the case expects of ``before``; ``same`` says what unchanged means."""
    expected = CASES[name]["expect"]
    if expected["unchanged"]:
        assert same(after, before)
        return
    assert list(after) == list(before)
    for field in before:
        wanted = expected.get(field, {"unchanged": True})
        if wanted.get("unchanged"):
            assert same(after[field], before[field])
        else:
            json_bytes = wire_bytes(after[field])
            assert len(json_bytes) == wanted["json_bytes"]
            assert hashlib.sha256(json_bytes).hexdigest() == wanted["sha256"]
