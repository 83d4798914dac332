"""One projection of each case: compiled, pure, and what serializing alone costs.

The peers only find out how large the two fields are, which is the least that a projector built on
a serializer would do first; they bound nothing.
"""

import json
import platform

import pytest

from bench.corpus import cases
from tests.cores import CORES, IMPLEMENTATIONS

CASES = cases()


def _projector(name):
    CORES[name].activate()
    try:
        return CORES[name].Projector().project_update
    finally:
        CORES[name].deactivate()


def _by_json(update):
    for field in ("content", "rawOutput"):
        if field in update:
            len(json.dumps(update[field], ensure_ascii=False).encode())


def _by_orjson():
    orjson = pytest.importorskip("orjson", reason="orjson is not installed")

    def measure(update):
        for field in ("content", "rawOutput"):
            if field in update:
                len(orjson.dumps(update[field]))

    return measure


CONTENDERS = {
    "compiled": lambda: _projector("c"),
    "pure": lambda: _projector("py"),
    "json.dumps": lambda: _by_json,
    "orjson": _by_orjson,
}


@pytest.mark.parametrize("contender", CONTENDERS)
@pytest.mark.parametrize("case", CASES)
def test_projection(benchmark, case, contender):
    benchmark.group = case
    benchmark.name = contender
    benchmark.extra_info.update(
        case=case,
        contender=contender,
        machine=platform.processor() or platform.machine(),
        python=platform.python_version(),
        implementations=IMPLEMENTATIONS,
    )
    benchmark(CONTENDERS[contender](), CASES[case])
