"""Every behavioural test runs on both implementations, through the ``core`` fixture.

``core`` (ids ``py`` and ``c``) is a whole ``acpbound`` on one pair of kernels. While a test runs,
``import acpbound`` gives that one. A missing extension fails the run, unless ``--no-ext`` asks for
the pure pair alone.
"""

import importlib
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.cores import CORES

settings.register_profile(
    "acpbound",
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("acpbound")

DATA = Path(__file__).parent / "data"


def pytest_addoption(parser):
    parser.addoption(
        "--no-ext", action="store_true", help="test the pure kernels alone, without the extension"
    )


def _take_no_notice(_number, _frame):
    """Unlike SIG_IGN, this is not handed down to the processes that tests start."""


def pytest_configure(config):
    # The background jobs of a script ignore SIGINT, and nohup has SIGHUP ignored: what acpbound
    # does on them could not be tested.
    for name in ("SIGINT", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, _take_no_notice)
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
