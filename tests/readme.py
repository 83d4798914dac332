"""Blocks of the README by their marks; ``python tests/readme.py NAME`` prints a command of it.

A comment ``<!-- run: NAME -->`` stands before a block that somebody runs, and
``<!-- output: NAME -->`` before what it prints.
"""

import re
import sys
from pathlib import Path

README = Path(__file__).parent.parent / "README.md"


def block(mark):
    """The text of the one fenced block after ``<!-- MARK -->``."""
    pattern = rf"<!-- {re.escape(mark)} -->\n```\w+\n(.*?)```\n"
    (found,) = re.findall(pattern, README.read_text("utf-8"), re.DOTALL)
    return found


if __name__ == "__main__":
    print(block(f"run: {sys.argv[1]}"), end="")
