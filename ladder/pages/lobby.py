"""The lobby: open games, own games and challenges, and who plays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.db.models import Exists, OuterRef, Q
from django.db.models.functions import Now
from django.urls import reverse

from bots.models import Bot
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.models import User
from games.game import Game
from games.registry import GAMES
from ladder.access import matches_in_order_seen_by
from ladder.matchmaking.lobby import Lobby, live_seats_at_tables, read_lobby, waits_for, with_players
from ladder.members.memberships import require_rated
from ladder.models import Block, Ladder, LiveSeat, Match, Membership, Pairing, Proposal
from ladder.models.ladders import Viewer
from ladder.pages.components.people import player_address, watching_said
from ladder.pages.components.words import enumerated
from ladder.pages.lobby_forms import (
    OfferForm,
    Start,
    clock_said,
    free_said,
    left_said,
    looking_said,
    others_said,
    starts,
)
from ladder.pages.matches import names, seats_shown

# --- The page --------------------------------------------------------------------------------------------------------

MOST_RUNNING: Final = 10
MOST_OWN: Final = 10
STREAM: Final = "/api/v1/lobby/stream"

_PEOPLE: Final = (Ladder.Players.PEOPLE, Ladder.Players.OPEN)


@dataclass(frozen=True)
class Sitter:
    """A player who has joined an open game."""

    name: str
    href: str
    rating: int | None


@dataclass(frozen=True)
class Offer:
    """An open game. ``own`` says that the viewer created it; then ``link`` is its URL for others, if it has one."""

    proposal: Proposal
    players: Sequence[Sitter]
    own: bool
    link: str

    @property
    def game(self) -> Game:
        return GAMES[self.proposal.ladder.game]

    @property
    def by(self) -> str:
        return self.proposal.by.username

    @property
    def clock(self) -> str:
        return clock_said(self.proposal.clock)

    @property
    def free_said(self) -> str:
        return free_said(self.proposal.ladder.seats - len(self.players))

    @property
    def there(self) -> str:
        """Who sits there already, beside whoever offers."""
        return enumerated([player.name for player in self.players])


@dataclass(frozen=True)
class OwnTable:
    """A running game at which the viewer sits; ``turn`` says that it waits for them, ``new`` that they never came."""

    match: Match
    seat: int
    turn: bool
    new: bool

    @property
    def game(self) -> str:
        return GAMES[self.match.ladder.game].name

    @property
    def names(self) -> str:
        every = names(list(self.match.seats.all()))
        return enumerated([name for seat, name in enumerate(every) if seat != self.seat])


@dataclass(frozen=True)
class Asked:
    """A challenge that waits for the word of the viewer (``asked``), or one of theirs that waits for others'."""

    pk: int
    by: str
    ladder: str
    names: str
    rated: bool
    asked: bool
    left: str


@dataclass(frozen=True)
class Search:
    """The viewer looks for a rated game, since then; ``others`` do so on the same ladder."""

    ladder: Ladder
    since: datetime
    others: int

    @property
    def others_said(self) -> str:
        return others_said(self.others)


@dataclass(frozen=True)
class Quick:
    """A ladder of people, and how many look there for a game."""

    ladder: Ladder
    looking: int

    @property
    def game(self) -> Game:
        return GAMES[self.ladder.game]

    @property
    def own_name(self) -> bool:
        """Whether its name says more than game and seats."""
        return self.ladder.by_invitation

    @property
    def looking_said(self) -> str:
        return looking_said(self.looking)


@dataclass(frozen=True)
class Going:
    """A game that people play, with how many watch it, in words."""

    match: Match
    watching: str


@dataclass(frozen=True)
class LobbyPage:
    """The lobby for one viewer; ``person`` is ``None`` for a guest, who has neither offers nor challenges.

    ``quick`` are the ladders of people, ``mixed`` those on which bots fill the table.
    """

    person: User | None
    tables: Sequence[OwnTable]
    challenges: Sequence[Asked]
    mine: Sequence[Offer]
    offers: Sequence[Offer]
    search: Search | None
    quick: Sequence[Quick]
    mixed: Sequence[Quick]
    why_not_rated: str
    starts: Sequence[Start]
    running: Sequence[Going]
    form: OfferForm | None

    @property
    def begun(self) -> Match | None:
        """The game that the viewer waited for here: it has begun, and they have not been at its table yet."""
        return next((table.match for table in self.tables if table.new), None)

    @property
    def stream(self) -> str:
        """Where the browser hears of changes."""
        return STREAM

    @property
    def looks_mixed(self) -> bool:
        """Whether the viewer looks on a ladder with bots."""
        return self.search is not None and not _of_people(self.search.ladder)

    @property
    def searched(self) -> Sequence[Quick]:
        """The ladders on which somebody looks, for who cannot look there."""
        return [one for one in (*self.quick, *self.mixed) if one.looking]

    @property
    def may_look(self) -> bool:
        return self.person is not None and not self.why_not_rated


def lobby_page(
    viewer: Viewer,
    person: User | None,
    guest: str | None,
    form: OfferForm | None,
    address: str,
    wanted: str | None = None,
) -> LobbyPage:
    """The lobby for ``viewer``; ``guest`` is the hash of a guest's secret, ``address`` where the site is for links.

    The ladder that is called ``wanted`` stands first among those on which people look.
    At most nineteen queries, however many people there are.
    """
    ladders = ladders_for_people(viewer)
    quick = sorted(ladders, key=lambda one: one.slug != wanted)
    lobby = read_lobby([person.pk] if person else [])
    looking = {search.ladder: search.people for search in lobby.searching(person.pk if person else None)}
    own = Pairing.objects.filter(bot__owner=person).first() if person else None
    mine, offers = _offers(lobby, person, address)
    return LobbyPage(
        person=person,
        tables=own_tables(person, guest),
        challenges=_challenges(lobby, person) if person else [],
        mine=mine,
        offers=offers,
        search=_search(own, ladders, looking),
        quick=[Quick(one, looking.get(one.pk, 0)) for one in quick if _of_people(one)],
        mixed=[Quick(one, looking.get(one.pk, 0)) for one in quick if not _of_people(one)],
        why_not_rated=why_not_rated(person),
        starts=starts(ladders),
        running=_running(viewer),
        form=form,
    )


def ladders_for_people(viewer: Viewer) -> list[Ladder]:
    """The open ladders at whose tables people sit, of those that ``viewer`` may know of; one query."""
    return list(Ladder.objects.visible_to(viewer).filter(open=True, players__in=_PEOPLE).order_by("pk"))


def why_not_rated(person: User | None) -> str:
    """Why the viewer may not play for a rating yet, in a sentence; empty where they may, and for guests."""
    if person is None:
        return ""
    try:
        require_rated(person)
    except Refused as refusal:
        return str(refusal)
    return ""


def house_bots() -> list[Bot]:
    """The bots that may be named as opponents; one query."""
    hosted = Bot.objects.playing().filter(owner=None, kind=Bot.Kind.HOSTED, versions__active=True)
    return list(hosted.order_by("name", "pk"))


def own_tables(person: User | None, guest: str | None) -> list[OwnTable]:
    """The running games at which somebody sits, those that wait for them first; three queries, none for strangers."""
    if person is None and guest is None:
        return []
    theirs = Q(seat__version__bot__owner=person) if person else Q(guest=guest)
    live_seats: Any = live_seats_at_tables(theirs).annotate(now=Now())
    rows = list(live_seats.select_related("seat").order_by("-table")[:MOST_OWN])
    shown = Match.objects.filter(pk__in=[row.table_id for row in rows]).select_related("ladder", "block")
    matches = {match.pk: match for match in shown.defer("block__seed").prefetch_related(seats_shown())} if rows else {}
    found = [
        OwnTable(matches[row.table_id], row.seat.index, _turn(row), row.new) for row in rows if row.table_id in matches
    ]
    return sorted(found, key=lambda one: not one.turn)


def _turn(live_seat: Any) -> bool:
    return bool(
        live_seat.kind == LiveSeat.Kind.PERSON
        and live_seat.owes
        and live_seat.due_at
        and live_seat.due_at <= live_seat.now
    )


def _of_people(ladder: Ladder) -> bool:
    return ladder.players == Ladder.Players.PEOPLE


def _search(own: Pairing | None, ladders: Iterable[Ladder], looking: Mapping[int, int]) -> Search | None:
    ladder = next((one for one in ladders if own is not None and one.pk == own.ladder_id), None)
    if own is None or ladder is None:
        return None
    return Search(ladder, own.since, max(0, looking.get(ladder.pk, 1) - 1))


# --- Open games ------------------------------------------------------------------------------------------------------


def _offers(lobby: Lobby, person: User | None, address: str) -> tuple[list[Offer], list[Offer]]:
    """The open games that ``person`` created or joined, and those of others; one query."""
    games = lobby.open_games(person.pk if person else None)
    ratings = _ratings(games)
    mine: list[Offer] = []
    others: list[Offer] = []
    for game in games:
        sits = person is not None and any(player.bot.owner_id == person.pk for player in game.players.all())
        own = person is not None and game.by_id == person.pk
        (mine if sits or own else others).append(_offer(game, ratings, own, address))
    return mine, others


def _offer(game: Proposal, ratings: Mapping[tuple[int, int], int], own: bool, address: str) -> Offer:
    """An open game, which comes with its players, as it is shown."""
    sitters = [
        Sitter(player.bot.name, player_address(player.bot), ratings.get((game.ladder_id, player.bot_id)))
        for player in game.players.all()
    ]
    path = reverse("pages:game_link", args=[game.token]) if own and game.token else ""
    return Offer(game, sitters, own, f"{address}{path}" if path else "")


def _ratings(games: Sequence[Proposal]) -> dict[tuple[int, int], int]:
    """By ladder and bot, the ratings of the players; one query."""
    if not games:
        return {}
    bots = {player.bot_id for game in games for player in game.players.all()}
    memberships = Membership.objects.filter(ladder__in={game.ladder_id for game in games}, bot__in=bots, games__gt=0)
    return {(ladder, bot): rating for ladder, bot, rating in memberships.values_list("ladder", "bot", "rating")}


# --- Challenges ------------------------------------------------------------------------------------------------------


def _challenges(lobby: Lobby, person: User) -> list[Asked]:
    """The challenges that wait for ``person``, and those of theirs that wait for others."""
    theirs = lobby.challenges_of(person.pk)
    shown = [one for one in theirs if one.by_id == person.pk or waits_for(one, person.pk)]
    return [_asked(one, person) for one in shown[:MOST_OWN]]


def _asked(challenge: Proposal, person: User) -> Asked:
    others = [one.bot.name for one in challenge.players.all() if one.bot.owner_id != person.pk]
    return Asked(
        pk=challenge.pk,
        by=challenge.by.username,
        ladder=challenge.ladder.name,
        names=enumerated(others),
        rated=challenge.rated,
        asked=challenge.by_id != person.pk,
        left=left_said(challenge.expires),
    )


# --- what is being played --------------------------------------------------------------------------------------------


def _running(viewer: Viewer) -> list[Going]:
    """The games that people play, those that began last first; two queries."""
    people = LiveSeat.objects.filter(table=OuterRef("pk"), kind__in=LiveSeat.OF_PEOPLE)
    live = Match.objects.filter(
        Exists(people), status=Match.Status.RUNNING, block__purpose__in=Block.DRIVEN_BY_REQUESTS
    )
    seen = matches_in_order_seen_by(viewer, live).select_related("ladder", "block").defer("block__seed")
    rows = list(seen.prefetch_related(seats_shown()).order_by("-pk")[:MOST_RUNNING])
    said = watching_said([match.pk for match in rows])
    return [Going(match, said.get(match.pk, "")) for match in rows]


# --- Private links ---------------------------------------------------------------------------------------------------

_LONGEST: Final = 43


@dataclass(frozen=True)
class LinkPage:
    """``sits`` says that the viewer has a seat already; ``open`` that seats are still to be had."""

    offer: Offer
    sits: bool
    open: bool

    @property
    def match_id(self) -> int | None:
        """The game, once it has begun."""
        return self.offer.proposal.match_id


def link_page(viewer: Viewer, token: str) -> LinkPage | None:
    """What stands behind a link, for ``viewer``; ``None`` where nothing does. Four queries."""
    if not token or len(token) > _LONGEST or not token.isascii() or "\0" in token:
        return None
    seen = Proposal.objects.filter(token=token, ladder__in=Ladder.objects.visible_to(viewer))
    game = with_players(seen).first()
    if game is None:
        return None
    still_open = Proposal.objects.waiting().filter(pk=game.pk).exists()
    sits = viewer.pk is not None and any(player.bot.owner_id == viewer.pk for player in game.players.all())
    return LinkPage(_offer(game, _ratings([game]), False, ""), sits, still_open)
