"""Options that several subcommands share, and the projector that they ask for."""

from __future__ import annotations

import argparse

from acpbound.contract import BUDGET, MIN_BUDGET
from acpbound.line_limit import MAX_LINE
from acpbound.observation import Observer
from acpbound.projection import Projector
from acpbound.reach import REACHABLE_FIELDS, reachable_fields


def _budget(word: str) -> int:
    try:
        number = int(word)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{word!r} is no whole number") from None
    try:
        return Projector(number).budget
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _fields(words: str) -> tuple[str, ...]:
    if words == "all":
        return REACHABLE_FIELDS
    try:
        return reachable_fields(word.strip() for word in words.split(","))
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def add_bounds(parser: argparse.ArgumentParser) -> None:
    """Add ``--budget`` and ``--also``."""
    parser.add_argument(
        "--budget",
        type=_budget,
        default=BUDGET,
        metavar="N",
        help=f"bytes of JSON for each field (default {BUDGET}, at least {MIN_BUDGET})",
    )
    parser.add_argument(
        "--also",
        type=_fields,
        default=(),
        metavar="FIELDS",
        help=f"bound texts inside these fields as well, by commas: {', '.join(REACHABLE_FIELDS)}; "
        "or all of them: all",
    )


def add_max_line(parser: argparse.ArgumentParser) -> None:
    """Add ``--max-line``."""
    parser.add_argument(
        "--max-line",
        type=int,
        metavar="BYTES",
        help="a longer line passes as it comes, unbounded and without being held "
        f"(default {MAX_LINE}, at least the budget)",
    )


def line_limit(arguments: argparse.Namespace) -> int:
    """What ``--max-line`` asks for; SystemExit, as for any wrong argument, if it cannot be."""
    budget: int = arguments.budget
    limit: int = max(MAX_LINE, budget) if arguments.max_line is None else arguments.max_line
    if limit < budget:
        arguments.fail(f"argument --max-line: {limit} is below the budget, which is {budget}")
    return limit


def projector_of(arguments: argparse.Namespace, observer: Observer | None = None) -> Projector:
    """The projector that the options of ``add_bounds`` ask for."""
    return Projector(arguments.budget, also=arguments.also, observer=observer)
