"""How long a line of a stream may be to be held in memory, and so to be bounded.

Rules: kept apart from ``lines``, so that the command's options can name it without importing that.
"""

from __future__ import annotations

from typing import Final

#: Bytes of the longest line that is bounded, unless something else is asked for.
MAX_LINE: Final = 256 << 20
