"""What a tool gave back, read from qwen-code's records: content, rawOutput and status."""

import pytest

from tests.histories import chat_record, response_part
from tests.strategies import block
from tests.test_chat_records import updates_of


def result_of(core, *parts, **result):
    (update,) = updates_of(core, chat_record("tool_result", *parts, toolCallResult=result))
    return update


def test_a_result_has_one_text_block_for_each_part(core):
    update = result_of(
        core,
        {"text": "t"},
        response_part("c-2", output="o", error="not this"),
        response_part("c-2", error="e"),
        response_part("c-2", rows=[1, "\u6c49"]),
        {"functionResponse": {"id": "c-2", "name": "x"}},
        {"inlineData": {}},
        callId="c-1",
    )
    assert update["content"] == [block("t"), block("o"), block("e"), block('{"rows":[1,"\u6c49"]}')]
    assert (update["toolCallId"], update["status"]) == ("c-1", "completed")
    assert "rawOutput" not in update


def test_the_call_id_is_the_responses_if_the_result_names_none(core):
    assert result_of(core, response_part("c-2", output="o"))["toolCallId"] == "c-2"


@pytest.mark.parametrize("display", ["text", {"a": 1}, None, 0, [1], {"fileName": "f"}])
def test_raw_output_is_the_result_display_as_it_is(core, display):
    update = result_of(core, response_part("c", output="o"), resultDisplay=display)
    assert update["rawOutput"] == display
    assert update["content"] == [block("o")]


@pytest.mark.parametrize(("original", "old"), [("was", "was"), (None, ""), (..., "")])
def test_a_file_that_was_changed_gives_a_diff(core, original, old):
    display = {"fileName": "f.py", "newContent": "is", "fileDiff": "@@"}
    if original is not ...:
        display["originalContent"] = original
    update = result_of(
        core, response_part("c", output="o"), resultDisplay=display, error={"message": "not this"}
    )
    assert update["content"] == [{"type": "diff", "path": "f.py", "oldText": old, "newText": "is"}]
    assert update["rawOutput"] == display


@pytest.mark.parametrize(
    ("result", "text"),
    [
        ({"error": {"message": "no"}}, "no"),
        ({"error": "no"}, "no"),
        ({"error": {"code": 7}}, "o"),
        ({"status": "error"}, "o"),
        ({"status": "cancelled"}, "o"),
    ],
)
def test_a_failed_call_shows_its_error(core, result, text):
    update = result_of(core, response_part("c", output="o"), callId="c", **result)
    assert (update["status"], update["content"]) == ("failed", [block(text)])
