"""The ``acpbound`` command.

Strategy: one function a subcommand, which returns the exit status; what only one of them needs is
imported there. Messages go to stderr and begin with ``acpbound:``; stdout carries data alone.

Exit statuses: 0; 1 if a file or stream cannot be read or written; 2 for wrong arguments; 130 and
141 as a shell reports SIGINT and SIGPIPE.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import ExitStack

from acpbound import IMPLEMENTATION, __version__
from acpbound._core import FALLBACK_REASON
from acpbound.cli_options import add_bounds, add_max_line, line_limit, projector_of
from acpbound.cli_wire import add_wire_commands, split_command
from acpbound.standard_streams import abandon_output, say, standard_input, standard_output

_EXIT_INTERRUPTED = 130
_EXIT_READER_GONE = 141


def _version() -> str:
    reason = f": {FALLBACK_REASON}" if FALLBACK_REASON else ""
    return f"acpbound {__version__} ({IMPLEMENTATION}{reason})"


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
    filter_.add_argument(
        "file", nargs="?", default="-", metavar="FILE", help="- is stdin, and the default"
    )
    add_bounds(filter_)
    add_max_line(filter_)
    filter_.set_defaults(run=_filter, fail=filter_.error)
    add_wire_commands(commands.add_parser)
    replay = commands.add_parser(
        "replay",
        help="write a transcript as bounded session/update notifications",
        description="Write the session/update notifications that a client would receive when the "
        "session is loaded, bounded, as NDJSON.",
    )
    _add_transcript(replay)
    add_bounds(replay)
    replay.set_defaults(run=_replay)
    export = commands.add_parser(
        "export",
        help="write the updates of a transcript whole",
        description="Write the canonical updates of a session as NDJSON, exactly as recorded.",
    )
    _add_transcript(export)
    export.set_defaults(run=_export)
    return parser


def _add_transcript(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "transcript",
        metavar="FILE_OR_STORE",
        help="a transcript file, or a folder of transcripts (qwen-code's project folders too)",
    )
    command.add_argument(
        "session", nargs="?", metavar="SESSION", help="default: the only one that is there"
    )


def _filter(arguments: argparse.Namespace) -> int:
    from acpbound.freed_memory import keep_freed_memory
    from acpbound.lines import LineFilter
    from acpbound.progress import open_with_progress
    from acpbound.stdio import filter_stream

    keep_freed_memory()
    line_filter = LineFilter(projector_of(arguments), say, max_line=line_limit(arguments))
    writer = standard_output()
    with ExitStack() as stack:
        if arguments.file == "-":
            reader = standard_input()
        else:
            # On one terminal the bar and the lines would spoil each other.
            shown = not sys.stdout.isatty()
            reader = stack.enter_context(open_with_progress(arguments.file, shown=shown))
        filter_stream(reader, writer, line_filter)
    say(str(line_filter.counts))
    return 0


def _replay(arguments: argparse.Namespace) -> int:
    from acpbound import cli_replay

    projector = projector_of(arguments)
    return cli_replay.run(arguments.transcript, arguments.session, say, projector)


def _export(arguments: argparse.Namespace) -> int:
    from acpbound import cli_replay

    return cli_replay.run(arguments.transcript, arguments.session, say)


def _run(argv: Sequence[str]) -> int:
    own, command = split_command(argv)
    try:
        arguments = _parser().parse_args(own, argparse.Namespace(command=command))
        status: int = arguments.run(arguments)
    finally:
        # What --help, --version and reports print fails here or never.
        if sys.stdout is not None:
            sys.stdout.flush()
    return status


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command with ``argv`` (default: the process's own); returns the exit status."""
    try:
        return _run(sys.argv[1:] if argv is None else list(argv))
    except BrokenPipeError:
        abandon_output()
        return _EXIT_READER_GONE
    except KeyboardInterrupt:
        abandon_output()
        return _EXIT_INTERRUPTED
    except OSError as error:
        abandon_output()
        name = f"{error.filename}: " if error.filename else ""
        say(f"{name}{error.strerror or error}")
        return 1
