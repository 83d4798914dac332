"""Both directions of a proxy at once, under load: order, completeness, memory, no deadlock."""

import hashlib
import json
import re
import threading
from pathlib import Path

from tests.cores import HAS_GIL
from tests.proxying import feed, read_all, read_line, running_proxy, write_all
from tests.strategies import block, line_of, notification, tool_update, wire_bytes

FRAMES = 20_000
MIB = 1 << 20

#: Sends FRAMES frames while it receives as many, slowly; then says what it has received.
BUSY_AGENT = f"""
import hashlib, threading
digest = hashlib.sha256()
def receive():
    # Slower than the client writes: in small portions, with a pause for others to run.
    while chunk := os.read(0, 2048):
        digest.update(chunk)
        time.sleep(0)
receiver = threading.Thread(target=receive)
receiver.start()
form = b'{{"jsonrpc":"2.0","method":"session/update","params":{{"n":%d,"text":"%s"}}}}\\n'
for i in range({FRAMES}):
    out(form % (i, b'x' * 200))
receiver.join()
os.write(2, digest.hexdigest().encode())
"""


def peak_memory(process):
    """The most memory that a process has had, in bytes."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) * 1024


def test_twenty_thousand_frames_each_way_with_a_slow_reader_on_each_side(core):
    requests = b"".join(
        b'{"jsonrpc":"2.0","id":%d,"method":"session/prompt","params":{"text":"%s"}}\n'
        % (i, b"y" * 200)
        for i in range(FRAMES)
    )
    with running_proxy(core, BUSY_AGENT, "--quiet", stderr=-1) as proxy:
        feeder = feed(proxy.stdin, requests, close=True)
        numbers = []
        memory = set()
        held = b""
        # Small portions: the pipe is full nearly all of the time.
        while portion := proxy.stdout.read(2048):
            *lines, held = (held + portion).split(b"\n")
            numbers += [json.loads(line)["params"]["n"] for line in lines]
            if len(numbers) % 1000 < 10:
                memory.add(peak_memory(proxy))
        feeder.join()
        assert numbers == [*range(FRAMES)]
        assert held == b""
        assert read_all(proxy.stderr).decode() == hashlib.sha256(requests).hexdigest()
        assert max(memory) < 40 * MIB


def test_a_reader_far_slower_than_the_agent_costs_no_memory(core):
    """200 MB of output, which the client takes in portions far smaller than a pipe."""
    program = """
line = b'{"jsonrpc":"2.0","method":"session/update","params":{"text":"' + b'x' * 230 + b'"}}\\n'
for _ in range(700): out(line * 1000)
"""
    with running_proxy(core, program, "--quiet") as proxy:
        before = None
        total = 0
        while portion := proxy.stdout.read(4096):
            total += len(portion)
            if before is None and total > MIB:
                before = peak_memory(proxy)
            elif total % (1 << 24) < 4096:
                assert peak_memory(proxy) < before + (4 if HAS_GIL else 32) * MIB
        assert total == 700_000 * 295


def test_bounding_thousands_of_large_frames_costs_no_memory_over_time(core):
    """A buffer that grows and is resent whole, as a running command's output is."""
    program = """
for i in range(1000):
    text = 'o' * (100 * i)
    update = {"sessionUpdate": "tool_call_update", "status": "in_progress", "n": i,
        "content": [{"type": "content", "content": {"type": "text", "text": text}}]}
    frame = {"jsonrpc": "2.0", "method": "session/update", "params": {"update": update}}
    out(json.dumps(frame).encode() + b'\\n')
"""
    with running_proxy(core, program, "--quiet") as proxy:
        memory = set()
        for i in range(1000):
            update = json.loads(read_line_fast(proxy))["params"]["update"]
            assert update["n"] == i
            assert len(wire_bytes(update["content"])) <= 65_536
            if i < 998:
                memory.add(peak_memory(proxy))
        assert proxy.wait(20) == 0
    assert max(memory) < 40 * MIB


def read_line_fast(proxy):
    """A line of stdout; the rest of what was read is kept for the next one."""
    held = proxy.__dict__.setdefault("held", bytearray())
    while (end := held.find(b"\n")) < 0:
        chunk = proxy.stdout.read(MIB)
        assert chunk, "the stream has ended"
        held += chunk
    line = bytes(held[: end + 1])
    del held[: end + 1]
    return line


def test_ten_megabytes_from_the_client_arrive_byte_for_byte(core):
    """An ``fs/read_text_file`` response: whatever it holds, it is not the proxy's business."""
    text = wire_bytes(tool_update("\u6c49\U0001f600\u2028 \ud800\r\n" * 500_000))
    response = b'{"jsonrpc":"2.0",  "id":1.0,"result":{"content":' + text + b"}}\n"
    assert len(response) > 10_000_000
    program = "line = read(); out(b'%d\\n' % len(line)); rest = read(); os.write(2, line + rest)"
    with running_proxy(core, program, "--quiet", stderr=-1) as proxy:
        feeder = feed(proxy.stdin, response + b"\xffno line", close=True)
        assert read_line(proxy.stdout) == b"%d\n" % len(response)
        assert read_all(proxy.stderr) == response + b"\xffno line"
        feeder.join()


def test_case_6_thousands_of_bounded_replay_frames_wait_for_a_slow_client(core):
    """Each frame is ten portions long, so the agent waits at nearly every one."""
    program = """
read()
for i in range(5000):
    update = {"sessionUpdate": "tool_call_update", "n": i, "rawOutput": "%05d" % i * 4000}
    frame = {"jsonrpc": "2.0", "method": "session/update", "params": {"update": update}}
    out(json.dumps(frame).encode() + b'\\n')
"""
    with running_proxy(core, program, "--quiet", "--budget", "10000") as proxy:
        proxy.stdin.write(b"load\n")
        held = b""
        numbers = []
        memory = []
        while portion := proxy.stdout.read(1000):
            *lines, held = (held + portion).split(b"\n")
            for line in lines:
                update = json.loads(line)["params"]["update"]
                numbers.append(update["n"])
                assert len(wire_bytes(update["rawOutput"])) <= 10_000
                assert update["rawOutput"].startswith(f"{update['n']:05d}")
                if len(numbers) % 500 == 1:
                    memory.append(peak_memory(proxy))
        assert held == b""
        assert numbers == [*range(5000)]
        assert len(memory) == 10
        assert memory[-1] < memory[0] + 4 * MIB


def test_frames_cross_in_both_directions_without_waiting_for_each_other(core):
    """Requests that each need an answer, from many threads, with large frames between them."""
    big = line_of(notification(tool_update("z" * 300_000)))
    program = f"""
while line := read():
    out({line_of({"note": [block("small")]})!r})
    out(line)
"""
    with running_proxy(core, program, "--quiet") as proxy:
        for i in range(50):
            request = line_of({"id": i})
            thread = threading.Thread(target=write_all, args=(proxy.stdin, big + request))
            thread.start()
            kinds = [read_line_fast(proxy) for _ in range(4)]
            thread.join()
            assert kinds[3] == request
            assert len(kinds[1]) < 66_000
