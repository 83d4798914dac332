"""Who keeps the canonical updates, seen from those who hand them over."""

from __future__ import annotations

from typing import Any, Protocol


class Record(Protocol):
    """A keeper of canonical updates, as ``transcript.TranscriptStore`` is."""

    def append(self, session_id: str, update: dict[str, Any], /) -> object:
        """Record one update; returns when it is kept, or raises."""
        ...
