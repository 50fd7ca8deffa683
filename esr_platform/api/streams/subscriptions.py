"""The clients that wait in this process: what each waits for, and how many may wait."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from itertools import count
from typing import Final, Literal, NamedTuple
from uuid import UUID

from django.conf import settings

from esr_platform.accounts.sessions import Browser
from esr_platform.api.authentication import STRANGER
from esr_platform.api.http import Refusal
from esr_platform.api.streams.viewers import ConnectionCounter

NEWER: Final = "the game is open in too many windows"

COME_AGAIN_S: Final = 5
"""``Retry-After`` of a request that was refused because too many wait."""

Kind = Literal["bot", "match", "seat", "lobby"]


class Topic(NamedTuple):
    """What a client waits for: a bot by id, a match by id, a seat of a match, or the lobby."""

    kind: Kind
    number: int = 0
    seat: int = 0


LOBBY: Final = Topic("lobby")


@dataclass(frozen=True)
class BotClaim:
    """What keeps the stream of a bot open: it is the newest stream of the bot, and the token is valid.

    ``behind`` gets the open decision, or 0, of each running match of the bot and returns the matches of which the
    stream has not sent everything.
    """

    bot: int
    token: int
    stream: UUID
    behind: Callable[[Mapping[int, int]], Iterable[int]]


_NUMBERS: Final = count()


class Subscription:
    """One client that waits for ``topics``.

    ``on_touch`` is called with each match that may have changed, or with ``None`` if anything may have changed.
    The subscription ends with the session of ``browser`` or with ``claim``. ``number`` grows from each to the next.
    """

    def __init__(
        self,
        topics: Sequence[Topic],
        on_touch: Callable[[int | None], None],
        *,
        browser: Browser | None = None,
        claim: BotClaim | None = None,
    ) -> None:
        self.topics, self.touch, self.browser, self.claim = topics, on_touch, browser, claim
        self.number = next(_NUMBERS)
        self.ended = asyncio.Event()
        self.reason = ""

    def end(self, reason: str = "") -> None:
        """Disconnect the client. ``reason`` is sent to it; without one it may reconnect at once."""
        self.reason = self.reason or reason
        self.ended.set()
        self.touch(None)


class Subscriptions:
    """All subscriptions of this process, by topic. Use it on the event loop only."""

    def __init__(self) -> None:
        self._by_topic: defaultdict[Topic, set[Subscription]] = defaultdict(set)
        self._counter = ConnectionCounter()
        self._closing = False

    def of(self, *topics: Topic) -> set[Subscription]:
        """The subscriptions to at least one of ``topics``."""
        return {one for topic in topics for one in self._by_topic.get(topic, ())}

    def of_kind(self, kind: Kind) -> list[tuple[Topic, Subscription]]:
        """The subscriptions to topics of a kind, with the topic."""
        return [(topic, one) for topic, some in self._by_topic.items() if topic.kind == kind for one in some]

    @property
    def bots(self) -> list[int]:
        """The bots that hold a stream open or wait for a decision here."""
        return [topic.number for topic in self._by_topic if topic.kind == "bot"]

    def make_room(self, topic: Topic, most: int) -> None:
        """End the oldest subscriptions to ``topic`` until fewer than ``most`` are open. A closed one may seem open."""
        open_ones = [one for one in self.of(topic) if not one.ended.is_set()]
        for one in sorted(open_ones, key=lambda one: one.number)[: max(0, len(open_ones) + 1 - most)]:
            one.end(NEWER)

    def require_room(self, who: str) -> None:
        """Raise ``Refusal`` (429 or 503) if ``who``, or all clients together, wait for too much already.

        Strangers have half of the room, so that bots find room however many addresses strangers have.
        """
        if self._counter.count(who) >= settings.MAX_STREAMS_PER_CLIENT:
            sentence = (
                f"{settings.MAX_STREAMS_PER_CLIENT} of your requests wait for something already. Close one of them."
            )
            raise Refusal(HTTPStatus.TOO_MANY_REQUESTS, "too_many_waiting", sentence, COME_AGAIN_S)
        crowded = who.startswith(STRANGER) and 2 * self._counter.strangers >= settings.MAX_STREAMS_PER_PROCESS
        if crowded or self._counter.total >= settings.MAX_STREAMS_PER_PROCESS:
            sentence = "Too many wait for something here. Come again in a moment."
            raise Refusal(HTTPStatus.SERVICE_UNAVAILABLE, "too_many_waiting", sentence, COME_AGAIN_S)

    @contextmanager
    def subscribed(self, subscription: Subscription, who: str | None = None) -> Iterator[None]:
        """Register ``subscription``. ``who`` is counted for it; ``None`` if it waits for others, who are counted."""
        if who is not None:
            with self._counter.track(who), self.subscribed(subscription):
                yield
            return
        for topic in subscription.topics:
            self._by_topic[topic].add(subscription)
        if self._closing:
            subscription.end()
        try:
            yield
        finally:
            for topic in subscription.topics:
                self._by_topic[topic].discard(subscription)
                if not self._by_topic[topic]:
                    del self._by_topic[topic]

    def touch_all(self) -> None:
        """Let every client look again."""
        for one in self.of(*self._by_topic):
            one.touch(None)

    def close(self) -> None:
        """End all subscriptions, and those that still come: the process is about to stop."""
        self._closing = True
        for one in self.of(*self._by_topic):
            one.end()
