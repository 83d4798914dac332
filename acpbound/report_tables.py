"""A report as tables, and tables as text or as rich draws them.

Rules: what comes from a recording (kinds, methods) is shown without control characters; a table
without rows is not shown; plain text stands in columns wide enough for all of their cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

_BAR_WIDTH = 18

#: The title of the table that has bars.
HISTOGRAM = "Frame sizes"


class Table(NamedTuple):
    """Rows of cells; columns in ``right`` hold numbers."""

    title: str
    columns: tuple[str, ...]
    rows: list[tuple[str, ...]]
    right: frozenset[int]


def shown(value: object) -> str:
    """A number with separators; a text on one line, without what could steer a terminal."""
    if isinstance(value, int):
        return f"{value:,}"
    text = str(value)
    return "".join(character if character.isprintable() else "?" for character in text)


def report_tables(result: dict[str, Any], mark: str) -> list[Table]:
    """The tables of ``Report.as_json()``; ``mark`` is what bars are made of."""
    saved = result["bytesSaved"]
    percent = f" ({100 * saved / result['bytesBefore']:.1f}%)" if saved else ""
    summary = {
        "frames": shown(result["frames"]),
        "frames bounded": shown(result["framesBounded"]),
        "unreadable lines": shown(result["unreadableLines"]),
        "bytes": shown(result["bytesBefore"]),
        "bytes bounded": shown(result["bytesAfter"]),
        "bytes saved": f"{shown(saved)}{percent}",
        "budget for each field": shown(result["budget"]),
    }
    left_alone = [
        (reason, counts["payloads"], counts["bytes"], _option(counts["also"]))
        for reason, counts in result["leftAlone"].items()
    ]
    frames = [
        (f["place"], f["kind"], f["bytes_before"], f["bytes_after"])
        for f in result["largestFrames"]
    ]
    payloads = [
        (item["place"], item["where"], item["reason"], item["size"], _option(item["also"]))
        for item in result["largestLeftAlone"]
    ]
    choices = [
        (_option(also) or "as measured", size)
        for also, size in result["largestFrameByChoice"].items()
    ]
    return [
        _table("Recording", ("", ""), [*summary.items()], 1),
        _table("Updates by kind", ("kind", "updates"), [*result["updatesByKind"].items()], 1),
        _table("Fields over budget", ("field", "fields"), [*result["fieldsOverBudget"].items()], 1),
        _table(HISTOGRAM, ("bytes", "before", "", "after", ""), _histogram(result, mark), 0, 1, 3),
        _table("Largest frames", ("line", "kind", "before", "after"), frames, 2, 3),
        _table(
            "Large payloads left alone",
            ("reason", "payloads", "bytes", "bounded by"),
            left_alone,
            *(1, 2),
        ),
        _table(
            "The largest of them", ("line", "where", "reason", "bytes", "bounded by"), payloads, 3
        ),
        _table(
            "Largest frame that each choice leaves",
            ("choice", "bytes"),
            choices if len(choices) > 1 else [],
            1,
        ),
    ]


def _option(also: str | None) -> str:
    return f"--also {also}" if also else ""


def _table(
    title: str, columns: tuple[str, ...], rows: Sequence[Sequence[object]], *right: int
) -> Table:
    return Table(title, columns, [tuple(map(shown, row)) for row in rows], frozenset(right))


def size_classes(result: dict[str, Any]) -> list[tuple[str, int, int]]:
    """What each class of frame sizes is called, and its frames before and after; no empty ends."""
    classes = result["frameSizes"]
    used = [i for i, c in enumerate(classes) if c["before"] or c["after"]]
    return [
        (
            f"up to {_size(c['upTo'])}" if c["upTo"] else f"over {_size(classes[-2]['upTo'])}",
            c["before"],
            c["after"],
        )
        for c in (classes[used[0] : used[-1] + 1] if used else [])
    ]


def _histogram(result: dict[str, Any], mark: str) -> list[tuple[str, int, str, int, str]]:
    classes = size_classes(result)
    most = max((max(before, after) for _, before, after in classes), default=0)

    def bar(frames: int) -> str:
        # Rounded up: a class that has a frame shows it.
        return mark * -(-frames * _BAR_WIDTH // most)

    return [(label, before, bar(before), after, bar(after)) for label, before, after in classes]


def _size(limit: int) -> str:
    for unit in ("B", "KiB"):
        if limit < 1024:
            return f"{limit} {unit}"
        limit //= 1024
    return f"{limit} MiB"


def print_tables(tables: list[Table]) -> None:
    """Print tables as plain text."""
    for table in tables:
        if not table.rows:
            continue
        print(f"\n{table.title}")
        cells = [table.columns, *table.rows] if any(table.columns) else table.rows
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        for row in cells:
            aligned = (
                cell.rjust(width) if i in table.right else cell.ljust(width)
                for i, (cell, width) in enumerate(zip(row, widths, strict=True))
            )
            print("  " + "  ".join(aligned).rstrip())


def draw_tables(tables: list[Table]) -> None:
    """Print tables as rich draws them on this terminal."""
    from rich import box
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    console = Console()
    for table in tables:
        if not table.rows:
            continue
        drawn = RichTable(
            title=table.title,
            title_justify="left",
            box=box.SIMPLE_HEAD,
            show_header=any(table.columns),
        )
        for i, column in enumerate(table.columns):
            drawn.add_column(
                column, justify="right" if i in table.right else "left", overflow="fold"
            )
        for row in table.rows:
            drawn.add_row(*map(Text, row))
        console.print(drawn)
