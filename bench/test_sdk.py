"""``session_update`` of the official SDK, with and without ``bounded``.

*sent*: an agent's real connection writes to the pipe of a process that reads everything; a call
ends when its line has left. *handled*: the SDK's client is at the other end of a socket; a call
ends when the client's own ``session_update`` has it. ``test_aims`` compares calls that alternate in
one run, so that other work on the machine disturbs both alike.

    pytest -s bench/test_sdk.py
"""

import asyncio
import statistics
import time
from contextlib import asynccontextmanager, contextmanager

import pytest
from acp.agent.connection import AgentSideConnection
from acp.schema import SessionNotification

from acpbound.sdk import bounded
from bench.corpus import log_text, update
from tests.sdk_sessions import both_sides

WAYS = {"as it is": lambda conn: conn, "bounded": bounded}
FORMS = {
    "model": lambda update: SessionNotification(session_id="s", update=update).update,
    "dict": lambda update: update,
}
UPDATES = {
    size: {"title": "a title", **update(text, raw_output=text)}
    for size, text in (("small", log_text(600)), ("500 KB", log_text(500_000)))
}


@asynccontextmanager
async def _pipe():
    """An agent's connection whose lines go to another process, and nothing to wait for."""
    process = await asyncio.create_subprocess_exec(
        "cat", stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.DEVNULL
    )
    conn = AgentSideConnection(object(), process.stdin, asyncio.StreamReader())
    yield conn, None
    await conn.close()
    process.stdin.close()
    assert await process.wait() == 0


@asynccontextmanager
async def _client():
    """An agent's connection to a client, and what is released when that has an update."""
    handled = asyncio.Semaphore(0)

    class Client:
        async def session_update(self, session_id, update, **_):  # noqa: ARG002 - the SDK's names
            handled.release()

    async with both_sides(Client()) as conn:
        yield conn, handled


ENDS = {"sent": _pipe, "handled": _client}


@contextmanager
def _connection(end):
    """A loop, a connection on it, and what to wait for."""
    loop = asyncio.new_event_loop()
    opened = ENDS[end]()
    try:
        yield (loop, *loop.run_until_complete(opened.__aenter__()))
    finally:
        loop.run_until_complete(opened.__aexit__(None, None, None))
        loop.close()


async def _calls(conn, handled, sent, count):
    start = time.perf_counter()
    for _ in range(count):
        await conn.session_update("s", sent)
        if handled is not None:
            await handled.acquire()
    return time.perf_counter() - start


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("size", UPDATES)
def test_session_update(benchmark, size, form, end, way):
    benchmark.group = f"20 calls of session_update: {size}, {form}, {end}"
    sent = FORMS[form](UPDATES[size])
    with _connection(end) as (loop, conn, handled):
        out = WAYS[way](conn)
        benchmark(lambda: loop.run_until_complete(_calls(out, handled, sent, 20)))


def _ratio(form, size, end, count, rounds):
    """What a call with ``bounded`` takes, in calls without: the median of neighbouring runs."""
    sent = FORMS[form](UPDATES[size])
    ratios = []
    with _connection(end) as (loop, conn, handled):
        plain, with_bounded = (
            lambda way=way: loop.run_until_complete(_calls(way, handled, sent, count))
            for way in (conn, bounded(conn))
        )
        for i in range(rounds):
            # Who comes second may find the pipe full: take turns.
            if i % 2:
                ratios.append(with_bounded() / plain())
            else:
                ratios.append(1 / (plain() / with_bounded()))
    return statistics.median(ratios)


@pytest.mark.parametrize(
    ("size", "count", "rounds", "at_most"), [("small", 50, 600, 1.03), ("500 KB", 4, 60, 1.0)]
)
@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("form", FORMS)
def test_aims(benchmark, form, end, size, count, rounds, at_most):
    # A smoke run shows that it works, not how fast.
    ratio = _ratio(form, size, end, *((count, rounds) if benchmark.enabled else (1, 1)))
    benchmark.group = "aims"
    benchmark.extra_info.update(ratio=ratio, at_most=at_most)
    benchmark.pedantic(lambda: None)
    print(f"\n{size}, {form}, {end}: {ratio:.3f} of the time without bounded (aim {at_most})")
