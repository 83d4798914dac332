"""Nothing is kept of a projection: tens of thousands of every shape, errors included.

``python tests/leaks.py`` does a million.
"""

import pytest

from tests import leaks
from tests.cores import HAS_GIL

ROUNDS = 600
#: Builds without the GIL fill more caches first.
WARM_UP = 50 if HAS_GIL else 2_000


@pytest.fixture
def _quiet(caplog):
    # The observer that raises is logged, once for each projector.
    caplog.set_level("CRITICAL", "acpbound")


@pytest.mark.usefixtures("_quiet")
def test_no_memory_and_no_reference_is_kept_of_any_projection(core):
    cases = list(leaks.cases(core))
    assert len(cases) >= 100
    for case in cases:
        blocks, _, references = leaks.grown(case, ROUNDS, warm_up=WARM_UP)
        # One kept of each round would be as many as there are rounds.
        assert blocks < ROUNDS // 2, case.name
        assert references <= leaks.NOISE[2], case.name


def test_what_is_kept_is_noticed(core):
    kept = []
    # Made here: builds without the GIL do not count references to the words of a program.
    text = " ".join(["a", "text"])
    keeping = leaks.Case("keeping", lambda: kept.append(core.json_size(text) + len(kept)), text)
    sharing = leaks.Case("sharing", lambda: kept.append(text), text)
    assert leaks.grown(keeping, ROUNDS)[0] > ROUNDS // 2
    assert leaks.grown(sharing, ROUNDS)[2] == ROUNDS
