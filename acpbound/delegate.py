"""A stand-in for another object: what a subclass does not define is the other object's.

Strategy: attributes are read, set, deleted and listed on the target, and ``isinstance`` sees the
target's class, so that code which was written for the target cannot tell. A subclass defines the
few methods that it takes over.

Rules: nothing of the target is copied or cached, so later changes to it show; the stand-in's own
state has names that no target uses; special methods are not passed on, except those defined here.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


class Delegate:
    """Stands in for ``target``."""

    __slots__ = ("__weakref__", "_acpbound_target")

    _acpbound_target: Any

    def __init__(self, target: object) -> None:
        object.__setattr__(self, "_acpbound_target", target)

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        """The target's class, for ``isinstance``; ``type()`` tells the truth."""
        return type(self._acpbound_target)

    def __getattr__(self, name: str) -> Any:
        if name == "_acpbound_target":  # copying makes an instance before it has a target
            raise AttributeError(name)
        return getattr(self._acpbound_target, name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(self._acpbound_target, name, value)

    def __delattr__(self, name: str) -> None:
        delattr(self._acpbound_target, name)

    def __dir__(self) -> Iterable[str]:
        return dir(self._acpbound_target)

    def __repr__(self) -> str:
        return f"<{type(self).__name__.lstrip('_')} of {self._acpbound_target!r}>"
