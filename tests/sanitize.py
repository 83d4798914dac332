"""The compiled kernels under AddressSanitizer and UndefinedBehaviorSanitizer, in one command.

    python tests/sanitize.py [PYTEST ARGUMENTS...]

Needs GCC with its sanitizer libraries on Linux, and what the extra ``test`` installs. Strategy: the
kernels are built with both sanitizers in a copy of the checkout that is thrown away, with their own
``-O3``, so what is checked is the vectorized code that ships; the tests of the kernels and of the
projection then run in a Python whose strings have allocations of their own
(``PYTHONMALLOC=malloc``), so that one code point too far is an error. The first error ends a run.

First the sanitizers have to prove themselves: a kernel that reads two code points too many, and one
whose sum overflows, must both be caught.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

CHECKOUT = Path(__file__).parents[1]
TESTS = ("vectors", "parity", "scan", "fit", "projection", "hard_inputs", "structure", "threads")
SANITIZERS = "-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -g"
KERNEL = "acpbound/_scan_c.pyx"
CALL = "from acpbound._scan_c import payload_size; print(payload_size('a' * 5, 99, False))"

#: What is put in whose place in the kernel, and what the sanitizer then says.
FAULTS = (
    ("while done < length:", "while done < length + 2:", "AddressSanitizer: heap-buffer-overflow"),
    ("Py_ssize_t total = 0", f"Py_ssize_t total = {2**63 - 1}", "signed integer overflow"),
)


def library(name: str) -> str:
    """The path of one of the compiler's libraries."""
    found = subprocess.run(
        ["gcc", f"-print-file-name={name}"], check=True, capture_output=True, text=True
    )
    path = found.stdout.strip()
    if not Path(path).is_absolute():
        raise SystemExit(f"the compiler has no {name}; its package is missing")
    return path


def build(copy: Path) -> None:
    """Build the kernels of a copy in place, with the sanitizers."""
    environment = {
        **os.environ,
        "ACPBOUND_EXT": "require",
        "CC": "gcc",
        "CFLAGS": SANITIZERS,
        "LDFLAGS": SANITIZERS,
    }
    subprocess.run(
        [sys.executable, "setup.py", "--quiet", "build_ext", "--inplace"],
        cwd=copy,
        env=environment,
        check=True,
    )


def sanitized() -> dict[str, str]:
    """The environment in which a Python with sanitized kernels runs."""
    return {
        **os.environ,
        "ACPBOUND_EXT": "require",
        "LD_PRELOAD": f"{library('libasan.so')} {library('libubsan.so')}",
        # Python itself keeps memory until it ends; what ours leaks is the business of leaks.py.
        "ASAN_OPTIONS": "detect_leaks=0",
        "UBSAN_OPTIONS": "print_stacktrace=1",
        "PYTHONMALLOC": "malloc",
    }


def prove(copy: Path) -> None:
    """End the program unless each fault, put into the kernel, is caught."""
    kernel = copy / KERNEL
    source = kernel.read_text()
    call = [sys.executable, "-c", CALL]
    for sound, faulty, message in FAULTS:
        if source.count(sound) != 1:
            raise SystemExit(f"{KERNEL} no longer holds {sound!r} exactly once")
        kernel.write_text(source.replace(sound, faulty))
        build(copy)
        run = subprocess.run(
            call, cwd=copy, env=sanitized(), check=False, capture_output=True, text=True
        )
        if run.returncode == 0 or message not in run.stderr:
            raise SystemExit(f"{faulty!r} in {KERNEL} was not caught:\n{run.stdout}{run.stderr}")
        print(f"caught as it should be: {faulty!r}: {message}", flush=True)
    kernel.write_text(source)


def main() -> int:
    """Prove the sanitizers, build the kernels as they are, and run the tests; pytest's status."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy"
        ignored = shutil.ignore_patterns(".*", "*.so", "*_c.c", "build", "dist", "__pycache__")
        shutil.copytree(CHECKOUT, copy, ignore=ignored)
        prove(copy)
        build(copy)
        tests = sys.argv[1:] or [f"tests/test_{name}.py" for name in TESTS]
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests]
        return subprocess.run(command, cwd=copy, env=sanitized(), check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
