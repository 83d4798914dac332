"""acpbound keeps tool results from flooding an ACP (Agent Client Protocol) connection.

It bounds the two display fields of a tool-call update, ``content`` and ``rawOutput``, to a budget
of JSON bytes each, keeps a head and a tail around a marker, and touches nothing else::

    from acpbound import project_update

    bounded = project_update(update)  # the very object, if it is within its budget

``IMPLEMENTATION`` says which kernels run, ``"cython"`` or ``"python"``.
"""

from __future__ import annotations

import sys

from acpbound._core import IMPLEMENTATION, payload_size
from acpbound.contract import BUDGET, MARKER, MIN_BUDGET, QUOTES_BYTES
from acpbound.projection import Projector

TYPE_CHECKING = False  # as type checkers know it; importing typing takes longer than all of this
if TYPE_CHECKING:
    from typing import Final

    from acpbound.observation import BoundedField, FieldLeftAlone
else:
    _OBSERVED = ("BoundedField", "FieldLeftAlone")

    def __getattr__(name: str) -> object:
        """What only observers need is imported when it is asked for."""
        if name in _OBSERVED:
            from acpbound import observation

            return getattr(observation, name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__() -> list[str]:
        return sorted({*globals(), *_OBSERVED})


__version__: Final = "0.1.0"
__all__ = [
    "BUDGET",
    "IMPLEMENTATION",
    "MARKER",
    "MIN_BUDGET",
    "BoundedField",
    "FieldLeftAlone",
    "Projector",
    "__version__",
    "json_size",
    "project_update",
]

#: The contract as it stands: the default budget, UTF-8 JSON.
project_update: Final = Projector().project_update


def json_size(text: str, *, ensure_ascii: bool = False) -> int:
    """Bytes of a string's JSON, quotes included, without writing it.

    Equals ``len(json.dumps(text, ensure_ascii=...).encode("utf-8", "backslashreplace"))``.
    Raises TypeError if ``text`` is no ``str``.
    """
    return QUOTES_BYTES + payload_size(text, sys.maxsize, ensure_ascii)
