"""A report as one HTML page that needs nothing else: no network, no script, no font.

Strategy: the tables are those of ``report_tables``; two drawings stand before them, as SVG and as
plain bars, from the same counts.

Rules: whatever comes from a recording is escaped; the page forbids itself to load anything.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from itertools import chain
from math import log10
from typing import Any

from acpbound import __version__
from acpbound.report_tables import HISTOGRAM, Table, report_tables, shown, size_classes

#: What Python's asyncio reads in one line unless it is told otherwise, in bytes.
_ASYNCIO_LINE_LIMIT = 65_536

_WIDTH, _HEIGHT = 960, 260
_LEFT, _BOTTOM, _TOP = 64, 22, 10

_UNITS = ("B", "kB", "MB", "GB")

_ALLOWED = "default-src 'none'; style-src 'unsafe-inline'"

_STYLE = """
:root { color-scheme: light dark; --ink: #1c2733; --quiet: #66727f; --line: #d9dfe5;
  --page: #ffffff; --before: #f0b48a; --after: #1f6f8b; --limit: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e9ee; --quiet: #97a3af;
  --line: #35404b; --page: #14191f; --before: #8a5a35; --after: #58b4d1; --limit: #ff8a80; } }
body { margin: 0 auto; max-width: 64rem; padding: 2rem 1rem; background: var(--page);
  color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
p, footer { color: var(--quiet); margin: .25rem 0; }
.figures { display: flex; flex-wrap: wrap; gap: 2rem; margin: 1.5rem 0; }
.figures b { display: block; font-size: 1.6rem; font-variant-numeric: tabular-nums; }
svg { width: 100%; height: auto; } svg text { fill: var(--quiet); font-size: 11px; }
.before { fill: var(--before); background: var(--before); }
.after { fill: var(--after); background: var(--after); }
.grid { stroke: var(--line); } .limit { stroke: var(--limit); stroke-dasharray: 5 4; }
.at-limit { border-top: 2px dashed var(--limit); height: .3em; }
.tables { display: flex; flex-wrap: wrap; gap: 0 3rem; } section { max-width: 100%; }
.key { display: inline-block; width: .8em; height: .8em; margin: 0 .3em 0 1em; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; } th { text-align: left; color: var(--quiet); font-weight: 500; }
th, td { padding: .2rem 1rem .2rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.bar { display: block; height: .7em; min-width: 2px; } .bars { width: 40%; min-width: 12rem; }
td { overflow-wrap: anywhere; }
"""


def report_page(result: dict[str, Any], names: list[str]) -> str:
    """The page for ``Report.as_json()`` of the recordings called ``names``."""
    title = escape(shown(", ".join(names)))
    sections = chain(_course(result), _histogram(result), _tables(report_tables(result, "")))
    return "\n".join(
        (
            "<!DOCTYPE html>",
            '<html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f'<meta http-equiv="Content-Security-Policy" content="{_ALLOWED}">',
            f"<title>acpbound: {title}</title><style>{_STYLE}</style></head><body>",
            f"<h1>{title}</h1>",
            (
                "<p>What was recorded of an Agent Client Protocol connection, and what is left "
                f"with {result['budget']:,} bytes for each display field.</p>"
            ),
            _figures(result),
            *sections,
            f"<footer><p>acpbound {__version__}</p></footer></body></html>",
            "",
        )
    )


def _figures(result: dict[str, Any]) -> str:
    saved = 100 * result["bytesSaved"] / result["bytesBefore"] if result["bytesBefore"] else 0.0
    largest = max(result["frameSizesOverRecording"]["before"], default=0)
    largest_after = max(result["frameSizesOverRecording"]["after"], default=0)
    figures = {
        "frames": f"{result['frames']:,}",
        "bounded": f"{result['framesBounded']:,}",
        "bytes": f"{_bytes(result['bytesBefore'])} → {_bytes(result['bytesAfter'])}",
        "saved": f"{saved:.1f}%",
        "largest frame": f"{_bytes(largest)} → {_bytes(largest_after)}",
    }
    cells = "".join(f"<div><b>{value}</b>{name}</div>" for name, value in figures.items())
    return f'<div class="figures">{cells}</div>'


def _course(result: dict[str, Any]) -> Iterator[str]:
    """Frame sizes over the recording: a bar for what came, and over it one for what is left."""
    course = result["frameSizesOverRecording"]
    columns = len(course["before"])
    if not columns:
        return
    per_column = course["framesPerColumn"]
    unit = "a frame" if per_column == 1 else f"the largest of {per_column:,} frames"
    top = max(*course["before"], *course["after"], 2 * _ASYNCIO_LINE_LIMIT)
    # Whole decades below, so that small frames stay visible beside large ones.
    lowest = 10
    scale = (_HEIGHT - _TOP - _BOTTOM) / (log10(top) - log10(lowest))
    floor = _HEIGHT - _BOTTOM

    def height(size: int) -> float:
        return max(log10(max(size, lowest)) - log10(lowest), 0.02) * scale

    yield "<h2>Frame sizes over the recording</h2>"
    yield (
        f'<p>Each bar is {unit}, on a logarithmic scale. <span class="key before"></span>before'
        '<span class="key after"></span>after<span class="key at-limit"></span>64 KiB, the line '
        "limit that Python's asyncio starts with</p>"
    )
    yield f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="Frame sizes">'
    for decade in range(1, int(log10(top)) + 1):
        y = floor - height(10**decade)
        yield f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH}" y1="{y:.1f}" y2="{y:.1f}"/>'
        yield (
            f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{_bytes(10**decade)}</text>'
        )
    step = (_WIDTH - _LEFT) / max(columns, 12)
    for name in ("before", "after"):
        for i, size in enumerate(course[name]):
            tall = height(size)
            yield (
                f'<rect class="{name}" x="{_LEFT + i * step:.2f}" y="{floor - tall:.2f}" '
                f'width="{step * 0.84:.2f}" height="{tall:.2f}"><title>{name}: {size:,} bytes'
                "</title></rect>"
            )
    y = floor - height(_ASYNCIO_LINE_LIMIT)
    yield f'<line class="limit" x1="{_LEFT}" x2="{_WIDTH}" y1="{y:.1f}" y2="{y:.1f}"/>'
    yield f'<text x="{_LEFT}" y="{_HEIGHT - 6}">first frame</text>'
    yield f'<text x="{_LEFT + columns * step:.1f}" y="{_HEIGHT - 6}" text-anchor="end">last</text>'
    yield "</svg>"


def _histogram(result: dict[str, Any]) -> Iterator[str]:
    classes = size_classes(result)
    if not classes:
        return
    most = max(max(before, after) for _, before, after in classes)

    def bars(*counts: int) -> str:
        return "".join(
            f'<span class="bar {name}" style="width:{100 * count / most:.1f}%"></span>'
            for name, count in zip(("before", "after"), counts, strict=True)
        )

    yield f"<h2>{HISTOGRAM}</h2><table>"
    yield '<tr><th>bytes</th><th class="number">before</th><th class="number">after</th></tr>'
    for label, before, after in classes:
        yield (
            f'<tr><td>{label}</td><td class="number">{before:,}</td>'
            f'<td class="number">{after:,}</td><td class="bars">{bars(before, after)}</td></tr>'
        )
    yield "</table>"


def _tables(tables: list[Table]) -> Iterator[str]:
    yield '<div class="tables">'
    for table in tables:
        if not table.rows or table.title == HISTOGRAM:
            continue
        yield f'<section><h2>{escape(table.title)}</h2><div class="scroll"><table>'
        if any(table.columns):
            yield f"<tr>{_cells(table, table.columns, 'th')}</tr>"
        for row in table.rows:
            yield f"<tr>{_cells(table, row, 'td')}</tr>"
        yield "</table></div></section>"
    yield "</div>"


def _cells(table: Table, row: tuple[str, ...], tag: str) -> str:
    number = ' class="number"'
    return "".join(
        f"<{tag}{number if i in table.right else ''}>{escape(cell)}</{tag}>"
        for i, cell in enumerate(row)
    )


def _bytes(size: int) -> str:
    power = min((len(str(size)) - 1) // 3, len(_UNITS) - 1)
    value, unit = size / 1000**power, _UNITS[power]
    return f"{value:,.0f} {unit}" if value >= 100 else f"{value:.3g} {unit}"
