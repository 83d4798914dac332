"""The tests of the official SDK on each of its versions: ``python tests/sdk_matrix.py [--ends]``.

acpbound is built once, with its extension; each version then gets an environment of its own, with
that wheel and its ``sdk`` extra pinned to the version, and the tests run there from a copy without
the source, so that the installed package is what they import. ``--ends`` takes the oldest and the
newest version alone. Needs a C compiler and the package index; leaves nothing behind.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).parent.parent
#: The last is whatever is newest, pre-releases and all.
VERSIONS = ("==0.8.0", "==0.9.0", "==0.10.1", "==0.11.1", "==0.12.1", ">=1.0.0rc3")
TEST_NEEDS = ("hypothesis", "mypy", "pytest>=8", "pytest-benchmark>=5", "websockets>=15")
SOURCE = ("LICENSE", "README.md", "acpbound", "pyproject.toml", "setup.py")
BUILT = shutil.ignore_patterns("*.so", "*.c", "*.pyd", "__pycache__", ".*")
ENVIRONMENT = {**os.environ, "ACPBOUND_EXT": "require", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}


def run(*command, cwd, environment=ENVIRONMENT):
    """A command that must succeed; its output otherwise goes into the error."""
    done = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="backslashreplace",
        check=False,
    )
    if done.returncode != 0:
        said = f"ended with {done.returncode}, having said:\n{done.stdout}"
        raise RuntimeError(f"{' '.join(map(str, command))}\n{said}")
    return done.stdout


def copy_of(names, folder):
    folder.mkdir()
    for path in (ROOT / name for name in names if (ROOT / name).exists()):
        if path.is_dir():
            shutil.copytree(path, folder / path.name, ignore=BUILT)
        else:
            shutil.copy(path, folder)
    return folder


def built_wheel(folder):
    source = copy_of(SOURCE, folder / "source")
    run(sys.executable, "-m", "pip", "wheel", "--no-deps", "-w", folder, ".", cwd=source)
    (wheel,) = folder.glob("*.whl")
    return wheel


def tested(version, wheel, folder):
    """One version's tests: whether they passed, and what they said."""
    place = folder / version.strip("=<>")
    environment = place / "venv"
    try:
        tests = copy_of(("README.md", "tests", "pyproject.toml"), place)
        run(sys.executable, "-m", "venv", environment, cwd=folder)
        python = environment / ("Scripts" if os.name == "nt" else "bin") / "python"
        pinned = (f"acpbound[sdk] @ {wheel.as_uri()}", f"agent-client-protocol{version}")
        run(python, "-m", "pip", "install", *pinned, *TEST_NEEDS, cwd=folder)
        installed = run(
            python,
            "-c",
            "from importlib.metadata import version; print(version('agent-client-protocol'))",
            cwd=folder,
        ).strip()
        chosen = sorted(path.relative_to(tests) for path in tests.glob("tests/test_sdk*.py"))
        plain = {name: value for name, value in ENVIRONMENT.items() if name != "ACPBOUND_EXT"}
        pytest = (python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *chosen)
        said = run(*pytest, cwd=tests, environment=plain)
    except RuntimeError as error:
        return False, f"agent-client-protocol {version}: {error}"
    return True, f"agent-client-protocol {installed}: {said.strip().splitlines()[-1]}"


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--ends", action="store_true", help="the oldest and the newest alone")
    versions = VERSIONS[:: len(VERSIONS) - 1] if options.parse_args().ends else VERSIONS
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        wheel = built_wheel(folder)
        passed = True
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            for ok, said in pool.map(lambda version: tested(version, wheel, folder), versions):
                print(said, flush=True)
                passed = passed and ok
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
