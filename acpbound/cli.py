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
from typing import cast

from acpbound import BUDGET, IMPLEMENTATION, MIN_BUDGET, Projector, __version__
from acpbound._core import FALLBACK_REASON
from acpbound.cli_wire import add_wire_commands, split_command
from acpbound.observation import Observer

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
    _add_bounds(filter_)
    filter_.set_defaults(run=_filter)
    add_wire_commands(commands.add_parser, _add_bounds, _projector, _say)
    return parser


def _add_bounds(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--budget",
        type=_budget,
        default=BUDGET,
        metavar="N",
        help=f"bytes of JSON for each field (default {BUDGET}, at least {MIN_BUDGET})",
    )


def _projector(arguments: argparse.Namespace, observer: Observer | None = None) -> Projector:
    """The projector that the options of ``_add_bounds`` ask for."""
    return Projector(arguments.budget, observer=observer)


def _filter(arguments: argparse.Namespace) -> int:
    from acpbound.stdio import LineFilter, filter_stream

    line_filter = LineFilter(_projector(arguments), _say)
    with ExitStack() as stack:
        reader = cast(BufferedReader, sys.stdin.buffer)
        if arguments.file is not None:
            from acpbound.progress import open_with_progress

            # On one terminal the bar and the lines would spoil each other.
            shown = not sys.stdout.isatty()
            reader = stack.enter_context(open_with_progress(arguments.file, shown=shown))
        filter_stream(reader, sys.stdout.buffer, line_filter)
    _say(str(line_filter.counts))
    return 0


def _abandon_stdout() -> None:
    """Keep the interpreter from failing at exit on what stdout could not take."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command with ``argv`` (default: the process's own); returns the exit status."""
    own, command = split_command(sys.argv[1:] if argv is None else list(argv))
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
