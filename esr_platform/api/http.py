"""How the API reads and writes: strict JSON, and errors as problem documents (RFC 9457)."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import IO, Annotated, Any, Final

import msgspec
import orjson
import structlog
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import add_never_cache_headers
from django.views import defaults
from redis import exceptions as redis
from rest_framework import exceptions
from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer
from rest_framework.response import Response

from esr_platform.api.documents import about

# --- Requests --------------------------------------------------------------------------------------------------------

MOST_BYTES: Final = 64 * 1024


class JsonParser(BaseParser):
    """UTF-8 of at most ``MOST_BYTES``. NaN, and nesting that would exhaust a stack, are refused."""

    media_type = "application/json"

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,  # noqa: ARG002
        parser_context: Mapping[str, Any] | None = None,  # noqa: ARG002
    ) -> Any:
        """The document. Raises ``ParseError``."""
        text = stream.read(MOST_BYTES + 1)
        if len(text) > MOST_BYTES:
            raise ParseError(f"The document is longer than {MOST_BYTES} bytes.")
        try:
            return orjson.loads(text)
        except orjson.JSONDecodeError as error:
            raise ParseError(str(error)) from error


# --- Responses -------------------------------------------------------------------------------------------------------


class JsonRenderer(BaseRenderer):
    """Compact UTF-8. Times are UTC and end in Z. Lazy translations and the like are written as their text."""

    media_type = "application/json"
    format = "json"
    charset = None
    render_style = "binary"

    def render(
        self,
        data: Any,
        accepted_media_type: str | None = None,  # noqa: ARG002
        renderer_context: Mapping[str, Any] | None = None,  # noqa: ARG002
    ) -> bytes:
        return b"" if data is None else _ENCODER.encode(data)


_ENCODER: Final = msgspec.json.Encoder(enc_hook=str)


# --- Errors ----------------------------------------------------------------------------------------------------------
#
# ``detail`` is a sentence that says what to do, ``code`` a word for programs, ``fields`` what is wrong with which
# field.

log = structlog.get_logger(__name__)

CONTENT_TYPE: Final = "application/problem+json"
PREFIX: Final = "/api/"
_NOWHERE: Final = "There is nothing at this address. /api/v1/ lists what there is."
_OURS: Final = "Something broke on our side, and it was written down. Try again later."
_REDIS_AWAY: Final = (redis.ConnectionError, redis.TimeoutError, redis.ReadOnlyError, redis.OutOfMemoryError)
"""Errors of a Redis server that is stopped, starting, silent, a replica or full. Other errors are bugs of ours."""

_AWAY_S: Final = 5
"""When to send a request again that needed Redis."""

_AWAY: Final = f"A service that the site needs is restarting. Nothing has changed. Try again in {_AWAY_S} s."
_DETAILS: Final = {
    HTTPStatus.UNAUTHORIZED: "Send a token as the header 'Authorization: Bearer esr_…'; your account page makes one.",
    HTTPStatus.BAD_REQUEST: "The request cannot be read. /api/v1/ says how it has to look.",
}


class Refusal(exceptions.APIException):
    """An answer with a status, a word and a sentence of its own; ``retry_after_s`` where waiting helps."""

    def __init__(self, status: HTTPStatus, code: str, sentence: str, retry_after_s: int | None = None) -> None:
        super().__init__(sentence, code)
        self.status_code = status.value
        self.wait = retry_after_s


class ProblemDocument(msgspec.Struct, kw_only=True):
    """An error (RFC 9457)."""

    type: Annotated[str, about("Always `about:blank`.", "about:blank")]
    title: Annotated[str, about("The name of the status.")]
    status: Annotated[int, about("The status.")]
    detail: Annotated[str, about("A sentence that says what to do.")]
    code: Annotated[str, about("A word for programs.")]
    fields: Annotated[
        dict[str, Any] | msgspec.UnsetType, about("What is wrong with which field, if `code` is `invalid`.")
    ] = msgspec.UNSET


def problem(status: HTTPStatus, code: str, detail: str, **more: Any) -> dict[str, Any]:
    """The document: ``type``, ``title``, ``status``, ``detail``, ``code`` and what else is known."""
    return {
        "type": "about:blank",
        "title": status.phrase,
        "status": status.value,
        "detail": detail,
        "code": code,
        **more,
    }


def problem_bytes(status: HTTPStatus, code: str, detail: str, **more: Any) -> bytes:
    """The same as it is sent."""
    return json.dumps(problem(status, code, detail, **more), ensure_ascii=False).encode()


def on_exception(error: Exception, _context: Mapping[str, Any]) -> Response | None:
    """The answer to an exception in a view; ``None`` for our own faults, which Django logs and ``on_500`` answers."""
    if isinstance(error, _REDIS_AWAY):
        log.warning("redis_away", error=str(error))
        error = Refusal(HTTPStatus.SERVICE_UNAVAILABLE, "redis_away", _AWAY, _AWAY_S)
    elif isinstance(error, Http404):
        error = exceptions.NotFound(str(error) or _NOWHERE)
    elif isinstance(error, PermissionDenied):
        error = exceptions.PermissionDenied(str(error) or None)
    if not isinstance(error, exceptions.APIException):
        return None
    status = HTTPStatus(error.status_code)
    body = problem(status, _code(error), _detail(error, status), **_fields(error))
    return Response(body, status=status, headers=_headers(error), content_type=CONTENT_TYPE)


def _code(error: exceptions.APIException) -> str:
    if isinstance(error, exceptions.ValidationError):
        return "invalid"
    codes = error.get_codes()
    return codes if isinstance(codes, str) else error.default_code


def _detail(error: exceptions.APIException, status: HTTPStatus) -> str:
    if isinstance(error, exceptions.ValidationError):
        return "Some fields are missing or wrong: 'fields' says which."
    if isinstance(error, exceptions.Throttled):
        return f"Too many requests. Try again in {_wait(error)} s."
    if isinstance(error, exceptions.NotAuthenticated | exceptions.ParseError):
        return _DETAILS[status]
    return str(error.detail)


def _fields(error: exceptions.APIException) -> dict[str, Any]:
    return {"fields": error.detail} if isinstance(error, exceptions.ValidationError) else {}


def _headers(error: exceptions.APIException) -> dict[str, str]:
    """``WWW-Authenticate`` where a token is missing, ``Retry-After`` in seconds where waiting helps."""
    header, wait = getattr(error, "auth_header", None), _wait(error)
    found = {"WWW-Authenticate": header} if header else {}
    return found | ({"Retry-After": str(wait)} if wait else {})


def _wait(error: exceptions.APIException) -> int:
    """Seconds after which to try again; 0 where waiting is no use."""
    return math.ceil(getattr(error, "wait", None) or 0)


def _both(status: HTTPStatus, code: str, detail: str, page: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """A handler for what no view answers: a problem below ``/api/``, Django's page elsewhere."""

    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.path.startswith(PREFIX):
            return HttpResponse(problem_bytes(status, code, detail), status=status, content_type=CONTENT_TYPE)
        return page(request, *args, **kwargs)

    return answer


on_400 = _both(HTTPStatus.BAD_REQUEST, "bad_request", _DETAILS[HTTPStatus.BAD_REQUEST], defaults.bad_request)
on_404 = _both(HTTPStatus.NOT_FOUND, "not_found", _NOWHERE, defaults.page_not_found)
on_500 = _both(HTTPStatus.INTERNAL_SERVER_ERROR, "error", _OURS, defaults.server_error)


def _unavailable(request: HttpRequest) -> HttpResponse:
    return render(request, "503.html", {"wait_s": _AWAY_S}, status=HTTPStatus.SERVICE_UNAVAILABLE)


_on_redis_away = _both(HTTPStatus.SERVICE_UNAVAILABLE, "redis_away", _AWAY, _unavailable)


class RedisAway:
    """Middleware that answers 503 with ``Retry-After`` where a view fails because Redis is away.

    Views of the API come here only if they are not REST framework views: those answer by ``on_exception``.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self._get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if not isinstance(error, _REDIS_AWAY):
            return None
        log.warning("redis_away", error=str(error))
        response = _on_redis_away(request)
        response["Retry-After"] = str(_AWAY_S)
        add_never_cache_headers(response)
        return response
