"""``python -m bench.table [PYTEST ARGUMENTS]``: run the benchmarks and print them as a table.

One row a case, one column a contender: microseconds a call (the median of the run), and in
brackets how many times the compiled projection's time that is.
"""

import json
import sys
import tempfile
from pathlib import Path

import pytest

BASE = "compiled"


def rows(report):
    """Case -> contender -> median seconds, in the order in which they ran."""
    table = {}
    for one in report["benchmarks"]:
        info = one["extra_info"]
        table.setdefault(info["case"], {})[info["contender"]] = one["stats"]["median"]
    return table


def cell(seconds, base):
    text = f"{seconds * 1e6:,.1f}"
    return text if seconds is base else f"{text} ({seconds / base:,.1f}x)"


def as_markdown(table):
    contenders = list(dict.fromkeys(name for medians in table.values() for name in medians))
    yield f"| microseconds a call | {' | '.join(contenders)} |"
    yield f"|---|{'---:|' * len(contenders)}"
    for case, medians in table.items():
        cells = [
            cell(medians[name], medians[BASE]) if name in medians else "" for name in contenders
        ]
        yield f"| {case} | {' | '.join(cells)} |"


def main(arguments):
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        bench = str(Path(__file__).parent / "test_projection.py")
        status = pytest.main([bench, "-q", "--benchmark-json", str(report), *arguments])
        if status == 0:
            print("\n".join(as_markdown(rows(json.loads(report.read_text())))))
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
