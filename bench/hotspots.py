"""``python -m bench.hotspots CASE [--pure]``: where the time of one case goes.

Functions by cProfile; lines of the policy modules by line_profiler where it is installed. Build
with ``ACPBOUND_PROFILE=1`` to see into the compiled kernels.
"""

import argparse
import cProfile
import importlib
import pstats

from bench.contenders import core_of
from bench.corpus import cases

MODULES = ("projection", "preview", "allocation", "native", "eligibility")


def by_function(project, given, calls):
    profile = cProfile.Profile()
    profile.enable()
    for _ in range(calls):
        project(given)
    profile.disable()
    pstats.Stats(profile).sort_stats("tottime").print_stats(15)


def by_line(core, projector, given, calls):
    try:
        line_profiler = importlib.import_module("line_profiler")
    except ImportError:
        print("install line_profiler to see lines as well")
        return
    profiler = line_profiler.LineProfiler()
    for name in MODULES:
        profiler.add_module(core.module(name))
    profiler.enable_by_count()
    for _ in range(calls):
        projector.project_update(given)
    profiler.disable_by_count()
    profiler.print_stats(stripzeros=True)


def main():
    known = cases()
    parser = argparse.ArgumentParser(description="Where the time of one case goes.")
    parser.add_argument("case", choices=known)
    parser.add_argument("--pure", action="store_true", help="the pure kernels")
    parser.add_argument("--calls", type=int, default=300)
    arguments = parser.parse_args()
    with core_of("pure" if arguments.pure else "compiled") as core:
        projector = core.Projector()
        given = known[arguments.case]
        by_function(projector.project_update, given, arguments.calls)
        by_line(core, projector, given, arguments.calls)


if __name__ == "__main__":
    main()
