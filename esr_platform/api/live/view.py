"""What every live view is: a view of the API whose handlers are coroutines."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any, Final, cast

from django.http import Http404
from django.http.response import HttpResponseBase
from rest_framework.exceptions import MethodNotAllowed
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from esr_platform.api.live import doors, threads

ARRIVED: Final = "esr.arrived"
"""Where ``META`` has when all of a request was here, by ``time.monotonic``."""

LARGEST: Final = 2**63 - 1
"""No row has a greater number, and no database takes one."""


class LiveView(APIView):
    """An ``APIView`` with the API's authenticators, permissions and throttles, whose handlers are coroutines.

    Who asks, and whether they may, is found out on one of the shared threads; then the handler waits on none. There is
    no HEAD: of a stream it would have no end.
    """

    http_method_names = ["get", "post", "options"]
    door = ""
    """By which those come in who want a stream (``doors``); without one nobody waits for others."""

    async def dispatch(self, request: Any, *args: Any, **kwargs: Any) -> HttpResponseBase:  # type: ignore[override]
        self.args, self.kwargs = args, kwargs
        self.headers = self.default_response_headers
        self.request = asked = self.initialize_request(request, *args, **kwargs)
        response: HttpResponseBase
        try:
            async with doors.door(self.door) if self.door else nullcontext():
                await threads.read(self.initial, asked, *args, **kwargs)
            response = await self._handled(asked, *args, **kwargs)
        except Exception as error:  # as in APIView.dispatch: what is ours is raised again
            response = self.handle_exception(error)
        response = self.finalize_response(asked, cast("Response", response), *args, **kwargs)
        return cast("HttpResponseBase", response.render()) if isinstance(response, Response) else response

    async def _handled(self, request: Request, *args: Any, **kwargs: Any) -> HttpResponseBase:
        method = (request.method or "").lower()
        if method not in self.http_method_names or method == "options" or not hasattr(self, method):
            raise MethodNotAllowed(method.upper())
        if any(number > LARGEST for number in kwargs.values()):
            raise Http404("No game has such a number.")
        answer: HttpResponseBase = await getattr(self, method)(request, *args, **kwargs)
        return answer
