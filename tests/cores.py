"""Whole acpbounds side by side in one process: one on each pair of kernels."""

import importlib
import os
import subprocess
import sys
from types import ModuleType

#: Builds of Python without it keep for a while what was freed.
HAS_GIL = getattr(sys, "_is_gil_enabled", lambda: True)()

EXT_MODES = {"py": "off", "c": "require"}
IMPLEMENTATIONS = {"py": "python", "c": "cython"}


class Core:
    """One acpbound: its package, its modules, and how to run it as a process."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.environment = {**os.environ, "ACPBOUND_EXT": EXT_MODES[name]}
        self._modules: dict[str, ModuleType] = {}
        self._others: dict[str, ModuleType] = {}

    def module(self, name: str) -> ModuleType:
        """A module of this acpbound, by its name inside the package."""
        return importlib.import_module(f"acpbound.{name}")

    def __getattr__(self, name: str) -> object:
        return getattr(importlib.import_module("acpbound"), name)

    def run(self, *arguments: str, **options) -> subprocess.CompletedProcess:
        """``acpbound ARGUMENTS`` as a process of its own; output as bytes."""
        return subprocess.run(
            self.command(*arguments),
            check=False,
            **{"env": self.environment, "capture_output": True, "timeout": 120, **options},
        )

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "acpbound", *arguments]

    def activate(self) -> None:
        self._others = _taken_modules()
        sys.modules.update(self._modules)
        previous = os.environ.get("ACPBOUND_EXT")
        os.environ["ACPBOUND_EXT"] = EXT_MODES[self.name]
        try:
            package = importlib.import_module("acpbound")
        finally:
            os.environ.pop("ACPBOUND_EXT")
            if previous is not None:
                os.environ["ACPBOUND_EXT"] = previous
        assert IMPLEMENTATIONS[self.name] == package.IMPLEMENTATION

    def deactivate(self) -> None:
        self._modules = _taken_modules()
        sys.modules.update(self._others)


def _taken_modules() -> dict[str, ModuleType]:
    """All modules of acpbound, taken out of ``sys.modules``."""
    names = [name for name in sys.modules if name.partition(".")[0] == "acpbound"]
    return {name: sys.modules.pop(name) for name in names}


CORES = {name: Core(name) for name in EXT_MODES}
