"""Every behavioural test runs on both implementations, through the ``core`` fixture.

``core`` (ids ``py`` and ``c``) is a whole ``acpbound`` on one pair of kernels. While a test runs,
``import acpbound`` gives that one. A missing extension fails the run, unless ``--no-ext`` asks for
the pure pair alone.
"""

import importlib
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "acpbound",
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("acpbound")

DATA = Path(__file__).parent / "data"
EXT_MODES = {"py": "off", "c": "require"}


class Core:
    """One acpbound: its package, its modules, and how to run it as a process."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.environment = {**os.environ, "ACPBOUND_EXT": EXT_MODES[name]}
        self._modules: dict[str, ModuleType] = {}
        self._others: dict[str, ModuleType] = {}

    def module(self, name: str) -> ModuleType:
        """A module of this acpbound, by its name inside the package."""
        return importlib.import_module(f"acpbound.{name}")

    def __getattr__(self, name: str) -> object:
        return getattr(importlib.import_module("acpbound"), name)

    def run(self, *arguments: str, **options) -> subprocess.CompletedProcess:
        """``acpbound ARGUMENTS`` as a process of its own; output as bytes."""
        return subprocess.run(
            self.command(*arguments),
            check=False,
            **{"env": self.environment, "capture_output": True, "timeout": 120, **options},
        )

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "acpbound", *arguments]

    def activate(self) -> None:
        self._others = _taken_modules()
        sys.modules.update(self._modules)
        previous = os.environ.get("ACPBOUND_EXT")
        os.environ["ACPBOUND_EXT"] = EXT_MODES[self.name]
        try:
            package = importlib.import_module("acpbound")
        finally:
            os.environ.pop("ACPBOUND_EXT")
            if previous is not None:
                os.environ["ACPBOUND_EXT"] = previous
        assert {"py": "python", "c": "cython"}[self.name] == package.IMPLEMENTATION

    def deactivate(self) -> None:
        self._modules = _taken_modules()
        sys.modules.update(self._others)


def _taken_modules() -> dict[str, ModuleType]:
    """All modules of acpbound, taken out of ``sys.modules``."""
    names = [name for name in sys.modules if name.partition(".")[0] == "acpbound"]
    return {name: sys.modules.pop(name) for name in names}


CORES = {name: Core(name) for name in EXT_MODES}


def pytest_addoption(parser):
    parser.addoption(
        "--no-ext", action="store_true", help="test the pure kernels alone, without the extension"
    )


def pytest_configure(config):
    if config.getoption("--no-ext"):
        return
    try:
        importlib.import_module("acpbound._scan_c")
        importlib.import_module("acpbound._fit_c")
    except ImportError as error:
        raise pytest.UsageError(
            f"the compiled kernels are missing ({error}); build them, or ask for --no-ext"
        ) from error


def _names(config) -> list[str]:
    return ["py"] if config.getoption("--no-ext") else list(CORES)


def pytest_report_header(config):
    return f"acpbound kernels under test: {', '.join(_names(config))}"


def pytest_ignore_collect(collection_path, config):
    # There are no twins to compare.
    if collection_path.name == "test_parity.py" and config.getoption("--no-ext"):
        return True
    return None


def pytest_generate_tests(metafunc):
    if "core" in metafunc.fixturenames:
        metafunc.parametrize("core", _names(metafunc.config), indirect=True, scope="module")


@pytest.fixture(scope="module")
def core(request):
    """One acpbound on the kernels named by the parameter."""
    chosen = CORES[request.param]
    chosen.activate()
    yield chosen
    chosen.deactivate()
