"""Requests and responses of the API: strict JSON, and errors as problem documents (RFC 9457)."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from http import HTTPStatus
from typing import IO, Annotated, Any, Final

import msgspec
import orjson
import structlog
from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db import close_old_connections, connection
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.cache import add_never_cache_headers
from django.views import defaults
from redis import exceptions as redis
from rest_framework import exceptions
from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer
from rest_framework.response import Response

from bots.uploads import upload
from esr_platform.accounts.errors import Refused, TooMany
from esr_platform.accounts.intake import IntakePaused
from esr_platform.accounts.limits import WINDOW_S
from esr_platform.api.codes import ARCHIVES, LIMITS, RULES
from esr_platform.api.documents import about
from esr_platform.disconnects import DISCONNECTED, is_not_writable, is_overload
from esr_platform.headers import page_wait_s
from esr_platform.overload import CODE, RETRY_S, SENTENCE, count_refusal

# --- Requests --------------------------------------------------------------------------------------------------------

MOST_BYTES: Final = 64 * 1024


class JsonParser(BaseParser):
    """Parse JSON in UTF-8 of at most ``MOST_BYTES``. NaN and very deep nesting are invalid."""

    media_type = "application/json"

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,  # noqa: ARG002
        parser_context: Mapping[str, Any] | None = None,  # noqa: ARG002
    ) -> Any:
        """Return the parsed document. Raises ``ParseError``."""
        text = stream.read(MOST_BYTES + 1)
        if len(text) > MOST_BYTES:
            raise ParseError(f"The body is larger than {MOST_BYTES >> 10} KiB (the maximum).")
        try:
            return orjson.loads(text)
        except orjson.JSONDecodeError as error:
            raise ParseError(f"The body is not valid JSON: {error}.") from error


# --- Responses -------------------------------------------------------------------------------------------------------


class JsonRenderer(BaseRenderer):
    """Render compact JSON in UTF-8. Times are in UTC and end in Z. Lazy translations become strings."""

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
# ``detail`` says what happened and what to do, ``code`` identifies the error, ``fields`` lists invalid fields.

log = structlog.get_logger(__name__)

CONTENT_TYPE: Final = "application/problem+json"
PREFIX: Final = "/api/"
INVALID: Final = "Some parameters or fields are missing or invalid. See 'fields'."
UNAUTHENTICATED: Final = (
    "This request needs a token. Create one on your account page and send it in the header "
    "'Authorization: Bearer esr_…'."
)
SERVER_ERROR: Final = "Internal server error. The error was logged. Try again later."
_BAD_REQUEST: Final = "Bad request. Check the URL, the headers and the body against the API reference at /api/v1/."
_NOT_FOUND: Final = "Endpoint not found. All endpoints are listed at /api/v1/."
_REDIS_AWAY: Final = (redis.ConnectionError, redis.TimeoutError, redis.ReadOnlyError, redis.OutOfMemoryError)
"""Errors of a Redis server that is stopped, starting, unresponsive, read-only or full. Other errors are bugs."""

_UNAVAILABLE_S: Final = 5
"""Seconds until a request that needs Redis is repeated."""

NOT_STORED_S: Final = 60
"""Seconds until a request is repeated that failed because the server could not store a file or a change."""

UNAVAILABLE: Final = (
    f"The site is temporarily unavailable because one of its services is restarting. Nothing was changed. "
    f"Try again in {_UNAVAILABLE_S} s."
)


NOT_WRITABLE: Final = (
    f"The site cannot store anything now, because its database is read-only or its disk is full. Nothing was changed. "
    f"Try again in {NOT_STORED_S} s."
)


class Refusal(exceptions.APIException):
    """An error with its own status, code and detail; ``retry_after_s`` is set if waiting helps."""

    def __init__(self, status: HTTPStatus, code: str, detail: str, retry_after_s: int | None = None) -> None:
        super().__init__(detail, code)
        self.status_code = status.value
        self.wait = retry_after_s


def _listed(codes: Iterable[str]) -> str:
    return ", ".join(f"`{code}`" for code in codes)


_ABOUT_CODES: Final = (
    "Code of the error for programs. New codes can be added, so decide by the HTTP status if a code is unknown. "
    f"Rules of the site (422): {_listed(RULES)}. Uploaded archives (422): {_listed(ARCHIVES)}. "
    f"Limits (429 if waiting helps, else 409): {_listed(LIMITS)}."
)


class ProblemDocument(msgspec.Struct, kw_only=True):
    """A problem document (RFC 9457)."""

    type: Annotated[
        str, about("URL of the description of the code.", "https://arena.example.org/api/v1/errors#invalid")
    ]
    title: Annotated[str, about("Name of the HTTP status.")]
    status: Annotated[int, about("HTTP status.")]
    detail: Annotated[str, about("Explanation of the error for people: what happened and what to do.")]
    code: Annotated[str, about(_ABOUT_CODES)]
    fields: Annotated[
        dict[str, Any] | msgspec.UnsetType, about("Error messages by invalid field, if `code` is `invalid`.")
    ] = msgspec.UNSET


@contextmanager
def refusals() -> Iterator[None]:
    """Convert ``Refused`` to 422, ``TooMany`` to 409, or to 429 if waiting helps, and ``IntakePaused`` and
    ``NotStored`` to 503.

    Problem documents contain the code of the ``Refused`` (``esr_platform.api.codes``).
    """
    try:
        yield
    except TooMany as refusal:
        status = HTTPStatus.CONFLICT if refusal.retry_after_s is None else HTTPStatus.TOO_MANY_REQUESTS
        raise Refusal(status, str(refusal.code), str(refusal), refusal.retry_after_s) from refusal
    except IntakePaused as refusal:
        raise Refusal(
            HTTPStatus.SERVICE_UNAVAILABLE, str(refusal.code), str(refusal), refusal.retry_after_s
        ) from refusal
    except Refused as refusal:
        raise Refusal(HTTPStatus.UNPROCESSABLE_ENTITY, str(refusal.code), str(refusal)) from refusal
    except upload.NotStored as failure:
        raise Refusal(HTTPStatus.SERVICE_UNAVAILABLE, "not_stored", str(failure), NOT_STORED_S) from failure


def problem(status: HTTPStatus, code: str, detail: str, **more: Any) -> dict[str, Any]:
    """Return a problem document. ``more`` are additional members."""
    return {
        "type": f"{settings.SITE_URL}{PREFIX}v1/errors#{code}",
        "title": status.phrase,
        "status": status.value,
        "detail": detail,
        "code": code,
        **more,
    }


def problem_bytes(status: HTTPStatus, code: str, detail: str, **more: Any) -> bytes:
    """Return a problem document as JSON."""
    return json.dumps(problem(status, code, detail, **more), ensure_ascii=False).encode()


def on_exception(error: Exception, _context: Mapping[str, Any]) -> Response | None:
    """Return the response for an exception in a view; ``None`` for bugs, which Django logs and ``on_500`` handles."""
    error = _temporary(error) or error
    if isinstance(error, Http404):
        error = exceptions.NotFound(str(error) or _NOT_FOUND)
    elif isinstance(error, PermissionDenied):
        error = exceptions.PermissionDenied(str(error) or None)
    if not isinstance(error, exceptions.APIException):
        return None
    status = HTTPStatus(error.status_code)
    body = problem(status, _code(error), _detail(error), **_fields(error))
    return Response(body, status=status, headers=_headers(error), content_type=CONTENT_TYPE)


def _temporary(error: BaseException | None) -> Refusal | None:
    """Return a refusal (503) if Redis or the database is unavailable, overloaded or read-only, and log it."""
    if isinstance(error, _REDIS_AWAY):
        log.warning("redis_away", error=str(error))
        return Refusal(HTTPStatus.SERVICE_UNAVAILABLE, "redis_away", UNAVAILABLE, _UNAVAILABLE_S)
    if is_overload(error):
        count_refusal("database", error)
        return Refusal(HTTPStatus.SERVICE_UNAVAILABLE, CODE, SENTENCE, RETRY_S)
    if is_not_writable(error):
        log.error("not_stored", error=str(error).partition("\n")[0])
        return Refusal(HTTPStatus.SERVICE_UNAVAILABLE, "not_stored", NOT_WRITABLE, NOT_STORED_S)
    return None


def _code(error: exceptions.APIException) -> str:
    if isinstance(error, exceptions.ValidationError):
        return "invalid"
    codes = error.get_codes()
    return codes if isinstance(codes, str) else error.default_code


def _detail(error: exceptions.APIException) -> str:
    if isinstance(error, exceptions.ValidationError):
        return INVALID
    if isinstance(error, exceptions.Throttled):
        return f"Too many requests. Try again in {_wait(error)} s."
    if isinstance(error, exceptions.NotAuthenticated):
        return UNAUTHENTICATED
    return f"{str(error.detail).rstrip('.')}."


def _fields(error: exceptions.APIException) -> dict[str, Any]:
    return {"fields": error.detail} if isinstance(error, exceptions.ValidationError) else {}


def _headers(error: exceptions.APIException) -> dict[str, str]:
    """Return ``WWW-Authenticate`` if a token is missing, and ``Retry-After`` in seconds if waiting helps."""
    header, wait = getattr(error, "auth_header", None), _wait(error)
    headers = {"WWW-Authenticate": header} if header else {}
    return headers | ({"Retry-After": str(wait)} if wait else {})


def _wait(error: exceptions.APIException) -> int:
    """Return the seconds until the next attempt; 0 if waiting does not help."""
    return math.ceil(getattr(error, "wait", None) or 0)


def paced(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Count the requests of a view that is not an operation of the API as page requests of the client's IP address."""

    @wraps(view)
    def respond(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return _too_many(request) or view(request, *args, **kwargs)

    return respond


def _too_many(request: HttpRequest) -> HttpResponse | None:
    wait = page_wait_s(request)
    if not wait:
        return None
    status = HTTPStatus.TOO_MANY_REQUESTS
    body = problem_bytes(status, "throttled", f"Too many requests. Try again in {wait} s.")
    return HttpResponse(body, status=status, content_type=CONTENT_TYPE, headers={"Retry-After": str(wait)})


def _both(status: HTTPStatus, code: str, detail: str, page: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Return an error handler for Django: a problem document below ``/api/``, Django's own page elsewhere."""

    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.path.startswith(PREFIX):
            refused = _too_many(request) if status is HTTPStatus.NOT_FOUND else None
            body = problem_bytes(status, code, detail)
            return refused or HttpResponse(body, status=status, content_type=CONTENT_TYPE)
        return page(request, *args, **kwargs)

    return answer


on_400 = _both(HTTPStatus.BAD_REQUEST, "bad_request", _BAD_REQUEST, defaults.bad_request)
on_404 = _both(HTTPStatus.NOT_FOUND, "not_found", _NOT_FOUND, defaults.page_not_found)
_on_bug = _both(HTTPStatus.INTERNAL_SERVER_ERROR, "error", SERVER_ERROR, defaults.server_error)


def on_500(request: HttpRequest) -> HttpResponse:
    """Answer a request after an exception: middleware can fail as well if a service is unavailable."""
    refusal = _temporary(sys.exc_info()[1])
    return _on_bug(request) if refusal is None else _unavailable(request, refusal)


def on_429(request: HttpRequest) -> HttpResponse:
    """Answer a request of an account page beyond a limit of allauth, most of which are per minute."""
    response = render(request, "429.html", {"wait_s": WINDOW_S}, status=HTTPStatus.TOO_MANY_REQUESTS)
    response["Retry-After"] = str(WINDOW_S)
    return response


def _unavailable(request: HttpRequest, refusal: Refusal) -> HttpResponse:
    """Return a problem document below ``/api/``, else a page that needs neither the user nor the database."""
    wait = _wait(refusal)
    if request.path.startswith(PREFIX):
        body, kind = problem_bytes(HTTPStatus(refusal.status_code), _code(refusal), _detail(refusal)), CONTENT_TYPE
    else:
        values = {"wait_s": wait, "not_stored": _code(refusal) == "not_stored"}
        body, kind = render_to_string("503.html", values).encode(), "text/html; charset=utf-8"
    response = HttpResponse(body, status=refusal.status_code, content_type=kind, headers={"Retry-After": str(wait)})
    add_never_cache_headers(response)
    return response


class TemporaryFailures:
    """Middleware that returns 503 with ``Retry-After`` if Redis or the database is unavailable or overloaded.

    A request with a session gets its database connection here, before any middleware reads the session. Connections
    return to the pool before the response is sent, so that slow clients do not keep them. Views of REST framework use
    ``on_exception``.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if settings.SESSION_COOKIE_NAME in request.COOKIES:
            try:
                connection.ensure_connection()
            except DISCONNECTED as error:
                refusal = _temporary(error)
                if refusal is None:
                    raise
                return _unavailable(request, refusal)
        response = self._get_response(request)
        if connection.vendor != "sqlite" and not connection.in_atomic_block:  # SQLite has no pool; tests are in a block
            close_old_connections()
        return response

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        refusal = _temporary(error)
        return None if refusal is None else _unavailable(request, refusal)
