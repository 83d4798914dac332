"""The command line itself: what is accepted, what is refused, and how it says so."""

import pytest


@pytest.mark.parametrize(
    ("budget", "message"),
    [
        ("96", "budget 96 is below 97, the size of a collapsed content field"),
        ("-5", "budget -5 is below 97, the size of a collapsed content field"),
        ("64k", "'64k' is no whole number"),
        ("", "'' is no whole number"),
        ("1e5", "'1e5' is no whole number"),
    ],
)
def test_a_wrong_budget_is_refused_with_the_reason(core, budget, message):
    done = core.run("filter", f"--budget={budget}", input=b"")
    assert (done.returncode, done.stdout) == (2, b"")
    assert f"argument --budget: {message}\n" in done.stderr.decode()


@pytest.mark.parametrize("arguments", [[], ["filters"], ["filter", "a", "b"], ["filter", "--x"]])
def test_wrong_arguments_are_refused_with_the_usage(core, arguments):
    done = core.run(*arguments)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"usage: acpbound")


def test_the_version_tells_the_implementation(core):
    done = core.run("--version")
    assert done.stdout.decode() == f"acpbound {core.__version__} ({core.IMPLEMENTATION})\n"
    assert (done.returncode, done.stderr) == (0, b"")


def test_help_names_the_commands(core):
    done = core.run("--help")
    assert done.returncode == 0
    assert b"filter" in done.stdout
    assert b"at least 97" in core.run("filter", "--help").stdout
