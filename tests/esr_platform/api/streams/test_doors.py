"""A crowd that comes for streams, and somebody who sends a move meanwhile."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from django.http import HttpResponse
from django.test import RequestFactory
from rest_framework.request import Request

from esr_platform.api.streams import threads
from esr_platform.api.streams.threads import CONCURRENCY
from esr_platform.api.streams.view import LiveView

CROWD = 30


def test_a_move_does_not_wait_for_the_crowd_that_comes_for_streams() -> None:
    seen: list[str] = []

    class Asks(LiveView):
        authentication_classes = []
        permission_classes = []
        throttle_classes = []

        def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
            time.sleep(0.002)  # as long as finding out who it is takes
            seen.append(type(self).__name__)
            super().initial(request, *args, **kwargs)

        async def get(self, request: Request) -> HttpResponse:
            return HttpResponse()

    class Streams(Asks):
        admission = "audience"

    async def come() -> None:
        threads.share()
        crowd = [asyncio.create_task(Streams.as_view()(RequestFactory().get("/"))) for _ in range(CROWD)]
        await asyncio.sleep(0)
        await Asks.as_view()(RequestFactory().get("/"))
        await asyncio.gather(*crowd)

    asyncio.run(come())
    assert len(seen) == CROWD + 1
    assert seen.index("Asks") <= 2 * CONCURRENCY
