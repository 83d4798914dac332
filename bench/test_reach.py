"""A named field: one large string inside an object, beside the same string as ``rawOutput``."""

import json

import pytest

from bench.corpus import log_text, update
from tests.cores import CORES

TEXT = log_text(1_000_000)
OBJECT = {"output": TEXT, "exit": 0, "files": [f"/src/{i}.txt" for i in range(50)], "cwd": "/src"}
UPDATES = {"string": update(raw_output=TEXT), "object": {**update(), "rawOutput": OBJECT}}


@pytest.mark.parametrize("kind", UPDATES)
@pytest.mark.parametrize("core", ["c", "py"])
def test_one_megabyte(benchmark, core, kind):
    benchmark.group = f"1 MB rawOutput, named, {core}"
    CORES[core].activate()
    try:
        project = CORES[core].Projector(also=["rawOutput"]).project_update
    finally:
        CORES[core].deactivate()
    bounded = benchmark(project, UPDATES[kind])
    field = json.dumps(bounded["rawOutput"], ensure_ascii=False, separators=(",", ":"))
    assert 65_000 < len(field) <= 65_536
