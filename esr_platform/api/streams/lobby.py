"""The stream of the lobby."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Final

import orjson
from django.db.models import Count, Prefetch, Q
from django.db.models.functions import Now
from django.urls import reverse
from rest_framework.permissions import AllowAny
from rest_framework.request import Request

from bots.models import Bot
from esr_platform.accounts.sessions import Browser
from esr_platform.api.streams.browser import BrowserAuthentication
from esr_platform.api.streams.stream import FRAMINGS, Batch, JSONLines, Source, StreamView
from esr_platform.api.streams.subscriptions import LOBBY
from esr_platform.api.streams.threads import Coalescer
from games.rules import Document
from ladder.access import private_ladders_seen_by, sees_open_game
from ladder.live.presence import NEVER_CAME
from ladder.models import Challenge, ChallengePlayer, LiveSeat, Match, Pairing, Seek, SeekPlayer

# --- Events ----------------------------------------------------------------------------------------------------------

MOST_OFFERS: Final = 40
"""So many are read of a ladder that everybody sees, and so many of private ones; the newest."""


@dataclass(frozen=True)
class InLobby:
    """Who stands there, and what they have been told: ``offers`` is a hash, ``None`` before anything was.

    ``games`` and ``asked`` are the running games at which they sit and the challenges that wait for their word.
    """

    user_id: int | None = None
    offers: str | None = None
    games: frozenset[int] = frozenset()
    asked: frozenset[int] = frozenset()


@dataclass(frozen=True)
class LobbyNews:
    """The events to be told now, and what is told with them."""

    known: InLobby
    events: list[Document] = field(default_factory=list)


@dataclass(frozen=True)
class _Seen:
    """Everything that there is to be told, read once for all."""

    offers: Sequence[tuple[Seek, Document]]
    private_ladders: Mapping[int, Collection[int]]
    looking: Mapping[str, int]
    games: Mapping[int, Mapping[int, bool]]
    asked: Mapping[int, Mapping[int, Document]]
    own: Mapping[int, Sequence[Document]]


def lobby_news(_: int, asks: list[InLobby]) -> list[LobbyNews]:
    """The news for each who asks; eight queries for all of them."""
    people = {ask.user_id for ask in asks if ask.user_id is not None}
    seeks = _seeks()
    private = {seek.ladder_id for seek in seeks if seek.ladder.private}
    asked, own = _challenges(people)
    seen = _Seen(
        offers=[(seek, _offer(seek)) for seek in seeks],
        private_ladders=private_ladders_seen_by(people, private),
        looking=_looking(),
        games=_games(people),
        asked=asked,
        own=own,
    )
    return [_news(seen, ask) for ask in asks]


def _news(seen: _Seen, ask: InLobby) -> LobbyNews:
    user = ask.user_id
    events: list[Document] = []
    private = seen.private_ladders.get(user or 0, ())
    offers = [offer for seek, offer in seen.offers if sees_open_game(user, seek, private)][:MOST_OFFERS]
    playing = seen.games.get(user or 0, {})
    games = frozenset(playing)
    asked = seen.asked.get(user or 0, {})
    # A stream that opens tells only of games that the person has not come to yet: they may have begun meanwhile.
    new = sorted(match for match in games - ask.games if ask.offers is not None or playing[match])
    events += [{"type": "game", "game": match, "href": reverse("pages:sit", args=[match])} for match in new]
    if ask.offers is not None:
        events += [{"type": "challenge", "challenge": asked[one]} for one in sorted(asked.keys() - ask.asked)]
    said = _print([offers, seen.looking, sorted(games), seen.own.get(user or 0, ())])
    if said != ask.offers:
        events.append({"type": "lobby", "offers": offers, "looking": seen.looking})
    return LobbyNews(replace(ask, offers=said, games=games, asked=frozenset(asked)), events)


def _seeks() -> list[Seek]:
    players = SeekPlayer.objects.select_related("bot").order_by("index")
    waiting = Seek.objects.filter(state=Seek.State.OPEN, expires__gt=Now()).select_related("ladder", "by")
    return list(waiting.prefetch_related(Prefetch("players", queryset=players)).order_by("-pk")[: 10 * MOST_OFFERS])


def _offer(seek: Seek) -> Document:
    players = [player.bot.name for player in seek.players.all()]
    return {
        "id": seek.pk,
        "ladder": seek.ladder.slug,
        "game": seek.ladder.game,
        "seats": seek.ladder.seats,
        "free": seek.ladder.seats - len(players),
        "rated": seek.rated,
        "clock": seek.clock,
        "by": seek.by.username,
        "players": players,
    }


def _looking() -> Mapping[str, int]:
    """How many look for a rated game, by ladder; nobody is told of a private one."""
    rows = Pairing.objects.filter(ladder__private=False).order_by().values("ladder__slug").annotate(people=Count("pk"))
    return dict(sorted(rows.values_list("ladder__slug", "people")))


def _games(people: Collection[int]) -> Mapping[int, Mapping[int, bool]]:
    """By person, the running games at which they sit and have not given up, and whether they never came to each."""
    live_seats = LiveSeat.objects.filter(
        kind=LiveSeat.Kind.PERSON, forfeit="", table__match__status=Match.Status.RUNNING
    )
    theirs = live_seats.filter(seat__version__bot__owner__in=people).annotate(new=NEVER_CAME).order_by()
    found: defaultdict[int, dict[int, bool]] = defaultdict(dict)
    for person, match, new in theirs.values_list("seat__version__bot__owner", "table", "new") if people else ():
        found[person][match] = new
    return found


def _challenges(people: Collection[int]) -> tuple[Mapping[int, Mapping[int, Document]], Mapping[int, list[Document]]]:
    """By person, the challenges that wait for their word, and how all stand that they are part of."""
    asked: defaultdict[int, dict[int, Document]] = defaultdict(dict)
    own: defaultdict[int, list[Document]] = defaultdict(list)
    theirs = ChallengePlayer.objects.filter(bot__owner__in=people, bot__kind=Bot.Kind.PERSON).values("challenge")
    mine = Challenge.objects.filter(Q(by__in=people) | Q(pk__in=theirs))
    rows = mine.filter(state=Challenge.State.OPEN, expires__gt=Now()).select_related("ladder", "by")
    players = ChallengePlayer.objects.select_related("bot").order_by("index")
    for one in rows.prefetch_related(Prefetch("players", queryset=players)).order_by("pk") if people else ():
        by_hand = [player for player in one.players.all() if player.bot.kind == Bot.Kind.PERSON]
        seated = {player.bot.owner_id or 0: player for player in by_hand}
        document = {"id": one.pk, "by": one.by.username, "ladder": one.ladder.slug}
        for person in {one.by_id, *seated} & set(people):
            said = Counter(str(player.accepted) for player in one.players.all())
            own[person].append({**document, "said": sorted(said.items())})
        for person, player in seated.items():
            if person in people and player.accepted is None:
                asked[person][one.pk] = document
    return asked, own


def _print(found: Iterable[object]) -> str:
    return sha256(orjson.dumps(list(found), option=orjson.OPT_SORT_KEYS)).hexdigest()


# --- The stream ------------------------------------------------------------------------------------------------------

APART_S: Final = 0.4
EVENTS: Final = Coalescer(lobby_news, apart_s=APART_S)
"""New events, read once for all who are in the lobby, at most every ``APART_S``."""


class LobbySource(Source):
    """The lobby as one person, or a visitor without an account, sees it."""

    def __init__(self, browser: Browser | None) -> None:
        super().__init__([LOBBY])
        self.browser = browser
        self._known = InLobby(None if browser is None else browser.user_id)

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

    async def source(self, request: Request, who: str) -> LobbySource:  # type: ignore[override]  # noqa: ARG002
        return LobbySource(request.auth if isinstance(request.auth, Browser) else None)
