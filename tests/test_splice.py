"""A changed line is the original with new values in the fields' places, every other byte kept."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import slow
from tests.strategies import any_text, block, line_of, notification, short_text, tool_update

BIG = '汉 q"\\\n' * 20_000


def bound(core, line, budget=65_536):
    return core.module("splice").bound_line(line, core.Projector(budget))


def compact(value):
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace")


def bounded_text(text, budget=65_536):
    return compact(slow.preview(text, budget - 2, ensure_ascii=False))


#: Lines with FIELD where the JSON of a rawOutput stands.
TEMPLATES = [
    (
        b'{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{'
        b'"sessionUpdate":"tool_call_update","rawOutput":FIELD}}}\n'
    ),
    # Numbers that no double and no 64 bits hold, odd spacing, a CR before the end of the line.
    (
        b' { "jsonrpc" :"2.0" ,\t"id":123456789012345678901234567890, "x":[1e400,-0.0,1.0,1E+2],'
        b'"method":"session/update","params":{"n":-0,"update":{"a":[ ],"rawOutput" :  FIELD ,'
        b'"sessionUpdate": "tool_call" , "z":1.50}} } \r\n'
    ),
    # Escaped keys and kinds; raw U+2028 and U+0085; no newline at the end.
    '{"m\\u0065thod":"session\\/update","p\\u0061rams":{"\u2028":"\u0085\u2029","upd\\u0061te":'
    '{"sessionUpdate":"tool\\u005fcall","raw\\u004futput":FIELD,"_meta":null}}}'.encode(),
    # Duplicate keys: the last one counts.
    b'{"method":"session/update","params":{"update":{"sessionUpdate":"tool_call","rawOutput":"'
    + b"first " * 20_000
    + b'"}},"params":{"update":{"sessionUpdate":"plan","rawOutput":"","rawOutput":FIELD,'
    b'"sessionUpdate":"tool_call"}}}\n',
    # The other places, a batch, and things that only look like places.
    b'{"id":1,"result":{"updates":[{"rawOutput":5},{"sessionUpdate":"tool_call","rawOutput":FIELD'
    b',"content":{"x":[]}}],"rawOutput":"' + b"z" * 70_000 + b'"}}\n',
    (
        b'{"id":1,"result":{"_meta":{"qwen.session.loadReplay":{"v":1,"updates":[{"sessionUpdate":'
        b'"tool_call","rawOutput":FIELD}],"rawOutput":1}}}}\n'
    ),
    (
        b'{"result":{"events":[{"v":1,"data":null},{"data":{"sessionUpdate":"tool_call","rawOutput":'
        b"FIELD}}]}}\n"
    ),
    b'{"events":[[],{"data":{"sessionUpdate":"tool_call","rawOutput":FIELD}}],"hasMore":true}\n',
    (
        b'[null, 5, [], {"method":"session/update","params":{"update":{"sessionUpdate":"tool_call",'
        b'"rawOutput":FIELD}}} , {"id":2}]\n'
    ),
    # More digits than Python's int takes.
    b'{"n":' + b"9" * 5_000 + b',"events":[{"data":{"sessionUpdate":"tool_call","rawOutput":FIELD}'
    b"}]}",
]


@pytest.mark.parametrize("template", TEMPLATES)
@pytest.mark.parametrize("text", [BIG, "a" * 70_000, "😀" * 30_000, "\ud800x" * 20_000])
def test_only_the_value_of_the_field_changes(core, template, text):
    assert template.count(b"FIELD") == 1
    expected = template.replace(b"FIELD", bounded_text(text))
    for written in (compact(text), json.dumps(text).encode()):
        line = template.replace(b"FIELD", written)
        assert bound(core, line) == expected
    assert bound(core, expected) is expected


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_field_that_fits_as_it_is_written_stays_as_it_is_written(core, template):
    line = template.replace(b"FIELD", b'"small \\u6c49 \\/"')
    assert bound(core, line) is line


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_field_that_is_only_written_too_long_is_written_again_with_its_value(core, template):
    text = "汉" * 20_000
    assert len(compact(text)) == 60_002
    assert len(json.dumps(text)) == 120_002
    line = template.replace(b"FIELD", json.dumps(text).encode())
    assert bound(core, line) == template.replace(b"FIELD", compact(text))


def test_content_that_is_only_written_too_long_is_written_again(core):
    content = [block("汉" * 20_000), block("")]
    template = b'{"events":[{"data":{"sessionUpdate":"tool_call","content":FIELD,"x":"y"}}]}'
    for written in (json.dumps(content), json.dumps([block("a")] * 500, indent=40)):
        line = template.replace(b"FIELD", written.encode())
        expected = template.replace(b"FIELD", compact(json.loads(written)))
        assert bound(core, line) == expected
        assert bound(core, expected) is expected


def test_the_length_as_written_is_counted_in_bytes(core):
    # 32,002 characters, but 72,002 bytes as written; 62,002 by value.
    field = b'"' + "汉".encode() * 20_000 + b"\\u0061" * 2_000 + b'"'
    template = b'{"events":[{"data":{"sessionUpdate":"tool_call","rawOutput":FIELD}}]}'
    line = template.replace(b"FIELD", field)
    assert bound(core, line) == template.replace(b"FIELD", compact(json.loads(field)))


def test_what_is_written_too_long_but_not_eligible_stays(core):
    escaped = json.dumps("汉" * 20_000).encode()
    for before in (
        b'{"events":[{"data":{"sessionUpdate":"plan","rawOutput":',
        b'{"events":[{"data":{"sessionUpdate":"tool_call","_meta":{"serverId":"a2ui"},"rawOutput":',
        b'{"events":[{"data":{"sessionUpdate":"tool_call","rawInput":',
    ):
        line = before + escaped + b"}}]}"
        assert bound(core, line) is line


def test_both_fields_of_several_updates_in_one_line(core):
    updates = [
        tool_update(BIG, "small", rawOutput="r" * 70_000),
        tool_update("small"),
        {"rawOutput": BIG, **tool_update(BIG)},
    ]
    frame = {"id": 5, "result": {"updates": updates}}
    bounded = {"id": 5, "result": {"updates": [core.project_update(u) for u in updates]}}
    assert bound(core, line_of(frame)) == line_of(bounded)


@given(short_text | any_text, short_text | any_text, st.integers(97, 3_000))
def test_the_new_line_holds_what_the_library_projects(core, text, raw, budget):
    # Through JSON first: a recording cannot hold a surrogate pair as two code points.
    frame = json.loads(json.dumps(notification(tool_update(text, "x", rawOutput=raw))))
    line = line_of(frame)
    projected = core.module("frames").project_frame(frame, core.Projector(budget))
    assert bound(core, line, budget) == line_of(projected)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"plain log text", "not JSON"),
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b'{"a"', "not JSON"),
        (b'{"a":', "not JSON"),
        (b'{"a":1', "not JSON"),
        (b'{"a":1,}', "not JSON"),
        (b"{,}", "not JSON"),
        (b"{a:1}", "not JSON"),
        (b'{"a" 1}', "not JSON"),
        (b'{"result":{"updates":[{},]}}', "not JSON"),
        (b'{"result":{"updates":[{} {}]}}', "not JSON"),
        (b'{"result":{"updates":[', "not JSON"),
        (b'{"a":1} {"b":2}', "not JSON"),
        (b'{"a":NaN}', "not JSON"),
        (b'{"a":[1,-Infinity]}', "not JSON"),
        (b'{"a":01}', "not JSON"),
        (b'{"a":"tab\there"}', "not JSON"),
        (b'{"a":"\\x"}', "not JSON"),
        (b'{"a":"\\ud8"}', "not JSON"),
        (b"\xef\xbb\xbf{}", "not JSON"),
        (b'{"a":1}\x0b', "not JSON"),
        (b'{"a":"\xff"}', "not UTF-8"),
        (b'{"a":"\xed\xa0\x80"}', "not UTF-8"),
        (b'{"a":"\xe6\xb1"}', "not UTF-8"),
        (b'"text"', "not an object"),
        (b"null", "not an object"),
        (b"42", "not an object"),
        (b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}", "nested too deeply"),
    ],
)
def test_a_line_that_is_no_message_is_refused_with_the_reason(core, line, reason):
    with pytest.raises(core.module("splice").UnreadableLineError, match=f"^{reason}$"):
        bound(core, line)


@pytest.mark.parametrize("line", [b"{}", b" {} ", b"[]", b"[1,null,{}]", b'{"params":{}}\r\n'])
def test_other_json_without_updates_is_the_same_line(core, line):
    assert bound(core, line, budget=97) is line
