"""The paged transcript route over HTTP, as a Starlette application (extra: ``http``).

``GET /session/{id}/transcript?limit=&cursor=`` answers with ``History.page``; the id may be that of
a virtual subagent session.

Strategy: a shell around ``History.page``; reading happens in a worker thread.

Rules: every answer is JSON, also every error: ``{"code": ..., "message": ...}``, where the code is
stable and the message is for people; surrogates in texts are written as their escapes.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from acpbound.native import json_bytes
from acpbound.replay import (
    CursorError,
    History,
    InvalidIdError,
    InvalidLimitError,
    ReplayLimitError,
    StaleCursorError,
    UnknownSessionError,
)

_log = logging.getLogger("acpbound")

#: Updates of a page when the request names no limit.
DEFAULT_PAGE: Final = 100


class _Answer(NamedTuple):
    status: int
    code: str


# The first that matches counts, so the special stand before the general.
_ANSWERS: Final[tuple[tuple[type[Exception], _Answer], ...]] = (
    (StaleCursorError, _Answer(409, "stale_cursor")),
    (CursorError, _Answer(400, "bad_cursor")),
    (InvalidLimitError, _Answer(400, "bad_limit")),
    # No session can have such an id.
    (InvalidIdError, _Answer(404, "unknown_session")),
    (UnknownSessionError, _Answer(404, "unknown_session")),
    (ReplayLimitError, _Answer(413, "page_too_large")),
)
_HTTP_CODES: Final = {404: "not_found", 405: "method_not_allowed"}


def _json(status: int, value: object, headers: dict[str, str] | None = None) -> Response:
    return Response(
        json_bytes(value, ensure_ascii=False),
        status_code=status,
        headers={"cache-control": "no-store", **(headers or {})},
        media_type="application/json",
    )


def _error(status: int, code: str, message: str, headers: dict[str, str] | None = None) -> Response:
    return _json(status, {"code": code, "message": message}, headers)


def _limit(request: Request) -> int:
    word = request.query_params.get("limit")
    if word is None:
        return DEFAULT_PAGE
    if not (word.isascii() and word.isdecimal()) or len(word) > 9:
        raise InvalidLimitError(f"limit {word[:20]!a} is no whole number from 1 to 500")
    return int(word)


def _transcript_route(history: History) -> Callable[[Request], Response]:
    def transcript(request: Request) -> Response:
        session_id = request.path_params["id"]
        try:
            page = history.page(session_id, request.query_params.get("cursor"), _limit(request))
        except tuple(kind for kind, _ in _ANSWERS) as error:
            answer = next(answer for kind, answer in _ANSWERS if isinstance(error, kind))
            return _error(*answer, str(error))
        except OSError:
            # The path in the error is not for the client.
            _log.exception("a transcript cannot be read")
            return _error(500, "unreadable", "the transcript cannot be read")
        return _json(200, page)

    return transcript


def _http_error(_request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    code = _HTTP_CODES.get(error.status_code, "http_error")
    return _error(error.status_code, code, error.detail, dict(error.headers or {}))


def transcript_app(history: History) -> Starlette:
    """An ASGI application that serves the pages of a history.

    Errors: 400 ``bad_limit`` and ``bad_cursor``, 404 ``unknown_session``, 409 ``stale_cursor``,
    413 ``page_too_large`` (ask for a smaller ``limit``), 500 ``unreadable``. It checks no
    permissions: mount it behind what does.
    """
    handlers: dict[Any, Any] = {HTTPException: _http_error}
    route = Route("/session/{id}/transcript", _transcript_route(history), methods=["GET"])
    return Starlette(routes=[route], exception_handlers=handlers)
