"""``python -m bench.table [PYTEST ARGUMENTS]``: run the benchmarks and print them as tables.

One table a file, one row a case, one column a contender: microseconds a call (the median of the
run), and in brackets how many times the compiled time that is.
"""

import json
import sys
import tempfile
from pathlib import Path

import pytest

BASE = "compiled"
HERE = Path(__file__).parent


def tables(report):
    """File -> case -> contender -> median seconds, in the order in which they ran."""
    found = {}
    for one in report["benchmarks"]:
        info = one["extra_info"]
        if "contender" in info:
            cases = found.setdefault(Path(one["fullname"].partition("::")[0]).stem, {})
            cases.setdefault(info["case"], {})[info["contender"]] = one["stats"]["median"]
    return found


def cell(seconds, base):
    text = f"{seconds * 1e6:,.1f}"
    return text if base is None or seconds is base else f"{text} ({seconds / base:,.1f}x)"


def as_markdown(cases):
    contenders = list(dict.fromkeys(name for medians in cases.values() for name in medians))
    yield f"| microseconds a call | {' | '.join(contenders)} |"
    yield f"|---|{'---:|' * len(contenders)}"
    for case, medians in cases.items():
        base = medians.get(BASE)
        cells = [cell(medians[name], base) if name in medians else "" for name in contenders]
        yield f"| {case} | {' | '.join(cells)} |"


def main(arguments):
    files = [argument for argument in arguments if argument.endswith(".py")]
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        options = ["-q", "--benchmark-columns=median", "--benchmark-json", str(report)]
        status = pytest.main([*([] if files else [str(HERE)]), *options, *arguments])
        if status == 0:
            for name, cases in tables(json.loads(report.read_text())).items():
                print(f"\n{name}\n")
                print("\n".join(as_markdown(cases)))
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
