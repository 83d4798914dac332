"""The proxy beside its peers: ``cat``, and a proxy that parses and writes every line anew.

Each stands between a writer (``cat`` of a file) and a reader that takes everything. Rates are
bytes of the file by the time of a run; the start of a process is in it, so the files are long.
``test_aims`` compares rates from interleaved runs, which other work on the machine disturbs alike.
"""

import json
import statistics
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest

PEER = """
import json, subprocess, sys
agent = subprocess.Popen(sys.argv[1:], stdin=sys.stdin, stdout=subprocess.PIPE)
write, flush = sys.stdout.buffer.write, sys.stdout.buffer.flush
for line in agent.stdout:
    write(json.dumps(json.loads(line)).encode() + b"\\n")
    flush()
sys.exit(agent.wait())
"""
PROXIES = {
    "proxy": [sys.executable, "-m", "acpbound", "proxy", "--quiet", "--"],
    "json": [sys.executable, "-c", PEER],
    "cat": ["sh", "-c", '"$@" | cat', "sh"],
}


def _update(**members):
    update = {"sessionUpdate": "tool_call_update", "toolCallId": "call-1", **members}
    params = {"sessionId": "s-1", "update": update}
    frame = {"jsonrpc": "2.0", "method": "session/update", "params": params}
    return json.dumps(frame).encode() + b"\n"


def _block(text):
    return [{"type": "content", "content": {"type": "text", "text": text}}]


_TEXT = "a line of sixty characters, as the output of a tool has many\n" * 8200
STREAMS = {
    "small": (_update(title="x" * 180), 3_000_000),
    "needs nothing": (_update(content=_block(_TEXT[:50_000]), rawOutput=_TEXT[:50_000]), 4000),
    "bounded, both fields": (_update(content=_block(_TEXT), rawOutput=_TEXT), 400),
    "bounded, one field": (_update(content=_block(_TEXT * 2)), 400),
}


@pytest.fixture(scope="session")
def streams(tmp_path_factory, pytestconfig):
    """A file for each kind of stream, by its name; a small one when nothing is timed."""
    part = 20 if pytestconfig.getoption("benchmark_disable") else 1
    folder = tmp_path_factory.mktemp("streams")
    files = {}
    for name, (line, count) in STREAMS.items():
        files[name] = folder / name
        with files[name].open("wb") as file:
            for _ in range(10):
                file.write(line * (count // 10 // part))
    return files


def _drain(command):
    buffer = bytearray(1 << 17)
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, bufsize=0
    ) as process:
        while process.stdout.readinto(buffer):
            pass
    assert process.returncode == 0


@pytest.mark.parametrize("proxy", PROXIES)
@pytest.mark.parametrize("stream", STREAMS)
def test_throughput(benchmark, streams, stream, proxy):
    benchmark.group = f"throughput: {stream}"
    command = [*PROXIES[proxy], "cat", str(streams[stream])]
    benchmark.extra_info["bytes"] = size = streams[stream].stat().st_size
    benchmark.pedantic(_drain, [command], rounds=1 if (stream, proxy) == ("small", "json") else 3)
    if benchmark.stats is not None:
        # Nothing is timed in a smoke run.
        benchmark.extra_info["MB/s"] = size / benchmark.stats["min"] / 1e6


@contextmanager
def _echo(command):
    with subprocess.Popen(
        [*command, "cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
    ) as process:
        yield process
        process.stdin.close()


@pytest.mark.parametrize("proxy", PROXIES)
def test_latency_of_a_small_frame_there_and_back(benchmark, proxy):
    benchmark.group = "latency: there and back"
    line = STREAMS["small"][0]
    with _echo(PROXIES[proxy]) as process:

        def there_and_back():
            process.stdin.write(line)
            left = len(line)
            while left > 0:
                left -= len(process.stdout.read(left))

        benchmark(there_and_back)


@pytest.mark.parametrize(
    "command",
    [
        pytest.param([sys.executable, "-c", "pass"], id="python -c pass"),
        pytest.param([*PROXIES["proxy"], "true"], id="proxy"),
        pytest.param([*PROXIES["json"], "true"], id="json"),
        pytest.param([sys.executable, "-m", "acpbound", "--version"], id="--version"),
    ],
)
def test_start_and_end(benchmark, command):
    benchmark.group = "start and end of a process"
    benchmark.pedantic(_drain, [command], rounds=15, warmup_rounds=2)


def _seconds(command):
    start = time.perf_counter()
    _drain(command)
    return time.perf_counter() - start


@pytest.mark.parametrize(
    ("stream", "peer", "least_ratio"),
    [
        ("small", "cat", 0.5),
        ("bounded, both fields", "json", 3.0),
        ("bounded, one field", "json", 3.0),
    ],
)
def test_aims(benchmark, streams, stream, peer, least_ratio):
    """The aims that were set; each ratio is the median of ratios of neighbouring runs."""
    benchmark.group = "aims"
    file = str(streams[stream])

    def ratio():
        return _seconds([*PROXIES[peer], "cat", file]) / _seconds([*PROXIES["proxy"], "cat", file])

    # A smoke run shows that it works, not how fast.
    ratios = [ratio() for _ in range(5 if benchmark.enabled else 1)]
    rate = streams[stream].stat().st_size / _seconds([*PROXIES["proxy"], "cat", file]) / 1e6
    benchmark.extra_info.update(ratio=statistics.median(ratios), rate=rate, least_ratio=least_ratio)
    benchmark.pedantic(lambda: None)
    ratio_found = statistics.median(ratios)
    print(f"\n{stream}: {ratio_found:.2f} of {peer}'s rate (aim {least_ratio}), {rate:.0f} MB/s")
