"""One look at a table for all who are touched by the same move."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Generic, TypeVar

from esr_platform.api.live import threads

Ask = TypeVar("Ask")
Found = TypeVar("Found")


class Shared(Generic[Ask, Found]):
    """Collects who asks for a match until the event loop comes round again, then looks for all of them at once.

    So whoever asks is told of nothing older than the question. ``look`` gets the match and what is asked, and gives an
    answer to each; it runs on a thread for the database, on one that may write where ``writes`` says so of an ask: on
    SQLite whoever writes may have to wait, and nobody who reads is to wait for that. With ``apart_s`` looks begin so
    many seconds apart at least: whoever asks meanwhile waits.
    """

    def __init__(
        self,
        look: Callable[[int, list[Ask]], list[Found]],
        writes: Callable[[Ask], bool] = lambda _: False,
        apart_s: float = 0.0,
    ) -> None:
        self._do, self._writes, self._apart_s = look, writes, apart_s
        self._began: dict[int, float] = {}
        self._asked: dict[int, list[tuple[Ask, asyncio.Future[Found]]]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def look(self, match: int, ask: Ask) -> Found:
        """What is found for ``ask``; raises what looking raises."""
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[Found] = loop.create_future()
        if match not in self._asked:
            self._asked[match] = []
            self._when(match, partial(self._begin, match))
        self._asked[match].append((ask, answer))
        return await answer

    def _when(self, match: int, begin: Callable[[], None]) -> None:
        """Have ``begin`` called when the event loop comes round, or as soon after the look before as may be."""
        loop = asyncio.get_running_loop()
        if not self._apart_s:
            loop.call_soon(begin)
            return
        now = loop.time()
        self._began[match] = at = max(now, self._began.get(match, -self._apart_s) + self._apart_s)
        loop.call_at(at, begin)
        loop.call_at(at + self._apart_s, self._forget, match, at)

    def _forget(self, match: int, at: float) -> None:
        """Whoever guesses numbers is not kept."""
        if self._began.get(match) == at:
            del self._began[match]

    def _begin(self, match: int) -> None:
        task = asyncio.get_running_loop().create_task(self._look(match, self._asked.pop(match)))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _look(self, match: int, asked: list[tuple[Ask, asyncio.Future[Found]]]) -> None:
        asks, answers = [ask for ask, _ in asked], [answer for _, answer in asked]
        on_thread = threads.write if any(map(self._writes, asks)) else threads.read
        try:
            found = await on_thread(self._do, match, asks)
        except Exception as error:  # it is theirs who asked
            for answer in answers:
                if not answer.done():
                    answer.set_exception(error)
            return
        for answer, one in zip(answers, found, strict=True):
            if not answer.done():  # who is gone waits no more
                answer.set_result(one)
