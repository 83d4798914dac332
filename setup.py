"""The two compiled kernels and the switch that decides on them; all else is in pyproject.toml."""

import os
import sys

from setuptools import Extension, setup

MODES = ("auto", "off", "require")
mode = os.environ.get("ACPBOUND_EXT", "auto")
if mode not in MODES:
    raise SystemExit(f"ACPBOUND_EXT={mode!r} is not one of {', '.join(MODES)}")

# MSVC optimizes at its own default level; elsewhere -O3 is what vectorizes the scanner.
optimize = [] if os.name == "nt" else ["-O3"]

kernels = [
    Extension(
        f"acpbound.{name}",
        [f"acpbound/{name}.pyx"],
        depends=["acpbound/_scan_c.pxd"],
        extra_compile_args=optimize,
        # Without a working compiler "auto" installs the pure kernels alone.
        optional=mode == "auto",
    )
    for name in ("_scan_c", "_fit_c")
]

# The sources of the kernels belong into every sdist, whatever is built from it.
setup(ext_modules=kernels if mode != "off" or "sdist" in sys.argv else [])
