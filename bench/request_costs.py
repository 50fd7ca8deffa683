"""Requests, bytes and CPU time by view, and CPU time by thread, counted inside the web process.

``bench.settings`` puts :func:`count` around all other middleware, and ``bench.views`` serves :func:`costs`. The CPU
time of a view is that of the request thread, so only views that run in a thread are counted correctly. The event loop
and HTTP parsing are not included: they are the CPU time of ``MainThread``.
"""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import asdict, dataclass
from threading import Lock

from django.http import HttpRequest, HttpResponse, JsonResponse


@dataclass
class Cost:
    """What one view has cost so far: the number of responses, the bytes of their bodies and CPU seconds."""

    requests: int = 0
    sent_bytes: int = 0
    cpu_s: float = 0.0


_COSTS: defaultdict[str, Cost] = defaultdict(Cost)
_LOCK = Lock()


def count(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware that adds each request to the costs of its view."""

    def respond(request: HttpRequest) -> HttpResponse:
        before = time.thread_time()
        response = get_response(request)
        used_s = time.thread_time() - before
        view = request.resolver_match.view_name if request.resolver_match else ""
        with _LOCK:
            cost = _COSTS[view]
            cost.requests += 1
            cost.sent_bytes += 0 if response.streaming else len(response.content)
            cost.cpu_s += used_s
        return response

    return respond


def costs(_request: HttpRequest) -> JsonResponse:
    """Return ``views``, the :class:`Cost` of every view by its name, and ``threads``, CPU seconds of living threads."""
    threads: defaultdict[str, float] = defaultdict(float)
    for thread in threading.enumerate():
        if thread.ident is not None:
            used_s = time.clock_gettime(time.pthread_getcpuclockid(thread.ident))
            threads[thread.name.rstrip("0123456789").rstrip("_-")] += used_s
    with _LOCK:
        return JsonResponse({"views": {view: asdict(cost) for view, cost in _COSTS.items()}, "threads": threads})
