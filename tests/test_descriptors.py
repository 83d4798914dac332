"""Reads and writes on descriptors as a process is given them: slow, not blocking, broken, gone."""

import os
import pty
import resource
import threading
from pathlib import Path

import pytest

from tests.proxying import fill

LONG = bytes(range(256)) * 4096
TIMEOUT = 60


@pytest.fixture
def pipe():
    """The two ends of a pipe; a test closes those that it wants closed."""
    ends = [os.fdopen(end, mode, 0) for end, mode in zip(os.pipe(), ("rb", "wb"), strict=True)]
    yield ends
    for end in ends:
        end.close()


class Background(threading.Thread):
    """A call in another thread, and its result or its error."""

    def __init__(self, call, *arguments):
        super().__init__(daemon=True)
        self._call, self._arguments = call, arguments
        self.outcome = None
        self.start()

    def run(self):
        try:
            self.outcome = self._call(*self._arguments)
        except OSError as error:
            self.outcome = error

    def result(self):
        self.join(TIMEOUT)
        assert not self.is_alive()
        return self.outcome


def read_slowly(reader):
    """All that a pipe delivers, in small pieces, so that its writer has to wait many times."""
    return b"".join(iter(lambda: reader.read(3000), b""))


@pytest.mark.parametrize("pieces", [[LONG], [LONG[:7], memoryview(LONG)[7:]], [b"ab", b"c"] * 40])
@pytest.mark.parametrize("blocking", [True, False])
def test_all_pieces_arrive_in_order_however_little_the_pipe_takes_at_once(
    core, pipe, pieces, blocking
):
    reader, writer = pipe
    os.set_blocking(writer.fileno(), blocking)
    reading = Background(read_slowly, reader)
    core.module("descriptors").write_all(writer.fileno(), pieces)
    writer.close()
    assert reading.result() == b"".join(map(bytes, pieces))


@pytest.mark.parametrize("pieces", [[LONG], [b"a", b"b"]])
def test_a_full_pipe_that_does_not_block_is_waited_for(core, pipe, pieces):
    reader, writer = pipe
    size = fill(writer)
    waited = []

    def make_room(descriptor):
        waited.append(descriptor)
        reader.read(size)

    core.module("descriptors").write_all(writer.fileno(), pieces, make_room)
    assert set(waited) == {writer.fileno()}
    # What is still there is the end.
    rest = reader.read(len(LONG))
    assert rest
    assert b"".join(pieces).endswith(rest)


def test_a_reader_that_is_gone_is_an_error_also_for_several_pieces(core, pipe):
    reader, writer = pipe
    reader.close()
    for pieces in ([b"a"], [b"a", b"b"]):
        with pytest.raises(BrokenPipeError):
            core.module("descriptors").write_all(writer.fileno(), pieces)


def test_a_terminal_that_was_hung_up_has_ended(core):
    terminal, inside = pty.openpty()
    try:
        os.write(inside, b"last words")
        os.close(inside)
        read_some = core.module("descriptors").read_some
        assert read_some(terminal) == b"last words"
        with pytest.raises(OSError, match="Input/output error"):
            core.module("descriptors").read_available(terminal)
        assert read_some(terminal) == b""
    finally:
        os.close(terminal)


def test_an_abandoned_descriptor_is_closed_for_its_other_end_and_stays_taken(core, pipe):
    reader, writer = pipe
    number = writer.fileno()
    core.module("descriptors").abandon(number)
    assert reader.read() == b""
    assert os.write(number, b"into nothing") == 12
    assert os.fstat(number).st_rdev == Path(os.devnull).stat().st_rdev


def test_a_reader_that_is_gone_is_seen_without_writing(core, pipe):
    reader, writer = pipe
    reader_is_gone = core.module("descriptors").reader_is_gone
    assert reader_is_gone(writer.fileno()) is False
    fill(writer)
    assert reader_is_gone(writer.fileno()) is False
    reader.close()
    assert reader_is_gone(writer.fileno()) is True
    with Path(os.devnull).open("wb") as nowhere:
        assert reader_is_gone(nowhere.fileno()) is False


def test_a_descriptor_that_cannot_be_abandoned_leaves_nothing_open(core):
    lowest_free = os.open(os.devnull, os.O_RDONLY)
    os.close(lowest_free)
    beyond_the_limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0] + 1
    core.module("descriptors").abandon(beyond_the_limit)
    again = os.open(os.devnull, os.O_RDONLY)
    os.close(again)
    assert again == lowest_free


def test_the_agents_input_closes_at_once_if_nobody_writes(core, pipe):
    reader, writer = pipe
    agent_in = core.module("descriptors").InputOfAgent(writer)
    assert agent_in.write(b"words", reader.fileno(), pytest.fail)
    agent_in.close()
    agent_in.close()
    assert reader.read() == b"words"
    assert agent_in.write(b"more", reader.fileno(), pytest.fail) is False


def test_the_agents_input_closes_behind_a_write_that_waits_for_the_agent(core, pipe):
    reader, writer = pipe
    agent_in = core.module("descriptors").InputOfAgent(writer)
    client_reads, client_writes = os.pipe()
    try:
        writing = Background(agent_in.write, LONG, client_reads, pytest.fail)
        begun = reader.read(1)
        agent_in.close()
        # What was begun is not cut short, and only then the agent sees the end.
        assert begun + read_slowly(reader) == LONG
        assert writing.result() is False
        assert writer.closed
    finally:
        os.close(client_reads)
        os.close(client_writes)


def test_a_client_that_goes_while_the_agent_does_not_read_is_noticed(core, pipe):
    reader, writer = pipe
    agent_in = core.module("descriptors").InputOfAgent(writer)
    client_reads, client_writes = os.pipe()
    gone = threading.Event()
    try:
        writing = Background(agent_in.write, LONG, client_reads, gone.set)
        assert not gone.wait(0.1)
        os.close(client_writes)
        assert gone.wait(TIMEOUT)
        reader.close()
        assert isinstance(writing.result(), BrokenPipeError)
    finally:
        os.close(client_reads)


def test_a_client_that_the_system_cannot_watch_is_not_taken_for_gone(core, pipe):
    reader, writer = pipe
    agent_in = core.module("descriptors").InputOfAgent(writer)
    # What poll says of a closed number is what some systems say of a terminal or a file.
    closed = os.dup(reader.fileno())
    os.close(closed)
    writing = Background(agent_in.write, LONG, closed, pytest.fail)
    begun = reader.read(1)
    rest = Background(read_slowly, reader)
    assert writing.result() is True
    agent_in.close()
    assert begun + rest.result() == LONG
