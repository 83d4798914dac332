"""A command in a terminal of its own, for the tests of what people see."""

import os
import pty
import re
import subprocess
import sys

#: Runs acpbound as if rich were not installed.
WITHOUT_RICH = [
    sys.executable,
    "-c",
    "import sys; sys.modules['rich'] = None; from acpbound.cli import main; sys.exit(main())",
]


def run_in_terminal(command, environment, *, stdout=True):
    """What a command shows on a terminal of 100 columns, and its status.

    With ``stdout=False`` only stderr is the terminal; then (shown, written, status).
    """
    ours, theirs = pty.openpty()
    streams = {"stdin": subprocess.DEVNULL, "stderr": theirs}
    streams["stdout"] = theirs if stdout else subprocess.PIPE
    environment = {**environment, "COLUMNS": "100", "TERM": "xterm-256color"}
    with subprocess.Popen(command, env=environment, **streams) as process:
        os.close(theirs)
        written = b"" if stdout else process.stdout.read()
        shown = bytearray()
        try:
            while chunk := os.read(ours, 65_536):
                shown += chunk
        except OSError:
            pass  # the terminal has no other end any more
        os.close(ours)
    text = shown.decode()
    return (text, process.returncode) if stdout else (text, written, process.returncode)


#: Control sequences, line ends and single characters, as a terminal takes them.
_piece = re.compile(r"\x1b\[([?0-9;]*)([A-Za-z])|(.)", re.DOTALL)


def screen_after(shown):
    """The lines left on a terminal after ``shown``, down to the cursor's, without end spaces."""
    lines, row, column = [""], 0, 0
    for words, command, character in _piece.findall(shown):
        if command == "A":
            row -= int(words or 1)
        elif command == "K":
            assert words == "2"
            lines[row] = ""
        elif character == "\r":
            column = 0
        elif character == "\n":
            row += 1
            lines += [""] * (row + 1 - len(lines))
        elif character:
            line = lines[row].ljust(column)
            lines[row] = line[:column] + character + line[column + 1 :]
            column += 1
    return [line.rstrip() for line in lines[: row + 1]]
