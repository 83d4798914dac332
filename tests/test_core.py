"""The shim: ACPBOUND_EXT in all its values, and what happens when the extension is broken."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "acpbound"
REPORT = """
import json, acpbound
from acpbound import _core
print(json.dumps([acpbound.IMPLEMENTATION, _core.FALLBACK_REASON,
                  _core.payload_size.__module__, _core.fits.__module__]))
"""


@pytest.fixture
def package_copy(tmp_path):
    """The package as files, where an extension can be broken or taken away."""
    shutil.copytree(PACKAGE, tmp_path / "acpbound", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def run(folder, code, mode):
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONWARNINGS": "error"}
    environment.pop("ACPBOUND_EXT", None)
    if mode is not None:
        environment["ACPBOUND_EXT"] = mode
    arguments = ["-c", code] if "\n" in code else ["-m", "acpbound", code]
    return subprocess.run(
        # -S: an editable install must not lend its extension to the copy.
        [sys.executable, "-S", *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def extensions(folder, name):
    return [
        path
        for path in (folder / "acpbound").iterdir()
        if path.name.startswith(f"{name}.") and path.suffix in {".so", ".pyd"}
    ]


def take_away(folder, name):
    for path in extensions(folder, name):
        path.unlink()


def break_extension(folder, name):
    take_away(folder, name)
    (folder / "acpbound" / f"{name}.py").write_text('raise ImportError("built for elsewhere")\n')


@pytest.mark.parametrize("mode", [None, "auto", "require"])
def test_the_compiled_pair_is_taken_where_it_is(package_copy, mode, request):
    if request.config.getoption("--no-ext"):
        # Nothing is compiled in this run: modules of the same names stand in.
        (package_copy / "acpbound" / "_scan_c.py").write_text("from acpbound._scan_py import *\n")
        (package_copy / "acpbound" / "_fit_c.py").write_text("from acpbound._fit_py import *\n")
    done = run(package_copy, REPORT, mode)
    assert done.stderr == ""
    assert json.loads(done.stdout)[:2] == ["cython", None]
    assert run(package_copy, "--version", mode).stdout.startswith("acpbound 0.")
    assert "(cython)" in run(package_copy, "--version", mode).stdout


def test_off_takes_the_pure_pair(package_copy):
    done = run(package_copy, REPORT, "off")
    assert done.stderr == ""
    assert json.loads(done.stdout) == ["python", None, "acpbound._scan_py", "acpbound._fit_py"]
    assert run(package_copy, "--version", "off").stdout.rstrip().endswith("(python)")


@pytest.mark.parametrize("broken", ["_scan_c", "_fit_c"])
def test_a_broken_extension_falls_back_with_its_reason_and_never_mixes(package_copy, broken):
    for name in ("_scan_c", "_fit_c"):
        take_away(package_copy, name)
        (package_copy / "acpbound" / f"{name}.py").write_text("")
    break_extension(package_copy, broken)
    for mode in (None, "auto"):
        done = run(package_copy, REPORT, mode)
        assert done.stderr == ""
        assert json.loads(done.stdout) == [
            "python",
            "built for elsewhere",
            "acpbound._scan_py",
            "acpbound._fit_py",
        ]
        version = run(package_copy, "--version", mode)
        assert version.stdout.rstrip().endswith("(python: built for elsewhere)")
        assert version.stderr == ""


def test_require_fails_without_the_extension(package_copy):
    take_away(package_copy, "_scan_c")
    done = run(package_copy, REPORT, "require")
    assert done.returncode == 1
    assert "ModuleNotFoundError: No module named 'acpbound._scan_c'" in done.stderr
    break_extension(package_copy, "_scan_c")
    assert "ImportError: built for elsewhere" in run(package_copy, REPORT, "require").stderr


def test_auto_falls_back_when_the_extension_is_missing(package_copy):
    take_away(package_copy, "_scan_c")
    implementation, reason, *_ = json.loads(run(package_copy, REPORT, None).stdout)
    assert implementation == "python"
    assert reason == "No module named 'acpbound._scan_c'"


@pytest.mark.parametrize("mode", ["", "on", "AUTO", "0", "require "])
def test_any_other_word_is_an_error(package_copy, mode):
    done = run(package_copy, REPORT, mode)
    assert done.returncode == 1
    assert f"ValueError: ACPBOUND_EXT={mode!r} is not one of auto, off, require" in done.stderr


def test_only_an_import_error_is_caught(package_copy):
    take_away(package_copy, "_scan_c")
    (package_copy / "acpbound" / "_scan_c.py").write_text('raise RuntimeError("a bug")\n')
    assert "RuntimeError: a bug" in run(package_copy, REPORT, None).stderr


def test_the_fixture_gives_what_it_says(core):
    assert {"py": "python", "c": "cython"}[core.name] == core.IMPLEMENTATION
    modules = [core.module("_core").payload_size.__module__, core.module("_core").fits.__module__]
    assert modules == [f"acpbound._scan_{core.name}", f"acpbound._fit_{core.name}"]
    assert f"({core.IMPLEMENTATION})".encode() in core.run("--version").stdout


def modules_imported_by(core, statement):
    code = f"import sys; before = set(sys.modules); {statement}; print(*set(sys.modules) - before)"
    done = subprocess.run(
        # -S: what site imports for an editable install would hide what the package does.
        [sys.executable, "-S", "-c", code],
        env={**core.environment, "PYTHONPATH": str(PACKAGE.parent)},
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.split())


def test_the_import_takes_nothing_that_is_not_used_at_once(core):
    imported = modules_imported_by(core, "import acpbound; acpbound.project_update({})")
    assert {"json", "acpbound.projection"} <= imported
    heavy = {"typing", "logging", "asyncio", "argparse", "subprocess", "pathlib", "dataclasses"}
    assert not imported & heavy
    unused = {f"acpbound.{name}" for name in ("observation", "reach", "structure", "cli", "frames")}
    assert not imported & unused


def test_what_observers_need_is_imported_when_it_is_asked_for(core):
    imported = modules_imported_by(core, "from acpbound import BoundedField, FieldLeftAlone")
    assert "acpbound.observation" in imported
    assert {"BoundedField", "FieldLeftAlone", "Projector"} <= set(dir(sys.modules["acpbound"]))
    with pytest.raises(AttributeError, match="module 'acpbound' has no attribute 'Projektor'"):
        _ = core.Projektor
