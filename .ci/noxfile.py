"""One command for each thing that is done to acpbound: ``nox -f .ci/noxfile.py -s NAME``."""

from pathlib import Path

import nox

ROOT = Path(__file__).parent.parent
PYTHONS = ["3.10", "3.11", "3.12", "3.13"]

nox.options.sessions = ["tests", "lint", "types"]
nox.options.envdir = str(ROOT / ".nox")


def install(session: nox.Session, extras: str) -> None:
    """The checkout with compiled kernels, editable."""
    session.chdir(ROOT)
    session.install("-e", f".[{extras}]", env={"ACPBOUND_EXT": "require"})


def run_tests(session: nox.Session) -> None:
    """All tests on both implementations, then on the pure one alone."""
    install(session, "test")
    session.run("pytest", *session.posargs)
    session.run("pytest", "--no-ext", *session.posargs, env={"ACPBOUND_EXT": "off"})


@nox.session
def tests(session: nox.Session) -> None:
    """All tests."""
    run_tests(session)


@nox.session(python=PYTHONS)
def matrix(session: nox.Session) -> None:
    """All tests on every Python that is installed."""
    run_tests(session)


@nox.session
def lint(session: nox.Session) -> None:
    """Formatter and linters."""
    install(session, "lint")
    session.run("ruff", "format", "--check", ".")
    session.run("ruff", "check", ".")
    session.run("cython-lint", "acpbound")


@nox.session
def types(session: nox.Session) -> None:
    """Type checker."""
    install(session, "test,lint")
    session.run("mypy")


@nox.session
def bench(session: nox.Session) -> None:
    """The benchmarks as tables."""
    install(session, "test,bench")
    session.run("python", "-m", "bench.table", *session.posargs)


@nox.session
def wheels(session: nox.Session) -> None:
    """All release files of this machine, into ``dist`` or the folder that is named."""
    session.chdir(ROOT)
    session.run("python", "tests/wheels.py", *(session.posargs or ["dist"]))


@nox.session
def sdk(session: nox.Session) -> None:
    """The SDK's tests with each version of the SDK."""
    session.chdir(ROOT)
    session.run("python", "tests/sdk_matrix.py", *session.posargs)


@nox.session
def sanitize(session: nox.Session) -> None:
    """The compiled kernels under AddressSanitizer and UndefinedBehaviorSanitizer."""
    install(session, "test")
    session.run("python", "tests/sanitize.py", *session.posargs)


@nox.session
def fuzz(session: nox.Session) -> None:
    """Coverage-guided fuzzing."""
    install(session, "test,fuzz")
    session.run("python", "tests/fuzz/run.py", *session.posargs)


@nox.session
def leaks(session: nox.Session) -> None:
    """A million projections."""
    install(session, "test")
    session.run("python", "tests/leaks.py", *session.posargs)


@nox.session
def cover(session: nox.Session) -> None:
    """Branch coverage over both implementations."""
    install(session, "test,proof")
    session.run("python", "tests/cover.py", *session.posargs)
