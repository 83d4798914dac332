"""``python -m bench.growth [--callgrind]``: what a projection costs as its input grows.

Doubles a text from 64 KB to 256 MB and the number of blocks from 1 to 1,191, and prints the cost
of a call on both pairs of kernels: the least of several runs in microseconds, or, with valgrind on
the machine, instructions, which repeat exactly whatever else the machine does.
"""

import argparse
import re
import subprocess
import sys
import tempfile
import timeit
from pathlib import Path

from bench.contenders import CORE_NAMES, core_of
from bench.corpus import update

LENGTHS = [2**power for power in range(16, 29)]
BLOCKS = [2**power for power in range(11)] + [1_191]
LINE = '2026-12-02 INFO "GET /items" in 12 ms from C:\\svc\\run.log\n'


def text_update(length):
    text = (LINE * (length // len(LINE) + 1))[:length]
    return update(text, raw_output=text)


def block_update(count):
    return update(*["c" * 40_000] * count)


AXES = {"characters": (LENGTHS, text_update), "blocks": (BLOCKS, block_update)}


def microseconds(contender, given):
    with core_of(contender) as core:
        project = core.Projector().project_update
    number = 20
    return min(timeit.repeat(lambda: project(given), number=number, repeat=7)) / number * 1e6


CALLS = """
import sys
from bench.contenders import core_of
from bench.growth import AXES
axis, size, contender, calls = sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4])
given = AXES[axis][1](size)
with core_of(contender) as core:
    project = core.Projector().project_update
project(given)
for _ in range(calls):
    project(given)
"""


def instructions(contender, axis, size):
    """Of one call: what ten calls execute more than none, in a process each."""
    counts = []
    for calls in (0, 10):
        with tempfile.TemporaryDirectory() as folder:
            valgrind = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out"]
            script = [sys.executable, "-c", CALLS, axis, str(size), contender, str(calls)]
            run = subprocess.run(
                [*valgrind, *script],
                capture_output=True,
                text=True,
                check=True,
                cwd=Path(__file__).parent.parent,
                env={"PYTHONHASHSEED": "0", "PATH": "/usr/bin"},
            )
        counts.append(int(re.search(r"Collected : (\d+)", run.stderr)[1]))
    return (counts[1] - counts[0]) / 10


def main():
    parser = argparse.ArgumentParser(description="What a projection costs as its input grows.")
    parser.add_argument("--callgrind", action="store_true", help="count instructions")
    by_callgrind = parser.parse_args().callgrind
    for axis, (sizes, make) in AXES.items():
        unit = "instructions" if by_callgrind else "microseconds"
        print(f"\n| {axis} | {' | '.join(f'{name}, {unit}' for name in CORE_NAMES)} |")
        print(f"|---:|{'---:|' * len(CORE_NAMES)}")
        for size in sizes[:: 4 if by_callgrind else 1]:
            given = make(size)
            costs = [
                instructions(name, axis, size) if by_callgrind else microseconds(name, given)
                for name in CORE_NAMES
            ]
            print(f"| {size:,} | {' | '.join(f'{cost:,.1f}' for cost in costs)} |", flush=True)


if __name__ == "__main__":
    main()
