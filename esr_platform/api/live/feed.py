"""What is public of a game, looked up once for all who watch it here.

What everybody may see moves by rounds, and a game by moves: those who watch are woken when there is something to see,
and not for every move.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Final
from weakref import WeakKeyDictionary

import structlog

from esr_platform.api.live.framing import KEEP_ALIVE_S, JSONLines
from esr_platform.api.live.hub import Hub, Watch, hub
from esr_platform.api.live.public_news import PublicNews, Watched, public_news
from esr_platform.api.live.resting import rest
from esr_platform.api.live.sharing import Shared

log = structlog.get_logger(__name__)

NEWS: Final = Shared(public_news)
"""What is new to see, looked up once for all who ask at the same time."""

_ARRIVALS: Final = Shared(public_news, apart_s=0.05)
"""The same for those who come, who are often many: all of a moment are one look."""

AGAIN_S: Final = 1.0
"""So long after a look that has failed the next one is tried."""

MOST_FAILURES: Final = 5

MOST_KEPT: Final = 16
"""For so many places at which somebody goes on, what follows is kept."""


class Told:
    """What follows for all who were told the same; its bytes are made once."""

    def __init__(self, news: PublicNews) -> None:
        self.news = news
        self._encoded: dict[type[JSONLines], bytes] = {}

    def pieces(self, framing: JSONLines) -> bytes:
        """It as it is sent."""
        kind = type(framing)
        if kind not in self._encoded:
            place = self.news.watched.entries
            self._encoded[kind] = b"".join(framing.event(event, place) for event in self.news.events)
        return self._encoded[kind]


class Feed:
    """One game as it is watched here.

    ``_next`` has what follows for those who were told so much, until there is more: for all who were up to date before
    the last news, and for those who come, new or from where they were.
    """

    def __init__(self, match: int) -> None:
        self._match = match
        self._wakes: set[Callable[[], None]] = set()
        self._touched = asyncio.Event()
        self._next: dict[Watched, Told] = {}
        self._news = PublicNews(Watched())

    async def after(self, watched: Watched) -> Told:
        """What follows for who was told so much. Raises what looking raises."""
        if watched == self._news.watched and not self._news.over:
            return Told(PublicNews(watched))
        if watched in self._next:
            return self._next[watched]
        found = await _ARRIVALS.look(self._match, watched)
        told = Told(replace(found, over=found.over or self._news.over))  # this feed looks no more
        if told.news.watched == self._news.watched and len(self._next) < MOST_KEPT:
            self._next[watched] = told  # else this feed is behind it, or has gone on
        return told

    def touch(self) -> None:
        """Something may have happened."""
        self._touched.set()

    @contextmanager
    def waking(self, wake: Callable[[], None]) -> Iterator[None]:
        """Call ``wake`` whenever there is something new to see."""
        self._wakes.add(wake)
        try:
            yield
        finally:
            self._wakes.discard(wake)

    @property
    def needed(self) -> bool:
        """Whether anybody is left to be woken."""
        return bool(self._wakes)

    async def follow(self) -> None:
        """Look whenever the game has moved, and by the clock, for a hint may be lost, until the game has ended.

        Where looking fails again and again all who watch are let go: they come again, to another process perhaps.
        """
        failed = 0
        while not self._news.over:
            self._touched.clear()
            try:
                found = await NEWS.look(self._match, self._news.watched)
            except Exception as error:  # the border of the task: those who watch wait for the next look
                failed += 1
                log.warning("game_not_looked_at", match=self._match, error=repr(error))
                if failed == MOST_FAILURES:
                    self._tell(PublicNews(self._news.watched, over=True))
                else:
                    await asyncio.sleep(AGAIN_S)
                continue
            failed = 0
            if found.events or found.over:
                self._tell(found)
            if not found.over:
                await rest(self._touched, KEEP_ALIVE_S)

    def _tell(self, news: PublicNews) -> None:
        before, self._news = self._news.watched, news
        self._next = {before: Told(news)}
        for wake in tuple(self._wakes):
            wake()


_feeds: WeakKeyDictionary[Hub, dict[int, tuple[Feed, asyncio.Task[None]]]] = WeakKeyDictionary()


@contextmanager
def following(match: int, wake: Callable[[], None]) -> Iterator[Feed]:
    """The feed of a game, which looks as long as anybody here follows it."""
    feeds = _feeds.setdefault(hub(), {})
    if match not in feeds:
        made = Feed(match)
        feeds[match] = made, asyncio.get_running_loop().create_task(_follow(made, match))
    feed, task = feeds[match]
    try:
        with feed.waking(wake):
            yield feed
    finally:
        if not feed.needed:
            del feeds[match]
            task.cancel()


async def _follow(feed: Feed, match: int) -> None:
    with hub().listening(Watch(lambda _: feed.touch(), match=match)):
        await feed.follow()
