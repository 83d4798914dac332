"""Coverage-guided fuzzing of acpbound with atheris, in one command.

    python tests/fuzz/run.py [NAME...] [--seconds N] [--input FILE]

Needs the extras ``test`` and ``fuzz``. Each harness, all of them if none is named, runs N seconds
in a process of its own (10, if nothing is said); half an hour for each is a long run. A harness is
a module of this folder with ``check(data)``, which raises when something is wrong with what it made
of some bytes, ``SEEDS`` to begin with and ``WORDS`` to put in. Acpbound's Python is instrumented;
the compiled kernels run beside it and must agree. After a finding, libFuzzer prints the bytes and
the name of a file that holds them, for ``--input``; put what they show into the suite.
"""

from __future__ import annotations

import argparse
import importlib
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

FOLDER = Path(__file__).parent
CHECKOUT = FOLDER.parents[1]
HARNESSES = ("kernels", "frames", "filter", "cursor", "chat")
LONGEST_INPUT = 4096


def fuzz(name: str, seconds: int) -> None:
    """Run one harness in this process, which ends with it."""
    import atheris

    with atheris.instrument_imports(include=["acpbound"]):
        harness = importlib.import_module(f"tests.fuzz.{name}")
    with tempfile.TemporaryDirectory() as folder:
        corpus, words = Path(folder, "corpus"), Path(folder, "words")
        corpus.mkdir()
        for i, seed in enumerate(harness.SEEDS):
            (corpus / f"seed-{i}").write_bytes(seed)
        escaped = ("".join(f"\\x{byte:02x}" for byte in word) for word in harness.WORDS)
        words.write_text("".join(f'"{word}"\n' for word in escaped))
        options = [
            f"-max_total_time={seconds}",
            f"-max_len={LONGEST_INPUT}",
            "-timeout=20",
            "-rss_limit_mb=4096",
            "-print_final_stats=1",
            f"-dict={words}",
            f"-artifact_prefix={tempfile.gettempdir()}/acpbound-fuzz-{name}-",
        ]
        atheris.Setup([sys.argv[0], *options, str(corpus)], harness.check)
        atheris.Fuzz()


def run(name: str, seconds: int) -> bool:
    """Run one harness in a process of its own; whether it found nothing."""
    start = time.monotonic()
    command = [sys.executable, __file__, name, "--seconds", str(seconds), "--here"]
    done = subprocess.run(command, cwd=CHECKOUT, check=False, capture_output=True, text=True)
    output = done.stdout + done.stderr
    executions = re.search(r"number_of_executed_units: (\d+)", output)
    covered = re.findall(r"cov: (\d+)", output)
    if done.returncode or not executions:
        print(output)
        print(f"{name}: FAILED after {time.monotonic() - start:.0f} s", flush=True)
        return False
    print(
        f"{name}: {int(executions[1]):,} executions in {time.monotonic() - start:.0f} s, "
        f"{covered[-1]} edges, nothing found",
        flush=True,
    )
    return True


def main() -> int:
    """The command; 1 if anything was found."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(HARNESSES))
    parser.add_argument("--seconds", type=int, default=10, help="for each harness")
    parser.add_argument("--input", type=Path, help="run the harness once, on this file")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    names = options.names or HARNESSES
    if unknown := set(names).difference(HARNESSES):
        parser.error(f"no harness is called {', '.join(unknown)}; there are {', '.join(HARNESSES)}")
    if options.input:
        for name in names:
            importlib.import_module(f"tests.fuzz.{name}").check(options.input.read_bytes())
    elif options.here:
        fuzz(names[0], options.seconds)
    else:
        return False in [run(name, options.seconds) for name in names]
    return 0


if __name__ == "__main__":
    # Tests and kernels are those of this checkout.
    sys.path.insert(0, str(CHECKOUT))
    sys.exit(main())
