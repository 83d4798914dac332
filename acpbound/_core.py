"""The shim: both kernels, chosen once, at import.

``ACPBOUND_EXT`` decides (the same words hold when the package is built): ``auto`` takes the
compiled pair if both parts import, else the pure pair, and keeps the ImportError's text; ``off``
takes the pure pair; ``require`` lets the ImportError through. The pair is never mixed. Everyone
else imports the seven functions from here and does not know which they are.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module
from types import ModuleType

MODES = ("auto", "off", "require")


def _choose(mode: str) -> tuple[ModuleType, ModuleType, str, str | None]:
    """Both kernels or neither; the reason when the compiled pair is missing."""
    reason = None
    if mode not in MODES:
        raise ValueError(f"ACPBOUND_EXT={mode!r} is not one of {', '.join(MODES)}")
    if mode != "off":
        try:
            scan = import_module("acpbound._scan_c")
            return scan, import_module("acpbound._fit_c"), "cython", None
        except ImportError as error:
            if mode == "require":
                raise
            reason = str(error)
    scan = import_module("acpbound._scan_py")
    return scan, import_module("acpbound._fit_py"), "python", reason


_scan, _fit, IMPLEMENTATION, FALLBACK_REASON = _choose(os.environ.get("ACPBOUND_EXT", "auto"))

payload_size: Callable[[str, int, bool], int] = _scan.payload_size
prefix_end: Callable[[str, int, bool], int] = _scan.prefix_end
suffix_start: Callable[[str, int, bool], int] = _scan.suffix_start
string_end: Callable[[str, int], int] = _scan.string_end
canonical_texts: Callable[[object], list[str] | None] = _fit.canonical_texts
fits: Callable[[list[str], int, bool], bool] = _fit.fits
demands: Callable[[list[str], int, int, bool], list[int] | None] = _fit.demands
