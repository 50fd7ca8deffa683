"""Who waits in this process, and for what; one subscription to Redis says when to look again.

A hint (``ladder.live.notify``) may be lost, and says nothing by itself: whoever is touched by it reads the rows.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from itertools import count
from typing import Any, Final
from uuid import UUID
from weakref import WeakKeyDictionary

import structlog
from django.conf import settings

from esr_platform.accounts.browsers import Browser
from esr_platform.api.live import threads
from esr_platform.api.live.crowd import Crowd
from esr_platform.api.live.present import Presence
from esr_platform.api.live.shutting_down import on_shutdown
from esr_platform.api.live.subscribing import listen
from esr_platform.api.live.viewers import Viewers
from esr_platform.api.problems import Refusal
from esr_platform.api.throttling import STRANGER

log = structlog.get_logger(__name__)

NEWER: Final = "this table is open in newer windows"

COME_AGAIN_S: Final = 5
"""When to ask again after too many have asked at once."""


LOBBY: Final = "lobby"

_NUMBERS: Final = count()

_AT_TABLES: Final = ("moved", "decide", "stream", "chat", "seats")
"""What may be told of without anything being on offer, or begun, that was not before."""


class Watch:
    """One client that waits. ``bot`` is whom it waits for, ``match`` the only game that matters to it.

    ``touched`` is told of each match that may have changed, or of ``None``: everything. ``stream`` and ``token`` are
    those of a bot's stream, which ends when they no longer count; ``behind`` says which of the games that its bot plays
    it does not know as they are. ``browser`` is whose session it hangs on, ``seat`` where they sit at the match.
    ``place`` is ``LOBBY`` for what is on offer. ``number`` grows from each to the next.
    """

    def __init__(
        self,
        touched: Callable[[int | None], None],
        *,
        bot: int | None = None,
        match: int | None = None,
        token: int | None = None,
        stream: UUID | None = None,
        behind: Callable[[Mapping[int, int]], Iterable[int]] | None = None,
        browser: Browser | None = None,
        seat: int | None = None,
        place: str | None = None,
    ) -> None:
        self.touched, self.bot, self.match, self.token, self.stream = touched, bot, match, token, stream
        self.behind, self.browser, self.seat, self.place = behind, browser, seat, place
        self.number = next(_NUMBERS)
        self.ended = asyncio.Event()
        self.reason = ""

    def end(self, reason: str = "") -> None:
        """Have the client leave; ``reason`` is for it, and there is none where it is welcome to come again at once."""
        self.reason = self.reason or reason
        self.ended.set()
        self.touched(None)


class Hub:
    """All who wait in this process. It lives on the event loop; nothing of it is touched from another thread."""

    def __init__(self) -> None:
        self._by_bot: defaultdict[int, set[Watch]] = defaultdict(set)
        self._by_match: defaultdict[int, set[Watch]] = defaultdict(set)
        self._by_place: defaultdict[str, set[Watch]] = defaultdict(set)
        self._waiting = Crowd()
        self._closing = False
        self._tasks: set[asyncio.Task[None]] = set()
        self.presence = Presence(self)
        self.viewers = Viewers()
        self.run(listen(self.hear, self._touch_all))
        self.run(self.presence.keep())
        self.run(self.presence.beat())
        self.run(self.viewers.keep())
        on_shutdown(self.close)

    def run(self, coroutine: Any) -> None:
        """Let something go on in the background for as long as the process lives."""
        with threads.shared():
            task = asyncio.get_running_loop().create_task(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    @property
    def watches(self) -> set[Watch]:
        """Everybody who waits now."""
        groups: tuple[Mapping[Any, set[Watch]], ...] = (self._by_bot, self._by_match, self._by_place)
        return {watch for group in groups for some in group.values() for watch in some}

    @property
    def streams(self) -> list[Watch]:
        """The streams of bots that are open in this process."""
        return [watch for some in self._by_bot.values() for watch in some if watch.stream is not None]

    @property
    def sitting(self) -> list[Watch]:
        """The streams of people at tables that are open in this process."""
        return [watch for some in self._by_match.values() for watch in some if watch.seat is not None]

    @property
    def in_lobby(self) -> list[Watch]:
        """The streams of what is on offer that are open in this process."""
        return list(self._by_place.get(LOBBY, ()))

    @property
    def bots(self) -> list[int]:
        """Who holds a stream open or waits for a decision here."""
        return [bot for bot, some in self._by_bot.items() if some]

    def make_room(self, match: int, seat: int, most: int) -> None:
        """End the oldest streams of a seat until fewer than ``most`` are open: a window that is gone may seem open."""
        streams = [watch for watch in self._by_match.get(match, ()) if watch.seat == seat and not watch.ended.is_set()]
        for watch in sorted(streams, key=lambda watch: watch.number)[: max(0, len(streams) + 1 - most)]:
            watch.end(NEWER)

    def require_room(self, who: str) -> None:
        """Raises ``Refusal`` where ``who``, or everybody together, waits for too much already.

        Strangers have half of the room: however many addresses there are, bots find theirs.
        """
        if self._waiting.of(who) >= settings.WAITING_AT_ONCE:
            sentence = f"{settings.WAITING_AT_ONCE} of your requests wait for something already. Close one of them."
            raise Refusal(HTTPStatus.TOO_MANY_REQUESTS, "too_many_waiting", sentence, COME_AGAIN_S)
        crowded = who.startswith(STRANGER) and 2 * self._waiting.strangers >= settings.WAITING_A_PROCESS
        if crowded or self._waiting.total >= settings.WAITING_A_PROCESS:
            sentence = "Too many wait for something here. Come again in a moment."
            raise Refusal(HTTPStatus.SERVICE_UNAVAILABLE, "too_many_waiting", sentence, COME_AGAIN_S)

    @contextmanager
    def watching(self, watch: Watch, who: str) -> Iterator[Watch]:
        """Have ``watch`` wait; ``who`` is counted for it."""
        with self._waiting.counted(who), self.listening(watch):
            yield watch

    @contextmanager
    def listening(self, watch: Watch) -> Iterator[Watch]:
        """The same for what waits in the name of others, who are counted."""
        groups = [(group, key) for group, key in self._places(watch) if key is not None]
        for group, key in groups:
            group[key].add(watch)
        if self._closing:
            watch.end()
        try:
            yield watch
        finally:
            for group, key in groups:
                group[key].discard(watch)
                if not group[key]:
                    del group[key]

    def hear(self, hint: Mapping[str, Any]) -> None:
        """Act on a hint, when what it tells of may be shown."""
        delay_s, bots = float(hint.get("in_ms") or 0) / 1000, hint.get("bots", ())
        if hint.get("what") not in _AT_TABLES:
            for watch in self.in_lobby:
                watch.touched(None)
        if hint.get("what") == "stream":
            self.run(self.presence.compare(bots))
        elif delay_s > 0:
            asyncio.get_running_loop().call_later(delay_s, self._touch, hint.get("match"), bots)
        else:
            self._touch(hint.get("match"), bots)

    def close(self) -> None:
        """End everything that waits, and what still comes: the process is about to stop."""
        self._closing = True
        for watch in self.watches:
            watch.end()

    def _places(self, watch: Watch) -> Iterable[tuple[defaultdict[Any, set[Watch]], int | str | None]]:
        return (self._by_bot, watch.bot), (self._by_match, watch.match), (self._by_place, watch.place)

    def _touch(self, match: int | None, bots: Iterable[int]) -> None:
        told = {watch for bot in bots for watch in self._by_bot.get(bot, ()) if watch.match in (None, match)}
        if match is not None:
            told |= self._by_match.get(match, set())
        for watch in told:
            watch.touched(match)

    def _touch_all(self) -> None:
        for watch in self.watches:
            watch.touched(None)


_hubs: WeakKeyDictionary[asyncio.AbstractEventLoop, Hub] = WeakKeyDictionary()


def hub() -> Hub:
    """The hub of this process; it begins to listen when it is asked for first."""
    loop = asyncio.get_running_loop()
    found = _hubs.get(loop)
    if found is None:
        found = _hubs[loop] = Hub()
    return found
