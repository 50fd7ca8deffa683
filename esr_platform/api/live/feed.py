"""What is public of a game, looked up once for all who watch it here.

What everybody may see moves by rounds, and a game by moves: those who watch are woken when there is something to see,
and not for every move.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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

AGAIN_S: Final = 1.0
"""So long after a look that has failed the next one is tried."""


class Feed:
    """One game as it is watched here. ``before`` is how much somebody was told who is to be told ``news`` next.

    Who comes new is told the whole of it, which is kept until there is more.
    """

    def __init__(self, match: int) -> None:
        self._match = match
        self._wakes: set[Callable[[], None]] = set()
        self._touched = asyncio.Event()
        self._encoded: dict[tuple[bool, type[JSONLines]], bytes] = {}
        self._whole: PublicNews | None = None
        self.before = Watched()
        self.news = PublicNews(self.before)

    async def after(self, watched: Watched) -> PublicNews:
        """What follows for who was told so much; nobody is asked for what the last look has found."""
        if watched == self.news.watched and not self.news.over:
            return PublicNews(watched)
        if watched == self.before:
            return self.news
        if watched != Watched():
            return await NEWS.look(self._match, watched)
        if self._whole is None:
            found = await NEWS.look(self._match, watched)
            if found.watched != self.news.watched:
                return found  # this feed is behind it, or has gone on
            self._whole = found
        return self._whole

    def pieces(self, news: PublicNews, framing: JSONLines) -> bytes:
        """``news`` as it is sent; of what goes to many the bytes are made once."""
        if news is not self.news and news is not self._whole:
            return _encoded(news, framing)
        key = news is self.news, type(framing)
        if key not in self._encoded:
            self._encoded[key] = _encoded(news, framing)
        return self._encoded[key]

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
        """Look whenever the game has moved, and by the clock, for a hint may be lost, until the game has ended."""
        while not self.news.over:
            self._touched.clear()
            try:
                found = await NEWS.look(self._match, self.news.watched)
            except Exception:  # the border of the task: those who watch wait for the next look
                log.exception("game_not_looked_at", match=self._match)
                await asyncio.sleep(AGAIN_S)
                continue
            if found.events or found.over:
                self.before, self.news = self.news.watched, found
                self._whole, self._encoded = None, {}
                for wake in tuple(self._wakes):
                    wake()
            if not found.over:
                await rest(self._touched, KEEP_ALIVE_S)


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


def _encoded(news: PublicNews, framing: JSONLines) -> bytes:
    return b"".join(framing.event(event, news.watched.entries) for event in news.events)
