"""A live session: recorded whole, sent bounded, in the order of the calls."""

import asyncio

import pytest

from tests.histories import chunk
from tests.strategies import tool_update, wire_bytes
from tests.test_transcript import recorded, store_at

LONG = "\u6c49" * 100_000


class Client:
    """Keeps what it is sent; ``gate`` holds it up, ``fail_on`` makes it fail."""

    def __init__(self, fail_on=None):
        self.gate = asyncio.Event()
        self.gate.set()
        self.fail_on = fail_on
        self.sent = []

    async def session_update(self, *, session_id, update):
        await self.gate.wait()
        if update is self.fail_on:
            raise ConnectionError("the client is gone")
        self.sent.append((session_id, update))


def session_of(core, client, **options):
    return core.module("live").Session("s", client, **options)


def test_the_record_is_whole_and_what_is_sent_is_bounded(core, tmp_path):
    store, client = store_at(core, tmp_path), Client()
    session = session_of(core, client, transcript=store)
    update = tool_update(LONG, rawOutput=LONG)
    asyncio.run(session.send_update(update))
    assert recorded(store) == [update]
    ((session_id, sent),) = client.sent
    assert session_id == "s"
    assert len(wire_bytes(sent["content"])) <= 65_536
    assert update == tool_update(LONG, rawOutput=LONG)


def test_an_update_within_its_budget_is_sent_by_reference(core):
    client = Client()
    update = tool_update("short")
    asyncio.run(session_of(core, client).send_update(update))
    assert client.sent[0][1] is update


def test_the_projector_is_the_one_given(core):
    client = Client()
    session = session_of(core, client, projector=core.Projector(200, ensure_ascii=True))
    asyncio.run(session.send_update(tool_update(rawOutput=LONG)))
    assert len(wire_bytes(client.sent[0][1]["rawOutput"], ensure_ascii=True)) <= 200


def test_the_order_of_the_calls_is_kept_when_they_overlap(core, tmp_path):
    store = store_at(core, tmp_path)
    updates = [chunk(str(n)) for n in range(50)]
    # The later ones are small and the first is large; a slow client must not reorder them.
    updates[0] = tool_update(LONG)

    async def overlap():
        client = Client()
        client.gate.clear()
        session = session_of(core, client, transcript=store)
        sends = [asyncio.ensure_future(session.send_update(update)) for update in updates]
        await asyncio.sleep(0)
        assert recorded(store) == updates  # a slow client does not hold up the record
        assert client.sent == []
        client.gate.set()
        await asyncio.gather(*sends)
        return [update for _, update in client.sent]

    sent = asyncio.run(overlap())
    assert sent[1:] == updates[1:]
    assert sent[0]["toolCallId"] == updates[0]["toolCallId"]
    assert recorded(store) == updates


def test_a_client_that_is_slower_with_the_first_gets_it_first(core):
    updates = [chunk(str(n)) for n in range(5)]

    class Uneven(Client):
        async def session_update(self, *, session_id, update):
            for _ in range(10 - 2 * updates.index(update)):
                await asyncio.sleep(0)
            await super().session_update(session_id=session_id, update=update)

    async def overlap():
        client = Uneven()
        session = session_of(core, client)
        await asyncio.gather(*map(session.send_update, updates))
        return [update for _, update in client.sent]

    assert asyncio.run(overlap()) == updates


def test_a_failing_client_raises_to_its_caller_and_the_record_holds_the_update(core, tmp_path):
    store = store_at(core, tmp_path)
    first, bad, last = chunk("first"), chunk("bad"), chunk("last")
    client = Client(fail_on=bad)
    session = session_of(core, client, transcript=store)

    async def send():
        return await asyncio.gather(
            *(session.send_update(update) for update in (first, bad, last)), return_exceptions=True
        )

    outcomes = asyncio.run(send())
    assert outcomes[0] is None
    assert isinstance(outcomes[1], ConnectionError)
    assert outcomes[2] is None
    assert recorded(store) == [first, bad, last]
    assert [update for _, update in client.sent] == [first, last]


def test_a_caller_that_is_cancelled_leaves_the_others_their_turn(core, tmp_path):
    store = store_at(core, tmp_path)
    updates = [chunk(str(n)) for n in range(3)]

    async def send():
        client = Client()
        client.gate.clear()
        session = session_of(core, client, transcript=store)
        sends = [asyncio.ensure_future(session.send_update(update)) for update in updates]
        await asyncio.sleep(0)
        sends[1].cancel()
        client.gate.set()
        await asyncio.wait(sends)
        return [update for _, update in client.sent]

    assert asyncio.run(send()) == [updates[0], updates[2]]
    assert recorded(store) == updates


def test_what_cannot_be_recorded_is_not_sent(core, tmp_path):
    (tmp_path / "chats").write_bytes(b"in the way")
    client = Client()
    session = session_of(core, client, transcript=store_at(core, tmp_path))
    with pytest.raises(OSError, match=r"Not a directory|File exists"):
        asyncio.run(session.send_update(chunk("x")))
    assert client.sent == []


@pytest.mark.parametrize("meta", [{"serverId": "dq-A2UI"}, {"toolName": "mcp__ui__present_ui"}])
def test_an_a2ui_update_is_sent_whole(core, meta):
    client = Client()
    update = tool_update('[{"a": 1}] prose' + LONG, rawOutput=LONG, _meta=meta)
    asyncio.run(session_of(core, client).send_update(update))
    assert client.sent[0][1] is update


def test_a_lone_surrogate_is_recorded_and_sent(core, tmp_path):
    store, client = store_at(core, tmp_path), Client()
    update = tool_update("a\ud800b", rawOutput="\udfff")
    asyncio.run(session_of(core, client, transcript=store).send_update(update))
    assert recorded(store) == [update]
    assert client.sent == [("s", update)]
