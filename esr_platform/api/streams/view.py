"""Views whose handlers are coroutines, and the numbers that clients send to them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import nullcontext
from http import HTTPStatus
from typing import Any, Final, cast

from django.conf import settings
from django.http import Http404, StreamingHttpResponse
from django.http.response import HttpResponseBase
from rest_framework.exceptions import MethodNotAllowed
from rest_framework.request import Request
from rest_framework.response import Response

from esr_platform.api.endpoint import Endpoint
from esr_platform.api.http import Refusal
from esr_platform.api.streams import threads
from esr_platform.overload import ANSWERS

# --- Numbers in URLs -------------------------------------------------------------------------------------------------

_MOST_DIGITS: Final = 9


def whole_number(request: Request, name: str, least: int, most: int, default: int) -> int:
    """The query parameter ``name``. Raises ``Refusal`` (400) unless it is a number from ``least`` to ``most``."""
    text = request.query_params.get(name)
    if text is None:
        return default
    if not (_is_number(text) and least <= int(text) <= most):
        sentence = f"`{name}` must be an integer from {least} to {most}."
        raise Refusal(HTTPStatus.BAD_REQUEST, "invalid", sentence)
    return int(text)


def place(request: Request) -> int:
    """The entry of the log from which a stream starts: where the client stopped, else the first."""
    text = request.headers.get("Last-Event-ID", "")
    if _is_number(text):
        return int(text)
    return whole_number(request, "log", 0, 10**_MOST_DIGITS, default=0)


def places(request: Request) -> tuple[int | None, int]:
    """Where the stream of a seat resumes: the entry of the log (``None`` for the beginning) and the last chat line.

    They come from the id of the last event (``57.1203``), or from ``?at=`` if the client opens a new stream. After a
    malformed id everything is sent again.
    """
    text = request.headers.get("Last-Event-ID") or request.query_params.get("at", "")
    log, _, line = text.partition(".")
    if not _is_number(log) or (line and not _is_number(line)):
        return None, 0
    return int(log), int(line or 0)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS


# --- Views -----------------------------------------------------------------------------------------------------------

ARRIVED: Final = "esr.arrived"
"""The key of ``META`` for the time (``time.monotonic``) at which the request was complete."""

LARGEST: Final = 2**63 - 1
"""The largest id that databases support."""


class StreamResponse(StreamingHttpResponse):
    """A response that sends ``pieces`` as they come."""

    def __init__(self, pieces: AsyncGenerator[bytes], content_type: str, headers: Mapping[str, str]) -> None:
        super().__init__(pieces, content_type=content_type, headers=headers)
        self.pieces = pieces


TURNS: Final = threads.ClientQueues()
"""Queues of browsers: each browser uses at most one of the shared threads."""


class LiveView(Endpoint):
    """An endpoint with the API's authenticators, permissions and throttles, which runs on the shared threads.

    A POST handler is a function. It runs in one job on a writer thread, after authentication, permissions and
    throttles. A GET handler is a coroutine that occupies no thread; what comes before it runs on a reader thread. There
    is no HEAD: that of a stream would never end.
    """

    http_method_names = ["get", "post"]
    view_is_async = True  # ``dispatch`` is a coroutine, whatever the handlers are
    is_long_poll = False
    """Whether a POST may wait. It then occupies no thread meanwhile, and ends if the client disconnects."""
    admission = ""
    """The semaphore that admits new streams (``admission_semaphore``); empty for other requests."""

    async def dispatch(self, request: Any, *args: Any, **kwargs: Any) -> HttpResponseBase:  # type: ignore[override]
        self.args, self.kwargs = args, kwargs
        self.headers = self.default_response_headers
        self.request = asked = self.initialize_request(request, *args, **kwargs)
        response: HttpResponseBase
        try:
            if request.method == "POST":
                response = await self._posted(asked, *args, **kwargs)
            else:
                async with threads.admission_semaphore(self.admission) if self.admission else nullcontext():
                    await threads.read(self.initial, asked, *args, **kwargs)
                response = await self._handler(asked)(asked, *args, **kwargs)
        except Exception as error:  # as in APIView.dispatch, which raises unknown errors again
            response = self.handle_exception(error)
        response = self.finalize_response(asked, cast("Response", response), *args, **kwargs)
        return cast("HttpResponseBase", response.render()) if isinstance(response, Response) else response

    async def _posted(self, request: Request, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Authenticate and handle in one job. Streams may keep all reader threads busy, so this is a writer's.

        The handler of a long poll is a coroutine instead.
        """
        if self.is_long_poll:
            await threads.read(self.initial, request, *args, **kwargs)
            response: HttpResponseBase = await self._handler(request)(request, *args, **kwargs)
            return response
        session = request._request.COOKIES.get(settings.SESSION_COOKIE_NAME)
        try:
            async with TURNS.of(session) if session else nullcontext():
                return await threads.write(self._authenticated, request, *args, **kwargs)
        finally:
            ANSWERS.on_end()

    def _authenticated(self, request: Request, *args: Any, **kwargs: Any) -> HttpResponseBase:
        self.initial(request, *args, **kwargs)
        with ANSWERS.processed(request.META.get(ARRIVED)):
            answer: HttpResponseBase = self._handler(request)(request, *args, **kwargs)
            return answer

    def _handler(self, request: Request) -> Any:
        """The function of the method. Raises ``MethodNotAllowed``, and ``Http404`` for numbers that no row has."""
        method = (request.method or "").lower()
        if method not in self.http_method_names or not hasattr(self, method):
            raise MethodNotAllowed(method.upper())
        if any(isinstance(number, int) and number > LARGEST for number in self.kwargs.values()):
            raise Http404("Match not found.")
        return getattr(self, method)
