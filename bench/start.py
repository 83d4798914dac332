"""``python -m bench.start``: how long imports and commands take, over a bare interpreter.

Commands run in turn, forty times each; the least time and the median are printed, in milliseconds.
In an editable install the finder that pip puts in front counts as well; a wheel has none.
"""

import statistics
import subprocess
import sys
import time

ROUNDS = 40
COMMANDS = {
    "python -c pass": ["-c", "pass"],
    "import json": ["-c", "import json"],
    "import json, typing": ["-c", "import json, typing"],
    "import acpbound": ["-c", "import acpbound"],
    "acpbound --version": ["-m", "acpbound", "--version"],
}


def main():
    times = {name: [] for name in COMMANDS}
    for _ in range(ROUNDS):
        for name, arguments in COMMANDS.items():
            start = time.perf_counter()
            subprocess.run([sys.executable, *arguments], stdout=subprocess.DEVNULL, check=True)
            times[name].append((time.perf_counter() - start) * 1e3)
    bare = times["python -c pass"]
    print(
        "| milliseconds | least | median | median over a bare interpreter |\n|---|---:|---:|---:|"
    )
    for name, taken in times.items():
        median = statistics.median(taken)
        over = median - statistics.median(bare)
        print(f"| `{name}` | {min(taken):.1f} | {median:.1f} | {over:.1f} |")


if __name__ == "__main__":
    main()
