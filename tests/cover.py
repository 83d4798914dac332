"""Branch coverage of acpbound over both implementations, in one command.

    python tests/cover.py

Needs the extras ``test`` and ``proof`` and a C compiler; takes ten minutes or more. In a copy of
the checkout the whole suite runs under coverage.py, with all the processes that it starts; then the
kernels are built so that each of their lines reports itself, and the tests of the kernels run again
for the lines of Cython (which has no branches to tell). What is missing is listed and is an error.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

CHECKOUT = Path(__file__).parents[1]
KERNEL_TESTS = [f"tests/test_{name}.py" for name in ("parity", "fit", "scan", "hard_inputs")]
#: What coverage.py would spoil: installed copies of the package; files that it could not write into
#: either; a look for files that it writes; a count of allocations.
SPOILT = (
    "full_file_is_an_error",
    "full_disk_under_the_transcript",
    "nothing_is_written_to_disk",
    "allocates_a_few_temporaries",
)
NOT_UNDER_COVERAGE = ("--ignore=tests/test_packaging.py", "-k", f"not ({' or '.join(SPOILT)})")
#: It takes all of Unicode through the kernels, line by line.
TOO_SLOW_TO_TRACE = "every_code_point"


def main() -> None:
    """Run both parts and report."""
    failed = []
    # A process that outlives its test may still write there.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        copy = Path(folder) / "copy"
        ignored = shutil.ignore_patterns(".venv", ".git", "*.so", "*_c.c", "build", "__pycache__")
        shutil.copytree(CHECKOUT, copy, ignore=ignored)
        environment = {**os.environ, "PYTHONPATH": str(copy)}
        environment.pop("ACPBOUND_EXT", None)

        def python(*arguments: str, **variables: str) -> None:
            command = [sys.executable, *arguments]
            done = subprocess.run(command, cwd=copy, env={**environment, **variables}, check=False)
            if done.returncode:
                failed.append(" ".join(arguments))

        build = ("setup.py", "-q", "build_ext", "--inplace", "--force")
        covered = ("-m", "coverage", "run", "-m", "pytest", "-q", "-p", "no:cacheprovider")
        python(*build, ACPBOUND_EXT="require")
        python(*covered, *NOT_UNDER_COVERAGE)
        python(*build, ACPBOUND_EXT="require", ACPBOUND_LINETRACE="1")
        python(*covered, "-k", f"not {TOO_SLOW_TO_TRACE}", *KERNEL_TESTS)
        python("-m", "coverage", "combine", "--quiet")
        python("-m", "coverage", "report", "--fail-under=100")
    if failed:
        raise SystemExit("failed: python " + "\n        python ".join(failed))


if __name__ == "__main__":
    main()
