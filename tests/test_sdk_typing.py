"""A type checker still sees the SDK's own types: mypy says so, in strict mode."""

import re
import sys
from pathlib import Path

from mypy import api

PROGRAM = Path(__file__).parent / "data" / "sdk_typing.py"


def test_mypy_sees_the_sdks_types_and_finds_what_is_wrong(tmp_path):
    report, trouble, _ = api.run(
        [
            "--strict",
            "--config-file=",
            f"--cache-dir={tmp_path}",
            f"--python-executable={sys.executable}",
            str(PROGRAM),
        ]
    )
    assert trouble == ""
    lines = PROGRAM.read_text().splitlines()
    wrong = lines.index("# mypy must object to each of these.") + 1
    errors = re.findall(r"sdk_typing\.py:(\d+): error: (.*)", report)
    expected = range(wrong + 1, len(lines) + 1)
    assert [int(line) for line, _ in errors] == list(expected), report
    assert len(report.splitlines()) == report.count(": error:") + report.count(": note:") + 1
