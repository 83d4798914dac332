"""Pages: joined they are the bulk replay, whatever their size."""

import pytest

from tests.histories import (
    call_part,
    chat_record,
    history_of,
    joined,
    long_chat,
    pages_of,
    response_part,
    result_record,
    write_chat,
)


@pytest.mark.parametrize("limit", [1, 2, 3, 5, 7, 45, 46, 500])
def test_the_pages_joined_are_the_bulk_replay(core, tmp_path, limit):
    history = history_of(core, tmp_path, *long_chat())
    bulk = history.bulk("s")["updates"]
    assert len(bulk) == 7 * 3 + 9 + 6 + 3
    pages = pages_of(history, limit)
    assert joined(pages) == bulk
    assert all(len(page["events"]) == limit for page in pages[:-1])
    failed = [update["toolCallId"] for update in bulk if update.get("status") == "failed"]
    assert failed == ["c-1-0", "c-3-2", "c-6-1"]


@pytest.mark.parametrize("limit", [1, 2, 3, 4])
def test_the_last_page_is_never_empty_after_a_full_one(core, tmp_path, limit):
    records = [chat_record("user", {"text": str(n)}) for n in range(12)]
    history = history_of(core, tmp_path, *records, chat_record("system"))
    pages = pages_of(history, limit)
    assert [len(page["events"]) for page in pages] == [limit] * (12 // limit)


def test_a_call_stays_open_on_a_page_with_more_to_come(core, tmp_path):
    history = history_of(
        core,
        tmp_path,
        chat_record("assistant", call_part("open")),
        chat_record("user", {"text": "a"}),
        chat_record("user", {"text": "b"}),
    )
    first, second = pages_of(history, 2)
    assert [update["sessionUpdate"] for update in joined([first])] == [
        *("tool_call", "user_message_chunk"),
    ]
    assert [update.get("status") for update in joined([second])] == [None, "failed"]


def test_a_call_whose_result_is_on_a_later_page_is_not_failed(core, tmp_path):
    history = history_of(
        core,
        tmp_path,
        chat_record("assistant", call_part("c")),
        chat_record("user", {"text": "a"}),
        result_record("c", "late"),
    )
    statuses = [update.get("status") for update in joined(pages_of(history, 1))]
    assert statuses == ["in_progress", None, "completed"]


def test_a_result_that_comes_between_two_pages_of_failed_calls_is_delivered(core, tmp_path):
    records = [chat_record("assistant", call_part("a"), call_part("b"))]
    history = history_of(core, tmp_path, *records)
    first = history.page("s", limit=3)
    assert [u["toolCallId"] for u in joined([first])] == ["a", "b", "a"]
    write_chat(tmp_path, *records, result_record("b", "late"))
    second = history.page("s", first["nextCursor"], 3)
    assert [(u["toolCallId"], u["status"]) for u in joined([second])] == [
        *(("b", "completed"), ("a", "failed")),
    ]


@pytest.mark.parametrize("limit", [0, -1, 501, 10**30, "abc", "5", 1.0, None, True])
def test_a_limit_that_is_none_is_a_clear_error(core, tmp_path, limit):
    history = history_of(core, tmp_path, *long_chat())
    with pytest.raises(core.module("replay").InvalidLimitError, match="from 1 to 500"):
        history.page("s", limit=limit)


def test_a_page_of_one_and_of_500(core, tmp_path):
    records = [chat_record("user", {"text": str(n)}) for n in range(501)]
    history = history_of(core, tmp_path, *records)
    assert len(history.page("s", limit=1)["events"]) == 1
    page = history.page("s", limit=500)
    assert (len(page["events"]), page["hasMore"]) == (500, True)
    assert len(history.page("s")["events"]) == 100


def test_a_bounded_result_is_the_same_on_a_page_and_in_bulk(core, tmp_path):
    part = response_part("c", output="x" * 200_000)
    record = chat_record("tool_result", part, toolCallResult={"resultDisplay": "y" * 200_000})
    history = history_of(core, tmp_path, record, record, record)
    assert joined(pages_of(history, 1)) == history.bulk("s")["updates"]
