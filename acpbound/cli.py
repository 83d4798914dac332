"""The ``acpbound`` command.

Strategy: one function a subcommand, which returns the exit status; what only one of them needs is
imported there. Messages go to stderr and begin with ``acpbound:``; stdout carries data alone.

Exit statuses: 0; 1 if a file cannot be read or written; 2 for wrong arguments; 130 and 141 as a
shell reports SIGINT and SIGPIPE.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from io import BufferedReader
from pathlib import Path
from typing import cast

from acpbound import BUDGET, IMPLEMENTATION, MIN_BUDGET, Projector, __version__
from acpbound._core import FALLBACK_REASON

_EXIT_INTERRUPTED = 130
_EXIT_READER_GONE = 141


def _say(message: str) -> None:
    print(f"acpbound: {message}", file=sys.stderr, flush=True)


def _version() -> str:
    reason = f": {FALLBACK_REASON}" if FALLBACK_REASON else ""
    return f"acpbound {__version__} ({IMPLEMENTATION}{reason})"


def _budget(word: str) -> int:
    try:
        return Projector(int(word)).budget
    except ValueError as error:
        message = str(error) if word.lstrip("-").isdecimal() else f"{word!r} is no whole number"
        raise argparse.ArgumentTypeError(message) from None


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="acpbound",
        description="Keep tool results from flooding an Agent Client Protocol connection.",
    )
    parser.add_argument("--version", action="version", version=_version())
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    filter_ = commands.add_parser(
        "filter",
        help="bound the frames of an NDJSON stream",
        description="Read NDJSON from FILE or stdin and write it to stdout with the display "
        "fields of tool calls bounded; all other bytes stay as they are.",
    )
    filter_.add_argument("file", nargs="?", metavar="FILE", help="default: stdin")
    _add_budget(filter_)
    filter_.set_defaults(run=_filter)
    proxy = commands.add_parser(
        "proxy",
        help="run an agent and bound what it sends",
        usage="%(prog)s [-h] [--budget N] [--transcript DIR] [--grace SECONDS] [--quiet] "
        "-- COMMAND [ARGS...]",
        description="Run COMMAND as an ACP agent at stdin and stdout, with the display fields of "
        "its tool calls bounded; all other bytes stay as they are, both ways.",
    )
    _add_budget(proxy)
    proxy.add_argument(
        "--transcript", metavar="DIR", help="keep every session update there, unbounded"
    )
    proxy.add_argument(
        "--grace",
        type=float,
        default=10.0,
        metavar="SECONDS",
        help="how long an agent may be silent once its client is gone (default %(default)g)",
    )
    proxy.add_argument("--quiet", action="store_true", help="no summary on exit")
    proxy.set_defaults(run=_proxy, fail=proxy.error)
    return parser


def _add_budget(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--budget",
        type=_budget,
        default=BUDGET,
        metavar="N",
        help=f"bytes of JSON for each field (default {BUDGET}, at least {MIN_BUDGET})",
    )


def _filter(arguments: argparse.Namespace) -> int:
    from acpbound.stdio import LineFilter, filter_stream

    line_filter = LineFilter(Projector(arguments.budget), _say)
    with ExitStack() as stack:
        reader = cast(BufferedReader, sys.stdin.buffer)
        if arguments.file is not None:
            reader = stack.enter_context(Path(arguments.file).open("rb"))
        filter_stream(reader, sys.stdout.buffer, line_filter)
    _say(str(line_filter.counts))
    return 0


def _proxy(arguments: argparse.Namespace) -> int:
    from acpbound.proxy_command import run_proxy

    if not arguments.command:
        arguments.fail("the agent's command must follow `--`, as in: acpbound proxy -- COMMAND")
    return run_proxy(
        arguments.command,
        Projector(arguments.budget),
        _say,
        grace=arguments.grace,
        transcript=arguments.transcript,
        quiet=arguments.quiet,
    )


def _split_command(argv: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """The command of an agent, which follows the first ``--``, is no business of the parser."""
    if argv[:1] != ["proxy"]:
        return argv, []
    if "--" in argv:
        cut = argv.index("--")
        return argv[:cut], argv[cut + 1 :]
    # Only "proxy" is left, which gets the message about the missing `--`.
    return (argv if {"-h", "--help"} & {*argv} else argv[:1]), []


def _abandon_stdout() -> None:
    """Keep the interpreter from failing at exit on what stdout could not take."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command with ``argv`` (default: the process's own); returns the exit status."""
    own, command = _split_command(sys.argv[1:] if argv is None else list(argv))
    arguments = _parser().parse_args(own, argparse.Namespace(command=command))
    try:
        status: int = arguments.run(arguments)
    except BrokenPipeError:
        _abandon_stdout()
        return _EXIT_READER_GONE
    except KeyboardInterrupt:
        _abandon_stdout()
        return _EXIT_INTERRUPTED
    except OSError as error:
        _abandon_stdout()
        name = f"{error.filename}: " if error.filename else ""
        _say(f"{name}{error.strerror or error}")
        return 1
    return status
