"""Kernel 1 on 64 KiB of every storage, and whether a text fits, beside peers and ``memcpy``.

``memcpy`` copies the same storage once: no scan can be faster for long. The serializers find out
by writing the text; acpbound stops as soon as the answer is known.
"""

import sys
from functools import lru_cache

import pytest

from bench.contenders import BUDGET, CORE_NAMES, SERIALIZERS, core_of, named
from bench.corpus import SIZES, TEXTS

text_of = lru_cache(1)(lambda kind, size: TEXTS[kind](SIZES[size]))
STORAGES = {"1 byte": "a", "2 bytes": "\u6c49", "4 bytes": "\U0001f600"}


def storage_of(text):
    width = 1 if max(text) < "\u0100" else 2 if max(text) < "\U00010000" else 4
    return memoryview(bytearray(len(text) * width))


@pytest.mark.parametrize("contender", ["memcpy", *CORE_NAMES, *SERIALIZERS])
@pytest.mark.parametrize("storage", STORAGES)
def test_scan_of_64_kib(benchmark, storage, contender):
    case = f"scan 65,536 code points of {storage}"
    text = STORAGES[storage] * 65_536
    if contender in CORE_NAMES:
        with core_of(contender) as core:
            named(benchmark, case, contender, core.IMPLEMENTATION)
            benchmark(core.module("_core").payload_size, text, sys.maxsize, False)
    else:
        named(benchmark, case, contender)
        if contender == "memcpy":
            benchmark(bytes, storage_of(text))
        else:
            benchmark(SERIALIZERS[contender], text)


@pytest.mark.parametrize("contender", ["memcpy", *CORE_NAMES, *SERIALIZERS])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("kind", TEXTS)
def test_fit_decision(benchmark, kind, size, contender):
    case = f"does it fit: {kind}, {size}"
    text = text_of(kind, size)
    if contender in CORE_NAMES:
        with core_of(contender) as core:
            named(benchmark, case, contender, core.IMPLEMENTATION)
            benchmark(core.module("_core").fits, [text], BUDGET - 2, False)
    else:
        named(benchmark, case, contender)
        if contender == "memcpy":
            benchmark(bytes, storage_of(text))
        else:
            benchmark(SERIALIZERS[contender], text)
