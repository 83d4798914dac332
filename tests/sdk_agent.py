"""An agent on the official SDK, for the tests: ``python -m tests.sdk_agent OPTIONS``.

A prompt names the cases to send and their form, ``model`` or ``dict``; ``session/load`` sends all
of them once more, as a replay. ``once N`` and ``twice N`` send N characters in content alone and in
both fields; ``shapes`` sends ``tests.shapes.every_shape``. ``grow N`` resends a
buffer that grows by 100 characters N times.
"""

import argparse
import asyncio
import json

import acp
from acp.schema import (
    AgentCapabilities,
    ContentToolCallContent,
    SessionNotification,
    TextContentBlock,
    ToolCallProgress,
)

from acpbound import BUDGET, Projector
from acpbound.sdk import bounded
from tests.sdk_cases import CASES
from tests.shapes import every_shape
from tests.strategies import tool_update


def as_model(update):
    return SessionNotification.model_validate({"sessionId": "s-1", "update": update}).update


class Agent:
    def __init__(self, wrap):
        self._wrap = wrap
        self._sent = []

    def on_connect(self, conn):
        self._conn = self._wrap(conn)

    async def initialize(self, protocol_version, **_):
        return acp.InitializeResponse(
            protocol_version=protocol_version,
            agent_capabilities=AgentCapabilities(load_session=True),
        )

    async def new_session(self, cwd, **_):  # noqa: ARG002 - the protocol's name
        return acp.NewSessionResponse(session_id="s-1")

    async def load_session(self, session_id, **_):
        for update, meta in self._sent:
            await self._conn.session_update(session_id, update, **meta)
        return acp.LoadSessionResponse()

    async def prompt(self, prompt, session_id, **_):
        order = json.loads(prompt[0].text)
        updates = [CASES[name][0] for name in order.get("cases", [])]
        updates += [tool_update("a" * n) for n in order.get("once", [])]
        updates += [tool_update("a" * n, rawOutput="a" * n) for n in order.get("twice", [])]
        if order.get("shapes"):
            updates += [update for _, update in every_shape()]
        if order.get("form") == "model":
            updates = map(as_model, updates)
        for update in updates:
            self._sent.append((update, order.get("meta", {})))
            await self._conn.session_update(session_id, update, **order.get("meta", {}))
        buffer = ""
        for _ in range(order.get("grow", 0)):
            buffer += "0123456789" * 10
            block = TextContentBlock(type="text", text=buffer)
            update = ToolCallProgress(
                session_update="tool_call_update",
                tool_call_id="call-1",
                status="in_progress",
                content=[ContentToolCallContent(type="content", content=block)],
                raw_output=buffer,
            )
            await self._conn.session_update(session_id, update)
        return acp.PromptResponse(stop_reason="end_turn")

    async def cancel(self, session_id, **_):
        pass


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--budget", type=int, default=BUDGET)
    options.add_argument("--also", action="append", default=[])
    options.add_argument("--unbounded", action="store_true")
    chosen = options.parse_args()

    def wrap(conn):
        if chosen.unbounded:
            return conn
        return bounded(conn, Projector(chosen.budget, ensure_ascii=True, also=chosen.also))

    asyncio.run(acp.run_agent(Agent(wrap)))


if __name__ == "__main__":
    main()
