"""An ACP agent made with the official SDK; run as a program by the tests of real peers.

It answers a prompt with a tool result of 500 KB, replays two such results when a session is loaded,
and serves stored updates by an extension method. It does not know of acpbound.
"""

import asyncio

import acp
from acp import schema

SIZE = 500_000


def result(call, text):
    return schema.ToolCallProgress(
        session_update="tool_call_update",
        tool_call_id=call,
        status="completed",
        content=[
            schema.ContentToolCallContent(type="content", content=acp.text_block(text)),
        ],
        raw_output=text,
    )


class Agent(acp.Agent):
    def on_connect(self, conn):
        self.client = conn
        self.cancelled = asyncio.Event()

    async def initialize(self, protocol_version, **_):
        capabilities = schema.AgentCapabilities(load_session=True)
        return acp.InitializeResponse(
            protocol_version=protocol_version, agent_capabilities=capabilities
        )

    async def new_session(self, **_):
        return acp.NewSessionResponse(session_id="s-1")

    async def prompt(self, session_id, prompt, **_):
        if prompt[0].text == "wait":
            await self.client.session_update(session_id, acp.update_agent_message_text("waiting"))
            await self.cancelled.wait()
            return acp.PromptResponse(stop_reason="cancelled")
        read = await self.client.read_text_file(path="/big", session_id=session_id)
        await self.client.session_update(session_id, result("call-1", "x" * SIZE))
        await self.client.session_update(
            session_id, acp.update_agent_message_text(f"read {len(read.content)}")
        )
        return acp.PromptResponse(stop_reason="end_turn")

    async def load_session(self, session_id, **_):
        for call in ("call-1", "call-2"):
            await self.client.session_update(session_id, result(call, "y" * SIZE))
        return acp.LoadSessionResponse()

    async def cancel(self, **_):
        self.cancelled.set()

    async def ext_method(self, method, params):
        update = result("call-1", "\u6c49" * SIZE).model_dump(by_alias=True, exclude_none=True)
        return {"updates": [update], "method": method, "asked": params}


if __name__ == "__main__":
    asyncio.run(acp.run_agent(Agent()))
