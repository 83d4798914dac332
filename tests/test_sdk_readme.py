"""The README's examples of the official SDK run as they stand."""

import json
import socket
import subprocess
import sys

import pytest

from tests.readme import block
from tests.sdk_cases import shown_raw
from tests.sdk_sessions import TAKES_TRANSPORTS

LOG = "a line of a very long log\n" * 20_000


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "agent.py").write_text(block("run: sdk-agent"))
    (tmp_path / "client.py").write_text(block("run: sdk-client"))
    return tmp_path


def requests():
    orders = [
        ("initialize", {"protocolVersion": 1}),
        ("session/new", {"cwd": "/", "mcpServers": []}),
        ("session/prompt", {"sessionId": "session-1", "prompt": [{"type": "text", "text": "go"}]}),
    ]
    for number, (method, params) in enumerate(orders):
        yield json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})


def answers(receive):
    """What comes until the prompt is answered."""
    while True:
        message = json.loads(receive())
        yield message
        if message.get("id") == 2:
            return


def assert_bounded(messages):
    [update] = [message["params"]["update"] for message in messages if "method" in message]
    assert update["rawOutput"] == shown_raw(LOG)
    assert messages[-1]["result"] == {"stopReason": "end_turn"}


def test_the_agent(core, folder):
    with subprocess.Popen(
        [sys.executable, "agent.py"],
        cwd=folder,
        env=core.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as agent:
        for request in requests():
            agent.stdin.write(request + "\n")
            agent.stdin.flush()
        assert_bounded(list(answers(agent.stdout.readline)))


def test_the_client_beside_the_agent(core, folder):
    done = subprocess.run(
        [sys.executable, "client.py", "agent.py"],
        cwd=folder,
        env=core.environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, block("output: sdk-client"))
    assert len(shown_raw(LOG)) == int(done.stdout.split()[1])


def test_the_client_beside_an_agent_that_bounds_nothing(core, folder):
    agent = folder / "agent.py"
    agent.write_text(agent.read_text().replace("bounded(conn)", "conn"))
    test_the_client_beside_the_agent(core, folder)


if TAKES_TRANSPORTS:

    def test_the_transport(core, folder):
        from websockets.sync.client import connect

        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = str(free.getsockname()[1])
        # The agent's own wrapper gone, only the transport's is left.
        agent = folder / "agent.py"
        agent.write_text(agent.read_text().replace("bounded(conn)", "conn"))
        (folder / "server.py").write_text(block("run: sdk-transport").replace("8000", port))
        with subprocess.Popen(
            [sys.executable, "server.py"],
            cwd=folder,
            env=core.environment,
            stdout=subprocess.PIPE,
            text=True,
        ) as server:
            try:
                assert server.stdout.readline() == f"listening on ws://127.0.0.1:{port}\n"
                with connect(f"ws://127.0.0.1:{port}", proxy=None) as client:
                    for request in requests():
                        client.send(request)
                    assert_bounded(list(answers(client.recv)))
            finally:
                server.terminate()
