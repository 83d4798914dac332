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
from acpbound.reach import REACHABLE_FIELDS, reachable_fields

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


def _fields(words: str) -> tuple[str, ...]:
    if words == "all":
        return REACHABLE_FIELDS
    try:
        return reachable_fields(word.strip() for word in words.split(","))
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


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
    replay = commands.add_parser(
        "replay",
        help="write a transcript as bounded session/update notifications",
        description="Write the session/update notifications that a client would receive when the "
        "session is loaded, bounded, as NDJSON.",
    )
    _add_transcript(replay)
    _add_bounds(replay)
    replay.set_defaults(run=_replay)
    export = commands.add_parser(
        "export",
        help="write the updates of a transcript whole",
        description="Write the canonical updates of a session as NDJSON, exactly as recorded.",
    )
    _add_transcript(export)
    export.set_defaults(run=_export)
    return parser


def _add_bounds(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--budget",
        type=_budget,
        default=BUDGET,
        metavar="N",
        help=f"bytes of JSON for each field (default {BUDGET}, at least {MIN_BUDGET})",
    )
    command.add_argument(
        "--also",
        type=_fields,
        default=(),
        metavar="FIELDS",
        help=f"bound texts inside these fields as well, by commas: {', '.join(REACHABLE_FIELDS)}; "
        "or all of them: all",
    )


def _projector(arguments: argparse.Namespace) -> Projector:
    """The projector that the options of ``_add_bounds`` ask for."""
    return Projector(arguments.budget, also=arguments.also)


def _add_transcript(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "transcript",
        metavar="FILE_OR_STORE",
        help="a transcript file, or a folder of transcripts (qwen-code's project folders too)",
    )
    command.add_argument(
        "session", nargs="?", metavar="SESSION", help="default: the only one that is there"
    )


def _replay(arguments: argparse.Namespace) -> int:
    from acpbound import cli_replay

    projector = _projector(arguments)
    return cli_replay.run(arguments.transcript, arguments.session, _say, projector)


def _export(arguments: argparse.Namespace) -> int:
    from acpbound import cli_replay

    return cli_replay.run(arguments.transcript, arguments.session, _say)


def _filter(arguments: argparse.Namespace) -> int:
    from acpbound.stdio import LineFilter, filter_stream

    line_filter = LineFilter(_projector(arguments), _say)
    with ExitStack() as stack:
        reader = cast(BufferedReader, sys.stdin.buffer)
        if arguments.file is not None:
            reader = stack.enter_context(Path(arguments.file).open("rb"))
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
    arguments = _parser().parse_args(argv)
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
