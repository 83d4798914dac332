"""One projection of each case: compiled, pure, and what serializing alone costs.

The serializers only find out how large the two fields are, which is the least that a projector
built on one would do first; they bound nothing. The naive truncator serializes, slices a text that
is too long and serializes again. "With orjson" is the compiled pair in a program that has imported
orjson.
"""

import json
import sys

import pytest

from bench.contenders import BUDGET, CORE_NAMES, SERIALIZERS, core_of, named
from bench.corpus import cases

CASES = cases()


def measuring(serialize):
    def measure(update):
        for field in ("content", "rawOutput"):
            if field in update:
                serialize(update[field])

    return measure


def naive_truncator(update):
    """Through JSON and back, each text sliced by characters to an equal part of the budget."""
    bounded = json.loads(json.dumps(update))
    if "content" in bounded and len(json.dumps(bounded["content"])) > BUDGET:
        part = BUDGET // len(bounded["content"]) - 60
        for block in bounded["content"]:
            block["content"]["text"] = block["content"]["text"][: max(part, 0)]
    if "rawOutput" in bounded and len(json.dumps(bounded["rawOutput"])) > BUDGET:
        bounded["rawOutput"] = bounded["rawOutput"][:BUDGET]
    return bounded


WITH_ORJSON = "with orjson"
PEERS = {name: measuring(serialize) for name, serialize in SERIALIZERS.items()}
PEERS["naive truncator"] = naive_truncator


@pytest.mark.parametrize("contender", [*CORE_NAMES, WITH_ORJSON, *PEERS])
@pytest.mark.parametrize("case", CASES)
def test_projection(benchmark, monkeypatch, case, contender):
    if contender != WITH_ORJSON:
        monkeypatch.delitem(sys.modules, "orjson")
    if contender not in PEERS:
        with core_of("compiled" if contender == WITH_ORJSON else contender) as core:
            named(benchmark, case, contender, core.IMPLEMENTATION)
            project = core.Projector().project_update
    else:
        named(benchmark, case, contender)
        project = PEERS[contender]
    benchmark(project, CASES[case])
