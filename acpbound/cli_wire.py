"""The ``proxy`` and ``measure`` subcommands: their arguments, and the way to their bodies.

Rules: nothing is imported here that a user of another subcommand would wait for.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from functools import partial

from acpbound.cli_options import add_bounds, add_max_line, line_limit, projector_of
from acpbound.standard_streams import say

#: ``add_parser`` of the subcommands' action.
AddParser = Callable[..., argparse.ArgumentParser]


def _count(word: str) -> int:
    if not word.isdecimal() or not word.isascii():
        raise argparse.ArgumentTypeError(f"{word!r} is no whole number from 0 on")
    return int(word)


def add_wire_commands(add_parser: AddParser) -> None:
    """Add both subcommands."""
    proxy = add_parser(
        "proxy",
        help="run an agent and bound what it sends",
        usage="%(prog)s [-h] [--budget N] [--also FIELDS] [--max-line BYTES] "
        "[--transcript DIR] [--grace SECONDS] [--quiet] -- COMMAND [ARGS...]",
        description="Run COMMAND as an ACP agent at stdin and stdout, with the display fields of "
        "its tool calls bounded; all other bytes stay as they are, both ways.",
    )
    add_bounds(proxy)
    add_max_line(proxy)
    proxy.add_argument(
        "--transcript",
        metavar="DIR",
        help="keep every session update there, unbounded, but those beyond --max-line",
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
    measure = add_parser(
        "measure",
        help="show what a recording holds and what bounding saves",
        description="Read recordings (NDJSON, also gzip) and print what they hold, what bounding "
        "saves, and which large payloads stay, with the reason for each.",
    )
    measure.add_argument("files", nargs="+", metavar="FILE", help="a recording; - is stdin")
    add_bounds(measure)
    measure.add_argument("--json", action="store_true", help="print the report as JSON")
    measure.add_argument(
        "--top", type=_count, default=10, metavar="N", help="how many of the largest to show"
    )
    measure.add_argument(
        "--html", metavar="PAGE", help="write the report as one HTML file as well, with drawings"
    )
    measure.set_defaults(run=_measure)


def _proxy(arguments: argparse.Namespace) -> int:
    from acpbound.proxy_command import run_proxy

    if not arguments.command:
        arguments.fail("the agent's command must follow `--`, as in: acpbound proxy -- COMMAND")
    return run_proxy(
        arguments.command,
        projector_of(arguments),
        say,
        grace=arguments.grace,
        max_line=line_limit(arguments),
        transcript=arguments.transcript,
        quiet=arguments.quiet,
    )


def _measure(arguments: argparse.Namespace) -> int:
    from acpbound.measure_command import run_measure
    from acpbound.report import Report

    report = Report(partial(projector_of, arguments), arguments.top)
    return run_measure(arguments.files, report, as_json=arguments.json, page=arguments.html)


def split_command(argv: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """The command of an agent, which follows the first ``--``, is no business of the parser."""
    if argv[:1] != ["proxy"]:
        return argv, []
    if "--" in argv:
        cut = argv.index("--")
        return argv[:cut], argv[cut + 1 :]
    # Only "proxy" is left, which gets the message about the missing `--`.
    return (argv if {"-h", "--help"} & {*argv} else argv[:1]), []
