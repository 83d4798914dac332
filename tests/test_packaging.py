"""What is built and installed: sdist, compiled and pure wheels, with and without a C compiler.

Each build starts from a copy of the sources alone, and each wheel is tried in a fresh virtual
environment from another folder.
"""

import os
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from tests.conftest import DATA

ROOT = Path(__file__).parent.parent
EXTENSIONS = (".so", ".pyd")


@pytest.fixture
def sources(tmp_path):
    """The files that a build needs, and nothing that an earlier build left."""
    folder = tmp_path / "sources"
    shutil.copytree(
        ROOT / "acpbound",
        folder / "acpbound",
        ignore=shutil.ignore_patterns("__pycache__", "*.so", "*.pyd", "*.c", "*.html"),
    )
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    return folder


@pytest.fixture
def compiler(request):
    if request.config.getoption("--no-ext"):
        pytest.skip("--no-ext: this machine need not have a C compiler")


def build(folder, *arguments, mode, **variables):
    environment = {**os.environ, "ACPBOUND_EXT": mode, **variables}
    if mode is None:
        del environment["ACPBOUND_EXT"]
    command = [sys.executable, "-m", "build", "--no-isolation", *arguments, folder]
    return subprocess.run(
        [*command, "--outdir", folder.parent / "dist"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def only_file(folder, pattern):
    (found,) = (folder.parent / "dist").glob(pattern)
    return found


def wheel_names(wheel):
    return zipfile.ZipFile(wheel).namelist()


def installed(wheel, folder):
    """The Python of a fresh environment that has the wheel and nothing else."""
    venv.create(folder / "venv", with_pip=True)
    python = folder / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
    subprocess.run(
        [python, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", wheel], check=True
    )
    return python


def run_elsewhere(python, folder, *arguments, **variables):
    environment = {key: value for key, value in os.environ.items() if key != "ACPBOUND_EXT"}
    return subprocess.run(
        [python, "-m", "acpbound", *arguments],
        cwd=folder,
        env={**environment, **variables},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.usefixtures("compiler")
def test_the_sdist_has_the_sources_and_a_wheel_from_it_is_compiled(sources, tmp_path):
    done = build(sources, mode="require")
    assert done.returncode == 0, done.stderr
    with tarfile.open(only_file(sources, "*.tar.gz")) as archive:
        in_sdist = {name.partition("/")[2] for name in archive.getnames()}
    for name in ("_scan_c.pyx", "_fit_c.pyx", "_scan_c.pxd", "_scan_py.py", "py.typed"):
        assert f"acpbound/{name}" in in_sdist
    assert {"setup.py", "pyproject.toml", "README.md", "LICENSE"} <= in_sdist
    assert not [name for name in in_sdist if name.endswith((".c", *EXTENSIONS))]

    wheel = only_file(sources, "*.whl")
    names = wheel_names(wheel)
    assert len([name for name in names if name.endswith(EXTENSIONS)]) == 2
    assert not [name for name in names if name.endswith((".c", ".pyx", ".pxd"))]
    assert not [name for name in names if name.startswith(("tests", "bench"))]
    assert "none-any" not in wheel.name

    python = installed(wheel, tmp_path)
    version = run_elsewhere(python, tmp_path, "--version", ACPBOUND_EXT="require")
    assert version.stdout.rstrip().endswith("(cython)")
    recording = str(DATA / "agent_session_live.ndjson")
    compiled = run_elsewhere(python, tmp_path, "filter", recording)
    pure = run_elsewhere(python, tmp_path, "filter", recording, ACPBOUND_EXT="off")
    assert "5 frames, 1 bounded" in compiled.stderr
    assert (compiled.stdout, compiled.stderr) == (pure.stdout, pure.stderr)


def test_off_builds_a_pure_wheel_for_any_machine(sources, tmp_path):
    done = build(sources, "--wheel", mode="off", CC="false")
    assert done.returncode == 0, done.stderr
    wheel = only_file(sources, "*.whl")
    assert wheel.name.endswith("-py3-none-any.whl")
    assert not [name for name in wheel_names(wheel) if name.endswith(EXTENSIONS)]
    python = installed(wheel, tmp_path)
    assert "(python: No module named 'acpbound._scan_c')" in (
        run_elsewhere(python, tmp_path, "--version").stdout
    )
    assert run_elsewhere(python, tmp_path, "--version", ACPBOUND_EXT="require").returncode == 1


def test_an_sdist_has_the_sources_of_the_kernels_even_when_they_are_off(sources):
    done = build(sources, "--sdist", mode="off")
    assert done.returncode == 0, done.stderr
    with tarfile.open(only_file(sources, "*.tar.gz")) as archive:
        in_sdist = {name.partition("/")[2] for name in archive.getnames()}
    assert {"acpbound/_scan_c.pyx", "acpbound/_fit_c.pyx", "acpbound/_scan_c.pxd"} <= in_sdist


@pytest.mark.parametrize("mode", [None, "auto"])
def test_without_a_c_compiler_the_pure_kernels_are_installed(sources, tmp_path, mode):
    done = build(sources, "--wheel", mode=mode, CC="no-such-compiler")
    assert done.returncode == 0, done.stderr
    wheel = only_file(sources, "*.whl")
    assert not [name for name in wheel_names(wheel) if name.endswith(EXTENSIONS)]
    python = installed(wheel, tmp_path)
    done = run_elsewhere(python, tmp_path, "filter", str(DATA / "agent_session_live.ndjson"))
    assert "5 frames, 1 bounded" in done.stderr
    assert "(python: No module named" in run_elsewhere(python, tmp_path, "--version").stdout


def test_require_fails_without_a_c_compiler(sources):
    done = build(sources, "--wheel", mode="require", CC="no-such-compiler")
    assert done.returncode != 0
    assert "no-such-compiler" in done.stdout + done.stderr
    assert not list((sources.parent / "dist").glob("*.whl"))


@pytest.mark.parametrize("mode", ["", "on", "Auto"])
def test_any_other_word_is_an_error_when_building(sources, mode):
    done = build(sources, "--wheel", mode=mode)
    assert done.returncode != 0
    assert f"ACPBOUND_EXT={mode!r} is not one of auto, off, require" in done.stdout + done.stderr
