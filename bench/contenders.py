"""Who is measured: acpbound on either pair of kernels, and the peers, under one set of names."""

import json
import platform
from contextlib import contextmanager

import msgspec
import orjson

from tests.cores import CORES

CORE_NAMES = {"compiled": "c", "pure": "py"}
BUDGET = 65_536


@contextmanager
def core_of(contender):
    """The acpbound of a contender; functions taken from it go on working afterwards."""
    core = CORES[CORE_NAMES[contender]]
    core.activate()
    try:
        yield core
    finally:
        core.deactivate()


def by_json(value):
    return len(json.dumps(value, ensure_ascii=False).encode())


def by_orjson(value):
    return len(orjson.dumps(value))


_msgspec_encoder = msgspec.json.Encoder()


def by_msgspec(value):
    return len(_msgspec_encoder.encode(value))


SERIALIZERS = {"json.dumps": by_json, "orjson": by_orjson, "msgspec": by_msgspec}


def named(benchmark, case, contender, implementation=None):
    """Put a benchmark into its group and note where it ran, for ``bench.table``."""
    benchmark.group = case
    benchmark.name = contender
    benchmark.extra_info.update(
        case=case,
        contender=contender,
        implementation=implementation,
        machine=platform.processor() or platform.machine(),
        python=platform.python_version(),
    )
