"""Torn, half-written and corrupt lines: none is returned, and none harms the others."""

import io
import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.strategies import short_text, tool_update, wire_bytes
from tests.test_transcript import recorded, store_at
from tests.test_transcript_faults import chat_file


@pytest.mark.parametrize(
    "torn", [b'{"uuid":"u","upd', b"{", b'{"a":"\xe6\xb1', b'{"a":1}', b"x" * 99]
)
def test_a_torn_last_line_is_ignored_and_damages_nothing_after_it(core, tmp_path, torn):
    damage = []
    store = store_at(core, tmp_path, on_damage=damage.append)
    store.append("s", tool_update("before"))
    whole = chat_file(tmp_path).read_bytes()
    with chat_file(tmp_path).open("ab") as file:
        file.write(torn)
    is_whole = torn == b'{"a":1}'
    with store.open("s") as transcript:
        assert len([*transcript.lines()]) == 1 + is_whole
    assert damage == []
    store.append("s", tool_update("after"))
    content = chat_file(tmp_path).read_bytes()
    assert content.startswith(whole + torn + b"\n")
    with store.open("s") as transcript:
        values = [line.value for line in transcript.lines()]
    assert values[-1]["update"] == tool_update("after")
    assert [one.offset for one in damage] == ([] if is_whole else [len(whole)])


class GrowingFile(io.RawIOBase):
    """A file that ends for a moment in the middle of a line."""

    def __init__(self, *reads):
        self.reads = [*reads]

    def readable(self):
        return True

    def readinto(self, buffer):
        read = self.reads.pop(0)
        buffer[: len(read)] = read
        return len(read)


def test_a_line_still_being_written_is_no_record_and_no_damage(core):
    damage = []
    raw = GrowingFile(b'{"a":1}\n{"b"', b"", b":2}\n", b"")
    with io.BufferedReader(raw) as file:
        lines = core.module("jsonl").read_lines(file, 0, lambda *place: damage.append(place))
        assert [line.value for line in lines] == [{"a": 1}]
    assert damage == []


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (b'{"update":', "not JSON"),
        (b"\x00" * 100, "not JSON"),
        (b'{"update":{"n":NaN}}', "not JSON"),
        (b'{"update":{"n":-1e999}}', "beyond a float in one of its numbers"),
        (b'{"a":1}{"b":2}', "not JSON"),
        (b'{"a":"\xff"}', "not UTF-8"),
        (b'{"a":"\xed\xa0\x80"}', "not UTF-8"),
        (b"42", "not an object"),
        (b"null", "not an object"),
        (b'[{"update":{}}]', "not an object"),
        (b"[" * 100_000, "nested too deeply"),
    ],
)
def test_a_corrupt_line_is_reported_without_content_and_the_rest_is_served(
    core, tmp_path, caplog, bad, reason
):
    damage = []
    store = store_at(core, tmp_path, on_damage=damage.append)
    store.append("s", tool_update("one"))
    offset = chat_file(tmp_path).stat().st_size
    with chat_file(tmp_path).open("ab") as file:
        file.write(bad + b"\n\n \r\n")
    store.append("s", tool_update("two"))
    assert recorded(store) == [tool_update("one"), tool_update("two")]
    assert damage == [(str(chat_file(tmp_path)), offset, reason)]
    assert recorded(store_at(core, tmp_path)) == [tool_update("one"), tool_update("two")]
    (message,) = caplog.messages
    assert message == f"{chat_file(tmp_path)}: the line at byte {offset} is {reason}; it is skipped"


def test_a_file_cut_at_any_byte_gives_its_whole_records_and_takes_new_ones(core, tmp_path):
    damage = []
    store = store_at(core, tmp_path, on_damage=damage.append)
    updates = [tool_update("one"), tool_update("\u6c49\u2028"), tool_update("three")]
    for update in updates:
        store.append("s", update)
    content = chat_file(tmp_path).read_bytes()
    for cut in range(len(content)):
        chat_file(tmp_path).write_bytes(content[:cut])
        # A record that lacks its newline alone is whole.
        whole = updates[: (content[:cut] + content[cut : cut + 1]).count(b"\n")]
        assert recorded(store) == whole
        store.append("s", tool_update("new"))
        damage.clear()
        assert recorded(store) == [*whole, tool_update("new")]
        assert len(damage) <= 1


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    # Read back, a pair of surrogates is one character.
    | short_text.map(lambda text: json.loads(json.dumps(text))),
    lambda values: st.lists(values, max_size=4) | st.dictionaries(st.text(max_size=5), values),
    max_leaves=12,
)


@settings(max_examples=100)
@given(st.lists(st.dictionaries(st.text(max_size=8), json_values, max_size=5), max_size=4))
def test_any_json_goes_in_and_comes_out_equal(core, updates):
    with TemporaryDirectory() as root:
        store = store_at(core, Path(root))
        for update in updates:
            store.append("s", update)
        assert (recorded(store) if updates else []) == updates
        wanted = [wire_bytes(update) for update in updates]
        exported = core.module("export").export_updates(store, "s") if updates else []
        assert [wire_bytes(update) for update in exported] == wanted
