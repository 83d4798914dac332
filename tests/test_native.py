"""The native serializer: what json.dumps writes, in the bytes that JSON.stringify writes."""

import json
import subprocess
import sys
import types

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests import slow
from tests.node import stringified
from tests.strategies import any_text, short_text, wire_bytes

texts = st.lists(short_text | any_text, min_size=1, max_size=5)


@pytest.fixture(params=["without orjson", "with orjson", "while orjson is being imported"])
def orjson_state(request, monkeypatch):
    """Whether the program has imported orjson."""
    states = {
        "without orjson": None,
        "with orjson": orjson,
        "while orjson is being imported": types.ModuleType("orjson"),
    }
    monkeypatch.setitem(sys.modules, "orjson", states[request.param])


@pytest.mark.usefixtures("orjson_state")
# The fixture holds for all examples.
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts, st.booleans())
def test_payload_bytes_are_those_of_the_characters(core, texts, ensure_ascii):
    expected = sum(slow.payload(text, ensure_ascii) for text in texts)
    assert core.module("native").payload_bytes(texts, ensure_ascii) == expected


class WordyOrjson:
    """Writes each text a byte longer than JSON, so that its part in a result shows."""

    @staticmethod
    def dumps(texts):
        return orjson.dumps([text + "x" for text in texts])


def test_orjson_is_asked_where_it_writes_what_is_counted(core, monkeypatch):
    payload_bytes = core.module("native").payload_bytes
    monkeypatch.setitem(sys.modules, "orjson", WordyOrjson)
    assert payload_bytes(["abc", "\u6c49"], ensure_ascii=False) == 3 + 3 + 2
    assert payload_bytes(["abc", "\u6c49"], ensure_ascii=True) == 3 + 6
    assert payload_bytes(["\ud800"], ensure_ascii=False) == 6


def test_orjson_is_not_imported_by_the_package(core):
    code = "import acpbound, sys; acpbound.project_update({}); acpbound.Projector().project_text("
    code += "'x' * 70_000); print('orjson' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=core.environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "False\n"


def test_a_surrogate_is_written_as_node_writes_it(core):
    value = {"lone": "\udc00x\ud800", "astral": "😀", "control": "\x00\x7f\u2028"}
    written = core.module("native").json_bytes(value, ensure_ascii=False)
    assert written == wire_bytes(value)
    ((_, by_node),) = stringified([json.dumps(value).encode()])
    assert written.decode() == by_node
