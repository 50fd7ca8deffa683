"""The stream of the lobby."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Final
from weakref import WeakKeyDictionary

from django.db.models import Q
from django.urls import reverse
from rest_framework.permissions import AllowAny
from rest_framework.request import Request

from esr_platform.accounts.sessions import Browser
from esr_platform.api.streams.browser import BrowserAuthentication
from esr_platform.api.streams.hub import Hub, hub
from esr_platform.api.streams.parts import Encoded, language_of, render
from esr_platform.api.streams.stream import (
    CROWD_KEEP_ALIVE_S,
    FRAMINGS,
    KEEP_ALIVE_S,
    Batch,
    JSONLines,
    Source,
    StreamView,
)
from esr_platform.api.streams.subscriptions import LOBBY
from esr_platform.api.streams.threads import Coalescer
from games.rules import Document
from ladder.live.person_view import json_hash
from ladder.matchmaking.lobby import Lobby, live_seats_at_tables, read_lobby, waits_for
from ladder.models import LiveSeat, Proposal

# --- Events ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class InLobby:
    """A visitor, and what their stream has sent: ``offers`` is a hash, ``None`` before the first event.

    ``guest`` is the hash of a guest's secret.
    ``games`` are their running games, ``asked`` the challenges that they have to answer.
    """

    user_id: int | None = None
    guest: str | None = None
    offers: str | None = None
    games: frozenset[int] = frozenset()
    asked: frozenset[int] = frozenset()


@dataclass(frozen=True)
class LobbyNews:
    """The events to send, and the state after them."""

    known: InLobby
    events: list[Document] = field(default_factory=list)

    @cached_property
    def encoded(self) -> Encoded:
        """The events for all visitors without account and game, who all see the same."""
        return Encoded(self.events, parts=partial(render, "lobby"))


def lobby_news(_: int, asks: list[InLobby]) -> list[LobbyNews]:
    """The news for all these visitors, the same object for those who know and see the same; nine queries in total."""
    people = {ask.user_id for ask in asks if ask.user_id is not None}
    guests = {ask.guest for ask in asks if ask.guest is not None}
    lobby, playing, guests_playing = read_lobby(people), _playing(people), _guests_playing(guests)
    none: dict[int, bool] = {}
    news = {
        ask: _news(lobby, playing.get(ask.user_id or 0, none) if ask.guest is None else guests_playing[ask.guest], ask)
        for ask in set(asks)
    }
    return [news[ask] for ask in asks]


def _news(lobby: Lobby, playing: Mapping[int, bool], ask: InLobby) -> LobbyNews:
    user = ask.user_id
    events: list[Document] = []
    offers = [_game(game) for game in lobby.open_games(user)]
    looking = {search.slug: search.people for search in lobby.searching(user)}
    challenges = lobby.challenges_of(user) if user is not None else []
    asked = {challenge.pk: _challenge(challenge) for challenge in challenges if waits_for(challenge, user or 0)}
    games = frozenset(playing)
    # A stream that opens tells only of games that the person has not come to yet: they may have begun meanwhile.
    new = sorted(match for match in games - ask.games if ask.offers is not None or playing[match])
    events += [{"type": "game", "game": match, "href": reverse("pages:live_table", args=[match])} for match in new]
    if ask.offers is not None:
        events += [{"type": "challenge", "challenge": asked[pk]} for pk in sorted(asked.keys() - ask.asked)]
    answers = [[challenge.pk, *(player.accepted for player in challenge.players.all())] for challenge in challenges]
    printed = json_hash([offers, looking, sorted(games), answers])
    if printed != ask.offers:
        events.append({"type": "lobby", "offers": offers, "looking": looking})
    return LobbyNews(replace(ask, offers=printed, games=games, asked=frozenset(asked)), events)


def _game(game: Proposal) -> Document:
    players = [player.bot.name for player in game.players.all()]
    return {
        "id": game.pk,
        "ladder": game.ladder.slug,
        "game": game.ladder.game,
        "seats": game.ladder.seats,
        "free": game.ladder.seats - len(players),
        "rated": game.rated,
        "clock": game.clock,
        "by": game.by_name,
        "players": players,
    }


def _challenge(made: Proposal) -> Document:
    return {"id": made.pk, "by": made.by_name, "ladder": made.ladder.slug}


def _playing(people: Collection[int]) -> Mapping[int, Mapping[int, bool]]:
    """By person, their running games and whether they have not opened them yet."""
    matches: defaultdict[int, dict[int, bool]] = defaultdict(dict)
    live_seats = live_seats_at_tables(Q(seat__version__bot__owner__in=people)).filter(kind=LiveSeat.Kind.PERSON)
    for person, match, new in live_seats.values_list("seat__version__bot__owner", "table", "new") if people else ():
        matches[person][match] = new
    return matches


def _guests_playing(guests: Collection[str]) -> Mapping[str, Mapping[int, bool]]:
    """The same of guests, by the hashes of their secrets."""
    matches: dict[str, dict[int, bool]] = {guest: {} for guest in guests}
    live_seats = live_seats_at_tables(Q(guest__in=guests)).filter(kind=LiveSeat.Kind.PERSON)
    for guest, match, new in live_seats.values_list("guest", "table", "new") if guests else ():
        matches[guest][match] = new
    return matches


# --- The stream ------------------------------------------------------------------------------------------------------

APART_S: Final = 0.4
EVENTS: Final = Coalescer(lobby_news, apart_s=APART_S)
"""New events, read once for all visitors of the lobby, at most every ``APART_S``."""


class StrangersLobby:
    """The lobby as all visitors without account and game see it, read once for all of them in this process.

    ``touches`` counts hints. The lobby is read again after one, and at regular intervals in case a hint was lost.
    """

    def __init__(self) -> None:
        self._news = LobbyNews(InLobby())
        self._read_at, self._read_for = float("-inf"), 0
        self.touches = 0

    async def newest(self) -> LobbyNews:
        """Return the last event and the state after it. Raises database errors."""
        now, touches = asyncio.get_running_loop().time(), self.touches
        if touches > self._read_for or now > self._read_at + KEEP_ALIVE_S:
            news = await EVENTS.fetch(0, self._news.known)
            if touches >= self._read_for and news.known != self._news.known:  # a read that began later may end sooner
                self._news = news
            self._read_at, self._read_for = max(now, self._read_at), max(touches, self._read_for)
        return self._news


_strangers: WeakKeyDictionary[Hub, StrangersLobby] = WeakKeyDictionary()


class StrangerSource(Source):
    """The lobby for a visitor without account and game, with the parts of its page in ``language`` unless it is empty.

    Each event contains the whole lobby, so a stream that is late skips events.
    """

    keep_alive_s = CROWD_KEEP_ALIVE_S

    def __init__(self, language: str) -> None:
        super().__init__([LOBBY])
        self._language, self._sent = language, InLobby()
        self._lobby = _strangers.setdefault(hub(), StrangersLobby())

    def touched(self, match: int | None) -> bool:  # noqa: ARG002
        self._lobby.touches += 1
        return True

    async def look(self, framing: JSONLines) -> Batch:
        if self._sent.offers is None:
            self._lobby.touches += 1  # no hint was counted while there were no visitors
        news = await self._lobby.newest()
        if news.known == self._sent:
            return Batch()
        self._sent = news.known
        return Batch(await news.encoded.pieces(framing, self._language))


class LobbySource(Source):
    """The lobby as one person, or a guest with a game, sees it."""

    keep_alive_s = CROWD_KEEP_ALIVE_S

    def __init__(self, browser: Browser) -> None:
        super().__init__([LOBBY])
        self.browser: Browser = browser
        self._known = InLobby(browser.user_id, browser.guest_hash)

    async def look(self, framing: JSONLines) -> Batch:
        news = await EVENTS.fetch(0, self._known)
        self._known = news.known
        return Batch(b"".join(map(framing.event, news.events)))


class LobbyStreamView(StreamView):
    """At ``/api/v1/lobby/stream``."""

    authentication_classes = [BrowserAuthentication]
    permission_classes = [AllowAny]
    admission = "audience"
    renderer_classes = [*FRAMINGS[::-1]]

    async def source(self, request: Request, who: str) -> Source:  # type: ignore[override]  # noqa: ARG002
        language, browser = language_of(request), request.auth
        if isinstance(browser, Browser) and (browser.user is not None or browser.guest is not None):
            return LobbySource(browser)
        return StrangerSource(language)
