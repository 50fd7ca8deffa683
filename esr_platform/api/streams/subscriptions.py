"""The waiting clients of this process, their topics and their limits."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from itertools import count
from typing import Any, Final, Literal, NamedTuple
from uuid import UUID

from django.conf import settings

from esr_platform.accounts.sessions import Browser
from esr_platform.api.authentication import STRANGER
from esr_platform.api.http import Refusal
from esr_platform.api.streams.viewers import ConnectionCounter

NEWER: Final = "the game is open in too many windows"

COME_AGAIN_S: Final = 5
"""``Retry-After`` of a request that was refused because too many wait."""

Kind = Literal["bot", "match", "seat", "lobby", "work"]


class Topic(NamedTuple):
    """A subject that clients subscribe to: a bot or a match by id, a seat of a match, the lobby, or work for hosts."""

    kind: Kind
    number: int = 0
    seat: int = 0


LOBBY: Final = Topic("lobby")
WORK: Final = Topic("work")
"""Of long polls of worker hosts, for which no hints arrive: they look at the queue themselves."""


@dataclass(frozen=True)
class BotClaim:
    """The right of a bot's stream to stay open: it is the newest stream of the bot, and its token is valid.

    ``behind`` gets the open decision, or 0, of each running match of the bot. It returns the matches with events that
    the stream has not sent.
    """

    bot: int
    token: int
    stream: UUID
    behind: Callable[[Mapping[int, int]], Iterable[int]]


_NUMBERS: Final = count()


class Subscription:
    """A client that waits for ``topics``.

    ``on_touch`` is called with each match that may have changed, or with ``None`` if anything may have changed.
    ``on_change`` is called instead with a change that was published with its events (``ladder.live.publish``).
    The subscription ends with the session of ``browser`` or with ``claim``. Newer subscriptions have higher numbers.
    """

    def __init__(
        self,
        topics: Sequence[Topic],
        on_touch: Callable[[int | None], None],
        *,
        on_change: Callable[[Mapping[str, Any]], None] | None = None,
        browser: Browser | None = None,
        claim: BotClaim | None = None,
    ) -> None:
        self.topics, self.touch, self.browser, self.claim = topics, on_touch, browser, claim
        self.on_change = on_change
        self.number = next(_NUMBERS)
        self.ended = False
        self.reason = ""

    def end(self, reason: str = "") -> None:
        """Disconnect the client. With a ``reason``, which is sent to it, it must not reconnect."""
        self.reason = self.reason or reason
        self.ended = True
        self.touch(None)


class Subscriptions:
    """All subscriptions of this process, by topic. Use it on the event loop only."""

    def __init__(self) -> None:
        self._by_topic: defaultdict[Topic, set[Subscription]] = defaultdict(set)
        self._counter = ConnectionCounter()
        self._closing = False

    def of(self, *topics: Topic) -> set[Subscription]:
        """Return the subscriptions to at least one of ``topics``."""
        return {subscription for topic in topics for subscription in self._by_topic.get(topic, ())}

    def of_kind(self, kind: Kind) -> list[tuple[Topic, Subscription]]:
        """Return all subscriptions to topics of a kind, with the topic."""
        return [
            (topic, subscription)
            for topic, subscriptions in self._by_topic.items()
            if topic.kind == kind
            for subscription in subscriptions
        ]

    @property
    def bots(self) -> list[int]:
        """Ids of the bots with a stream or long poll in this process."""
        return [topic.number for topic in self._by_topic if topic.kind == "bot"]

    @property
    def number(self) -> int:
        """The number of clients that wait in this process."""
        return len(self.of(*self._by_topic))

    def make_room(self, topic: Topic, most: int) -> None:
        """End the oldest subscriptions to ``topic`` until fewer than ``most`` are open."""
        open_ones = [subscription for subscription in self.of(topic) if not subscription.ended]
        for oldest in sorted(open_ones, key=lambda opened: opened.number)[: max(0, len(open_ones) + 1 - most)]:
            oldest.end(NEWER)

    def require_room(self, who: str) -> None:
        """Raise ``Refusal`` (429 or 503) if ``who``, or all clients together, have too many connections.

        Clients without a token or account share half of the capacity, so that they cannot crowd out bots.
        """
        if self._counter.count(who) >= settings.MAX_STREAMS_PER_CLIENT:
            most = settings.MAX_STREAMS_PER_CLIENT
            sentence = f"You have {most} open streams and long polls (the maximum). Close one and try again."
            raise Refusal(HTTPStatus.TOO_MANY_REQUESTS, "too_many_waiting", sentence, COME_AGAIN_S)
        crowded = who.startswith(STRANGER) and 2 * self._counter.strangers >= settings.MAX_STREAMS_PER_PROCESS
        if crowded or self._counter.total >= settings.MAX_STREAMS_PER_PROCESS:
            sentence = "The server has too many open streams. Try again in a few seconds."
            raise Refusal(HTTPStatus.SERVICE_UNAVAILABLE, "too_many_waiting", sentence, COME_AGAIN_S)

    @contextmanager
    def subscribed(self, subscription: Subscription, who: str | None = None) -> Iterator[None]:
        """Register ``subscription`` and count it for ``who``. ``None`` counts it for no client."""
        if who is not None:
            self._counter.add(who)
        for topic in subscription.topics:
            self._by_topic[topic].add(subscription)
        if self._closing:
            subscription.end()
        try:
            yield
        finally:
            if who is not None:
                self._counter.remove(who)
            for topic in subscription.topics:
                self._by_topic[topic].discard(subscription)
                if not self._by_topic[topic]:
                    del self._by_topic[topic]

    def touch_all(self) -> None:
        """Let all clients check for news."""
        for subscription in self.of(*self._by_topic):
            subscription.touch(None)

    def close(self) -> None:
        """End all current and future subscriptions, because the process is about to stop."""
        self._closing = True
        for subscription in self.of(*self._by_topic):
            subscription.end()
