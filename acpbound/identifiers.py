"""Which session and agent ids may name a file, and the ids of virtual subagent sessions.

Strategy: say yes only to plain ASCII names, so that no id can mean another path on any system: not
by separators or ``..``, not by look-alikes of them (some systems fold or normalize names), not by
what Windows does with device names, colons and trailing dots.

Rules: an id is never repaired, only taken or refused; ``subagent.`` begins virtual ids alone, so
that a virtual id and a session of the same name cannot be confused; a virtual id has one spelling.
"""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from contextlib import suppress
from typing import Final, NamedTuple

#: Bytes; leaves room for a prefix and an ending within the 255 that file systems allow.
MAX_ID_BYTES: Final = 200

_VIRTUAL_PREFIX = "subagent."
_plain_name = re.compile(r"[A-Za-z0-9_+=@~-][A-Za-z0-9._+=@~-]*", re.ASCII).fullmatch
_device_name = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?", re.I).fullmatch


class InvalidIdError(ValueError):
    """A session or agent id that cannot name a transcript; says why."""


class TranscriptKey(NamedTuple):
    """Whose transcript: a session's own, or that of one of its subagents."""

    session_id: str
    agent_id: str | None = None

    @property
    def delivered_id(self) -> str:
        """The id under which it is delivered: the session's, or the virtual subagent id."""
        if self.agent_id is None:
            return self.session_id
        return subagent_id(self.session_id, self.agent_id)


def checked_id(value: object, what: str = "session id") -> str:
    """``value`` if it may name a file; ``what`` says in the error what kind of id it is.

    Raises InvalidIdError for anything but a string of 1 to 200 ASCII letters, digits and
    ``._+=@~-`` that does not begin or end with a dot, begin with ``subagent.`` or name a device.
    """
    if not isinstance(value, str):
        raise InvalidIdError(f"a {what} is a string, not {type(value).__name__}")
    name = str.__str__(value)
    shown = ascii(name[:60])
    if len(name.encode("utf-8", "surrogatepass")) > MAX_ID_BYTES:
        raise InvalidIdError(f"{what} {shown}... is longer than {MAX_ID_BYTES} bytes")
    if _plain_name(name) is None or name.endswith("."):
        raise InvalidIdError(
            f"{what} {shown} is no plain name: only ASCII letters, digits and ._+=@~- are allowed, "
            "with no dot at either end"
        )
    if _device_name(name) is not None:
        raise InvalidIdError(f"{what} {shown} names a device on some systems")
    if name.lower().startswith(_VIRTUAL_PREFIX):
        raise InvalidIdError(f"{what} {shown}: names beginning {_VIRTUAL_PREFIX!r} are reserved")
    return name


def _encoded(name: str) -> str:
    return urlsafe_b64encode(name.encode()).decode().rstrip("=")


def _decoded(word: str) -> str:
    try:
        return urlsafe_b64decode(word + "=" * (-len(word) % 4)).decode("ascii")
    except ValueError:
        return ""  # no plain name either


def subagent_id(parent_session_id: str, agent_id: str) -> str:
    """The virtual session id of a subagent: ``subagent.<base64url parent>.<base64url agent>``.

    Raises InvalidIdError if either part cannot name a file.
    """
    parent = checked_id(parent_session_id, "parent session id")
    return f"{_VIRTUAL_PREFIX}{_encoded(parent)}.{_encoded(checked_id(agent_id, 'agent id'))}"


def parse_id(session_id: object) -> TranscriptKey:
    """The transcript that a session id, plain or virtual, stands for.

    Raises InvalidIdError if it is neither.
    """
    if not isinstance(session_id, str) or not str.startswith(session_id, _VIRTUAL_PREFIX):
        return TranscriptKey(checked_id(session_id))
    name = str.__str__(session_id)
    words = name.split(".")
    if len(words) == 3 and name.isascii():
        parent, agent = _decoded(words[1]), _decoded(words[2])
        with suppress(InvalidIdError):
            if subagent_id(parent, agent) == name:
                return TranscriptKey(parent, agent)
    raise InvalidIdError(f"{name[:60]!a} is no subagent id")
