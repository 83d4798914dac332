"""What a recorder keeps of a wire, and that nothing about it stops delivery."""

import errno
import os

from tests.strategies import line_of, notification, tool_update


class Store:
    """A transcript store that keeps records in memory, or fails as it is told."""

    def __init__(self, failure=None):
        self.records = []
        self.failure = failure

    def append(self, session_id, update):
        if self.failure is not None:
            raise self.failure
        self.records.append((session_id, update))
        return "record"


def recorder_of(core, store):
    warnings = []
    return core.module("recording").Recorder(store, warnings.append), warnings


def filtered(core, recorder, *lines):
    """The lines as they leave a filter that records."""
    module = core.module("lines")
    line_filter = module.LineFilter(core.Projector(), lambda _: None, record=recorder.record)
    chunks = core.module("chunks").ChunkFilter(line_filter)
    return b"".join([*chunks.feed(b"".join(lines)), *chunks.end()])


def test_every_update_is_kept_whole_and_in_order_whatever_its_size(core):
    updates = [tool_update("a"), tool_update("b" * 200_000), {"sessionUpdate": "plan"}]
    store = Store()
    recorder, warnings = recorder_of(core, store)
    output = filtered(core, recorder, *(line_of(notification(update)) for update in updates))
    assert store.records == [("s-1", update) for update in updates]
    assert len(output) < 70_000
    assert str(recorder) == "3 updates recorded"
    assert warnings == []


def test_a_last_line_without_newline_is_kept_too(core):
    store = Store()
    recorder, _ = recorder_of(core, store)
    filtered(core, recorder, line_of(notification(tool_update("a")))[:-1])
    assert store.records == [("s-1", tool_update("a"))]


def test_what_is_no_notification_of_an_update_is_not_kept(core):
    store = Store()
    recorder, warnings = recorder_of(core, store)
    update = tool_update("a")
    lines = [
        line_of({"method": "session/request_permission", "params": {"update": update}}),
        line_of({"result": {"updates": [update]}}),
        line_of({"params": {"update": update}}),
        b"update\n",
        b'{"method": "session/update", "params": {"update": NaN}}\n',
        b"\xff update\n",
        b"\n",
    ]
    assert filtered(core, recorder, *lines) == b"".join(lines)
    assert (store.records, warnings) == ([], [])


def test_a_batch_and_an_escaped_method_are_read_like_any_frame(core):
    store = Store()
    recorder, _ = recorder_of(core, store)
    frame = line_of([notification(tool_update("a")), notification(tool_update("b"))])
    escaped = frame.replace(b"session/update", b"session\\/\\u0075pdate")
    filtered(core, recorder, escaped)
    assert [update for _, update in store.records] == [tool_update("a"), tool_update("b")]


def test_numbers_keep_their_values_or_the_update_is_refused(core):
    store = Store()
    recorder, warnings = recorder_of(core, store)
    form = (
        b'{"method":"session/update","params":{"sessionId":"s","update":'
        b'{"sessionUpdate":"plan","n":%s}}}\n'
    )
    for number in (b"18446744073709551617", b"-0.0", b"1.0", b"1e400", b"9" * 5000):
        filtered(core, recorder, form % number)
    kept = [repr(update["n"]) for _, update in store.records]
    assert kept[:3] == ["18446744073709551617", "-0.0", "1.0"]
    # 1e400 is beyond a float; how long an integer may be is up to the Python version.
    assert recorder.recorded + recorder.failed == 5
    assert recorder.failed in (1, 2)
    assert len(warnings) == 1


def test_a_store_that_fails_costs_one_warning_and_no_line(core):
    store = Store(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))
    recorder, warnings = recorder_of(core, store)
    lines = [line_of(notification(tool_update("a"))) for _ in range(3)]
    assert filtered(core, recorder, *lines) == b"".join(lines)
    assert warnings == [
        "the transcript cannot keep an update (No space left on device); delivery goes on without"
    ]
    assert str(recorder) == "0 updates recorded, 3 not"
