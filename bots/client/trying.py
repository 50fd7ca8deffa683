"""Decides whether a call that has failed is sent again, and when. What both clients share; nothing here waits."""

from __future__ import annotations

from time import monotonic
from typing import Any

import httpx

from bots.client.calls import Call
from bots.client.errors import ClientError, Unreachable
from bots.client.responding import COME_AGAIN, problem_of, retry_after_s
from bots.client.waiting import Backoff


class Tries:
    """The tries of one call: at most for ``patience_s`` seconds, waiting included.

    A call that must not be made twice is sent again only where the first one has certainly done nothing.
    """

    def __init__(self, call: Call[Any], patience_s: float) -> None:
        self._repeatable = call.repeatable
        self._until = monotonic() + patience_s
        self._backoff = Backoff()

    def after_refusal(self, response: httpx.Response) -> float:
        """Seconds to wait after an error's status. Raises ``Problem`` where waiting is no use, or takes too long."""
        certain = response.status_code in (httpx.codes.TOO_MANY_REQUESTS, httpx.codes.SERVICE_UNAVAILABLE)
        problem = problem_of(response)
        if response.status_code not in COME_AGAIN or not (self._repeatable or certain):
            raise problem
        return self._in_time(self._backoff.next_s(retry_after_s(response)), problem)

    def after_break(self, error: httpx.TransportError) -> float:
        """Seconds to wait after a connection broke, or never was. Raises ``Unreachable``."""
        unreachable = Unreachable(f"The site cannot be reached: {str(error) or type(error).__name__}.")
        if not self._repeatable and not isinstance(error, httpx.ConnectError | httpx.ConnectTimeout):
            raise unreachable from error
        return self._in_time(self._backoff.next_s(), unreachable)

    def _in_time(self, pause_s: float, error: ClientError) -> float:
        if monotonic() + pause_s > self._until:
            raise error
        return pause_s


def arguments(call: Call[Any]) -> dict[str, Any]:
    """``call`` as httpx builds a request of it."""
    return {
        "method": call.method,
        "url": call.path,
        "params": dict(call.params) or None,
        "json": call.json,
        "data": None if call.data is None else dict(call.data),
        "files": None if call.files is None else dict(call.files),
        "timeout": call.timeout_s,
    }


def is_answer(call: Call[Any], response: httpx.Response) -> bool:
    """Whether the call can read ``response``."""
    return response.is_success or response.status_code in call.understood
