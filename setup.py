"""The two compiled kernels and the switches for them; all else is in pyproject.toml."""

import os
import sys

from setuptools import Extension, setup

MODES = ("auto", "off", "require")
mode = os.environ.get("ACPBOUND_EXT", "auto")
if mode not in MODES:
    raise SystemExit(f"ACPBOUND_EXT={mode!r} is not one of {', '.join(MODES)}")

# MSVC optimizes at its own default level; elsewhere -O3 is what vectorizes the scanner.
flags = [] if os.name == "nt" else ["-O3"]
macros: list[tuple[str, str | None]] = []
directives: dict[str, bool] = {}

# For profilers: symbols and frames for perf and py-spy, Python's hooks for cProfile.
if os.environ.get("ACPBOUND_PROFILE") == "1":
    flags += [] if os.name == "nt" else ["-g", "-fno-omit-frame-pointer"]
    macros = [("CYTHON_PROFILE", "1")]
    directives = {"profile": True}
# For coverage.py: every line of the kernels reports itself, which makes them very slow.
if os.environ.get("ACPBOUND_LINETRACE") == "1":
    macros = [("CYTHON_TRACE", "1"), ("CYTHON_TRACE_NOGIL", "1")]
    directives = {"linetrace": True}

kernels = [
    Extension(
        f"acpbound.{name}",
        [f"acpbound/{name}.pyx"],
        depends=["acpbound/_scan_c.pxd"],
        extra_compile_args=flags,
        define_macros=macros,
        # Without a working compiler "auto" installs the pure kernels alone.
        optional=mode == "auto",
    )
    for name in ("_scan_c", "_fit_c")
]

for kernel in kernels:
    kernel.cython_directives = directives

# The sources of the kernels belong into every sdist, whatever is built from it.
setup(ext_modules=kernels if mode != "off" or "sdist" in sys.argv else [])
