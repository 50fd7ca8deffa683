"""Admission of page requests: a bounded number runs at a time, and answers of players go first."""

from __future__ import annotations

import asyncio
from collections import deque
from http import HTTPStatus
from math import inf
from typing import Final

from django.conf import settings
from django.db import connections

from esr_platform.accounts.limits import address
from esr_platform.api.streams.threads import READERS, WRITERS
from esr_platform.bodies import Application, Message, Receive, RequestRefused, Send
from esr_platform.overload import ANSWERS, CODE, RETRY_S, SENTENCE, Answers, count_refusal

PATIENCE_S: Final = 10.0
"""How long a request waits for its turn."""

PAUSE_SHARE: Final = 3.0
"""While answers of players go first, each page is followed by a pause of three times its duration.

So pages then use a quarter of the time, on fast and slow machines, and answers cannot block all pages.
"""

MOST_PAUSE_S: Final = 2.0

MOST_WAITING: Final = 512
"""Requests that wait at the same time: 60 browsers with six connections each, and some more."""

CONNECTION_S: Final = 1.0
"""How long a request waits for a connection to the database."""

SPARE_CONNECTIONS: Final = 2
"""Connections for downloads, whose pieces are read while they are sent."""


def reserve_connections() -> None:
    """Give each page and each thread of live games of this process a connection to PostgreSQL.

    Call it before the first query. Answers of players then never wait for the connection of a page.
    """
    options = connections.settings["default"].get("OPTIONS", {})
    if "pool" in options:
        most = READERS + WRITERS + settings.MAX_PAGES_AT_ONCE + SPARE_CONNECTIONS
        options["pool"] = {**options["pool"], "max_size": most, "timeout": CONNECTION_S}


PLAY: Final = "/play/"
"""Pages of tables and of the lobby, where people come to play. They have half of the turns."""

Queue = dict[str, deque["_Page"]]
"""Waiting requests by the address of their client. The first address has the next turn."""


class _Page:
    """A page request of ``client`` in ``queue``. Its ``turn`` is done when it begins or is refused."""

    def __init__(self, client: str, queue: Queue) -> None:
        self.client, self.queue = client, queue
        self.runs = False
        self.began_s = 0.0
        self.turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()


class BoundedPages:
    """An ASGI application that runs at most ``settings.MAX_PAGES_AT_ONCE`` requests of ``application`` at a time.

    A request begins when its body has arrived and ends when its response begins, so slow clients occupy no place.
    While ``answers`` go first, one request runs at a time, followed by a pause of ``pause_share`` times its duration,
    but at most ``most_pause_s``. Waiting requests get their turn address by address, so one address cannot delay all
    others. If both wait, pages to play (``PLAY``) and other pages take turns. A request is refused with status 503
    after ``patience_s``. If ``most_waiting`` requests wait, the newest one of the address with the most is refused.
    """

    def __init__(
        self,
        application: Application,
        answers: Answers = ANSWERS,
        most_waiting: int = MOST_WAITING,
        patience_s: float = PATIENCE_S,
        pause_share: float = PAUSE_SHARE,
        most_pause_s: float = MOST_PAUSE_S,
    ) -> None:
        self._application = application
        self._most_waiting, self._patience_s = most_waiting, patience_s
        self._pause_share, self._most_pause_s = pause_share, most_pause_s
        self._timer: asyncio.TimerHandle | None = None
        self._pause_ends_s = -inf
        self._running = 0
        self._answers = answers
        answers.on_end = self._begin_next
        self._queues: list[Queue] = [{}, {}]
        """Pages to play and other pages; the one with the next turn first."""
        self._play, self._other = self._queues

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return
        queue = self._play if scope["path"].startswith(PLAY) else self._other
        page, complete = _Page(address({"REMOTE_ADDR": (scope.get("client") or [""])[0]}), queue), False

        async def received() -> Message:
            nonlocal complete
            message = await receive()
            if not complete and message["type"] == "http.request" and not message.get("more_body", False):
                complete = True
                if not await self._is_admitted(page, receive):
                    return {"type": "http.disconnect"}
            return message

        async def sending(message: Message) -> None:
            self._end(page)
            await send(message)

        try:
            await self._application(scope, received, sending)
        finally:
            self._end(page)

    async def _is_admitted(self, page: _Page, receive: Receive) -> bool:
        """Wait for the turn of ``page``. Returns false if the client disconnects. Raises ``RequestRefused``."""
        page.queue.setdefault(page.client, deque()).append(page)
        self._begin_next()
        if not page.turn.done():
            waiting = [*self._play.values(), *self._other.values()]
            if sum(map(len, waiting)) > self._most_waiting:
                self._refuse(max(waiting, key=len)[-1])
        if not page.turn.done():
            disconnected = asyncio.ensure_future(receive())
            either = (page.turn, disconnected)
            try:
                await asyncio.wait(either, timeout=self._patience_s, return_when=asyncio.FIRST_COMPLETED)
            finally:
                disconnected.cancel()
            if not any(future.done() for future in either):
                self._refuse(page)
        if page.turn.done():
            page.turn.result()
        return page.runs

    def _begin_next(self) -> None:
        """Begin the waiting requests that may begin now, each of another address."""
        while any(self._queues) and self._running < settings.MAX_PAGES_AT_ONCE:
            loop = asyncio.get_running_loop()
            if self._answers.go_first:
                if self._timer is not None:
                    self._timer.cancel()
                if self._running:
                    return
                if loop.time() < self._pause_ends_s:
                    self._timer = loop.call_at(self._pause_ends_s, self._begin_next)
                    return
            queue = self._queues[0] or self._queues[1]
            if queue is self._queues[0]:
                self._queues.reverse()
            client, pages = next(iter(queue.items()))
            page = pages.popleft()
            del queue[client]
            if pages:
                queue[client] = pages  # the last in the rotation
            page.runs, page.began_s = True, loop.time()
            page.turn.set_result(None)
            self._running += 1

    def _refuse(self, page: _Page) -> None:
        self._forget(page)
        count_refusal("pages")
        refusal = RequestRefused(HTTPStatus.SERVICE_UNAVAILABLE, CODE, "Temporarily unavailable", SENTENCE, RETRY_S)
        page.turn.set_exception(refusal)

    def _end(self, page: _Page) -> None:
        """Free the place of ``page``, or the one for which it waits. Does nothing if it has none."""
        if page.runs:
            page.runs = False
            self._running -= 1
            now_s = asyncio.get_running_loop().time()
            self._pause_ends_s = now_s + min(self._pause_share * (now_s - page.began_s), self._most_pause_s)
            self._begin_next()
        else:
            self._forget(page)

    def _forget(self, page: _Page) -> None:
        pages = page.queue.get(page.client)
        if pages is None or page not in pages:
            return
        pages.remove(page)
        if not pages:
            del page.queue[page.client]
