"""The data of the lobby page: open games, own games, challenges, searches and running games."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.contrib.auth.models import AnonymousUser
from django.db.models import Exists, OuterRef, Q
from django.db.models.functions import Now
from django.template.loader import render_to_string
from django.urls import reverse

from bots.models import Bot
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.models import User
from games.game import Game
from games.registry import GAMES
from ladder.access import matches_in_order_seen_by
from ladder.matchmaking.limits import waiting_guests
from ladder.matchmaking.lobby import Lobby, live_seats_at_tables, read_lobby, waits_for, with_players
from ladder.members.memberships import require_rated
from ladder.models import Block, Ladder, LiveSeat, Match, Membership, Pairing, Proposal
from ladder.models.ladders import Viewer
from ladder.pages.components.people import player_address, watching_said
from ladder.pages.components.words import enumerated
from ladder.pages.lobby_forms import (
    GameForm,
    GuestName,
    free_seats,
    other_searches,
    searching,
    time_control,
    time_left,
)
from ladder.pages.matches import names, seats_shown
from ladder.pairings.people import BOTS_AFTER_S

# --- The page --------------------------------------------------------------------------------------------------------

MOST_RUNNING: Final = 10
MOST_OWN: Final = 10
STREAM: Final = "/api/v1/lobby/stream"

_PEOPLE: Final = (Ladder.Players.PEOPLE, Ladder.Players.OPEN)


@dataclass(frozen=True)
class JoinedPlayer:
    """A player who has joined an open game."""

    name: str
    href: str
    rating: int | None


@dataclass(frozen=True)
class OpenGame:
    """An open game. If the viewer created it (``own``), ``link`` is its URL for others, or empty."""

    proposal: Proposal
    players: Sequence[JoinedPlayer]
    own: bool
    link: str

    @property
    def path(self) -> str:
        """The path of the page of a game by link, or empty."""
        return reverse("pages:game_link", args=[self.proposal.token]) if self.proposal.token else ""

    @property
    def leave_path(self) -> str:
        """The path to which the form for leaving the game, or for withdrawing an own one, is sent."""
        return self.path or reverse(f"pages:{'withdraw' if self.own else 'leave'}_game", args=[self.proposal.pk])

    @property
    def game(self) -> Game:
        return GAMES[self.proposal.ladder.game]

    @property
    def by(self) -> str:
        return self.proposal.by_name

    @property
    def time_control(self) -> str:
        return time_control(self.proposal.clock)

    @property
    def free_seats(self) -> str:
        return free_seats(self.proposal.ladder.seats - len(self.players))

    @property
    def names(self) -> str:
        """The names of the players."""
        return enumerated([player.name for player in self.players])


@dataclass(frozen=True)
class OwnTable:
    """A running game of the viewer. ``turn``: it is their turn. ``new``: they have not opened the game yet."""

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
class Challenge:
    """A challenge that waits for an answer of the viewer (``asked``), or a challenge of theirs."""

    pk: int
    by: str
    ladder: str
    names: str
    rated: bool
    asked: bool
    time_left: str


@dataclass(frozen=True)
class Search:
    """The viewer's search for a rated game, and the number of others who search on the same ladder."""

    ladder: Ladder
    since: datetime
    others: int

    @property
    def others_text(self) -> str:
        return other_searches(self.others)


@dataclass(frozen=True)
class QuickPairing:
    """A ladder with quick pairing and the number of people who search there."""

    ladder: Ladder
    searching: int

    @property
    def game(self) -> Game:
        return GAMES[self.ladder.game]

    @property
    def own_name(self) -> bool:
        """Whether the name of the ladder is more than its format."""
        return self.ladder.by_invitation

    @property
    def searching_text(self) -> str:
        return searching(self.searching)


@dataclass(frozen=True)
class RunningTable:
    """A running game with people, and its number of spectators as text."""

    match: Match
    watching: str


@dataclass(frozen=True)
class LobbyPage:
    """The lobby for one viewer. ``person`` is ``None`` for guests: they have no challenges and only games by link.

    ``quick`` are the ladders for people, ``mixed`` the ladders on which bots fill free seats.
    """

    person: User | None
    tables: Sequence[OwnTable]
    challenges: Sequence[Challenge]
    mine: Sequence[OpenGame]
    open_games: Sequence[OpenGame]
    search: Search | None
    quick: Sequence[QuickPairing]
    mixed: Sequence[QuickPairing]
    why_not_rated: str
    running: Sequence[RunningTable]
    form: GameForm | None

    @property
    def begun(self) -> Match | None:
        """A game that has begun and that the viewer, who waited for it, has not opened yet."""
        return next((table.match for table in self.tables if table.new), None)

    @property
    def stream(self) -> str:
        """The URL of the event stream."""
        return STREAM

    @property
    def bots_after_s(self) -> float:
        """The seconds after which bots take the free seats of a search."""
        return BOTS_AFTER_S

    @property
    def searches_mixed(self) -> bool:
        """Whether the viewer searches on a ladder with bots."""
        return self.search is not None and not _of_people(self.search.ladder)

    @property
    def active_searches(self) -> Sequence[QuickPairing]:
        """The ladders on which people search, for guests."""
        return [pairing for pairing in (*self.quick, *self.mixed) if pairing.searching]

    @property
    def may_search(self) -> bool:
        return self.person is not None and not self.why_not_rated


def lobby_page(
    viewer: Viewer,
    person: User | None,
    guest: str | None,
    form: GameForm | None,
    address: str,
    wanted: str | None = None,
) -> LobbyPage:
    """The lobby for ``viewer``. ``guest`` is the hash of a guest's secret, ``address`` the URL of the site.

    The ladder with the slug ``wanted`` is first in quick pairing. At most 19 queries.
    """
    ladders = ladders_for_people(viewer)
    quick = sorted(ladders, key=lambda ladder: ladder.slug != wanted)
    lobby = read_lobby([person.pk] if person else [])
    people = {search.ladder: search.people for search in lobby.searching(person.pk if person else None)}
    own = Pairing.objects.filter(bot__owner=person).first() if person else None
    own_games, others = _open_games(lobby, person, address)
    own_games += _games_of_guest(guest, address) if guest else []
    return LobbyPage(
        person=person,
        tables=own_tables(person, guest),
        challenges=_challenges(lobby, person) if person else [],
        mine=own_games,
        open_games=others,
        search=_search(own, ladders, people),
        quick=[QuickPairing(ladder, people.get(ladder.pk, 0)) for ladder in quick if _of_people(ladder)],
        mixed=[QuickPairing(ladder, people.get(ladder.pk, 0)) for ladder in quick if not _of_people(ladder)],
        why_not_rated=why_not_rated(person),
        running=_running(viewer),
        form=form,
    )


def parts_for_strangers() -> str:
    """Render the parts of the lobby that change for all visitors without account and game, who see the same."""
    page = lobby_page(AnonymousUser(), None, None, None, "")
    return render_to_string("pages/play/_parts.html", {"page": page})


def ladders_for_people(viewer: Viewer) -> list[Ladder]:
    """The open ladders visible to ``viewer`` on which people play; one query."""
    return list(Ladder.objects.visible_to(viewer).filter(open=True, players__in=_PEOPLE).order_by("pk"))


def why_not_rated(person: User | None) -> str:
    """Why the viewer may not play rated games, as a sentence; empty if they may, and for guests."""
    if person is None:
        return ""
    try:
        require_rated(person)
    except Refused as refusal:
        return str(refusal)
    return ""


def house_bots() -> list[Bot]:
    """The house bots that can be chosen as opponents; one query."""
    hosted = Bot.objects.playing().filter(owner=None, kind=Bot.Kind.HOSTED, versions__active=True)
    return list(hosted.order_by("name", "pk"))


def own_tables(person: User | None, guest: str | None) -> list[OwnTable]:
    """The running games of a person or guest, those with their turn first; at most three queries."""
    if person is None and guest is None:
        return []
    own = Q(seat__version__bot__owner=person) if person else Q(guest=guest)
    live_seats: Any = live_seats_at_tables(own).annotate(now=Now())
    rows = list(live_seats.select_related("seat").order_by("-table")[:MOST_OWN])
    shown = Match.objects.filter(pk__in=[row.table_id for row in rows]).select_related("ladder", "block")
    matches = {match.pk: match for match in shown.defer("block__seed").prefetch_related(seats_shown())} if rows else {}
    tables = [
        OwnTable(matches[row.table_id], row.seat.index, _turn(row), row.new) for row in rows if row.table_id in matches
    ]
    return sorted(tables, key=lambda table: not table.turn)


def _turn(live_seat: Any) -> bool:
    return bool(
        live_seat.kind == LiveSeat.Kind.PERSON
        and live_seat.owes
        and live_seat.due_at
        and live_seat.due_at <= live_seat.now
    )


def _of_people(ladder: Ladder) -> bool:
    return ladder.players == Ladder.Players.PEOPLE


def _search(own: Pairing | None, ladders: Iterable[Ladder], people: Mapping[int, int]) -> Search | None:
    ladder = next((ladder for ladder in ladders if own is not None and ladder.pk == own.ladder_id), None)
    if own is None or ladder is None:
        return None
    return Search(ladder, own.since, max(0, people.get(ladder.pk, 1) - 1))


# --- Open games ------------------------------------------------------------------------------------------------------


def _open_games(lobby: Lobby, person: User | None, address: str) -> tuple[list[OpenGame], list[OpenGame]]:
    """The open games that ``person`` created or joined, and those of others; one query."""
    games = lobby.open_games(person.pk if person else None)
    ratings = _ratings(games)
    own_games: list[OpenGame] = []
    others: list[OpenGame] = []
    for game in games:
        sits = person is not None and any(player.bot.owner_id == person.pk for player in game.players.all())
        own = person is not None and game.by_id == person.pk
        (own_games if sits or own else others).append(_open_game(game, ratings, own, address))
    return own_games, others


def _games_of_guest(guest: str, address: str) -> list[OpenGame]:
    """The games by link that wait for players and that the guest with this hash has created or joined; two queries."""
    waiting = Proposal.objects.filter(pk__in=waiting_guests().filter(guest=guest).values("proposal"))
    games = with_players(waiting)[:MOST_OWN]
    return [_open_game(game, {}, _is_by_guest(game, guest), address) for game in games]


def _is_by_guest(game: Proposal, guest: str | None) -> bool:
    """Whether the guest with this hash has created ``game``."""
    return game.by_id is None and guest is not None and game.by_guest == guest


def _open_game(game: Proposal, ratings: Mapping[tuple[int, int], int], own: bool, address: str) -> OpenGame:
    """An open game as pages show it. ``game`` comes with its players."""
    players = [
        JoinedPlayer(player.name, player_address(player.bot), ratings.get((game.ladder_id, player.bot_id)))
        for player in game.players.all()
    ]
    path = reverse("pages:game_link", args=[game.token]) if own and game.token else ""
    return OpenGame(game, players, own, f"{address}{path}" if path else "")


def _ratings(games: Sequence[Proposal]) -> dict[tuple[int, int], int]:
    """The ratings of the players by ladder and bot; one query."""
    if not games:
        return {}
    bots = {player.bot_id for game in games for player in game.players.all()}
    memberships = Membership.objects.filter(ladder__in={game.ladder_id for game in games}, bot__in=bots, games__gt=0)
    return {(ladder, bot): rating for ladder, bot, rating in memberships.values_list("ladder", "bot", "rating")}


# --- Challenges ------------------------------------------------------------------------------------------------------


def _challenges(lobby: Lobby, person: User) -> list[Challenge]:
    """The challenges that ``person`` has to answer, and their own open ones."""
    challenges = lobby.challenges_of(person.pk)
    shown = [challenge for challenge in challenges if challenge.by_id == person.pk or waits_for(challenge, person.pk)]
    return [_challenge(challenge, person) for challenge in shown[:MOST_OWN]]


def _challenge(challenge: Proposal, person: User) -> Challenge:
    others = [player.bot.name for player in challenge.players.all() if player.bot.owner_id != person.pk]
    return Challenge(
        pk=challenge.pk,
        by=challenge.by_name,
        ladder=challenge.ladder.name,
        names=enumerated(others),
        rated=challenge.rated,
        asked=challenge.by_id != person.pk,
        time_left=time_left(challenge.expires),
    )


# --- Running games ---------------------------------------------------------------------------------------------------


def _running(viewer: Viewer) -> list[RunningTable]:
    """The running games with people, the newest first; two queries."""
    people = LiveSeat.objects.filter(table=OuterRef("pk"), kind__in=LiveSeat.OF_PEOPLE)
    live = Match.objects.filter(
        Exists(people), status=Match.Status.RUNNING, block__purpose__in=Block.DRIVEN_BY_REQUESTS
    )
    seen = matches_in_order_seen_by(viewer, live).select_related("ladder", "block").defer("block__seed")
    rows = list(seen.prefetch_related(seats_shown()).order_by("-pk")[:MOST_RUNNING])
    watching = watching_said([match.pk for match in rows])
    return [RunningTable(match, watching.get(match.pk, "")) for match in rows]


# --- Private links ---------------------------------------------------------------------------------------------------

_LONGEST: Final = 43


@dataclass(frozen=True)
class LinkPage:
    """The page of a game by link. ``sits``: the viewer has joined it. ``open``: it has free seats.

    ``secret`` is for the form in which a new guest joins.
    """

    game: OpenGame
    sits: bool
    open: bool
    form: GuestName
    secret: str = ""

    @property
    def stream(self) -> str:
        """The URL of the event stream."""
        return STREAM

    @property
    def match_id(self) -> int | None:
        """The match, once the game has begun."""
        return self.game.proposal.match_id


def link_page(
    viewer: Viewer, token: str, guest: str | None, address: str, form: GuestName, secret: str
) -> LinkPage | None:
    """The game by link for ``viewer``; ``None`` if the token is unknown. Four queries.

    ``guest`` is the hash of a guest's secret, ``address`` the URL of the site.
    """
    if not token or len(token) > _LONGEST or not token.isascii() or "\0" in token:
        return None
    seen = Proposal.objects.filter(token=token, ladder__in=Ladder.objects.visible_to(viewer))
    game = with_players(seen).first()
    if game is None:
        return None
    still_open = Proposal.objects.waiting().filter(pk=game.pk).exists()
    if viewer.pk is None:
        sits = guest is not None and any(player.guest == guest for player in game.players.all())
        own = _is_by_guest(game, guest)
    else:
        sits = any(player.bot.owner_id == viewer.pk for player in game.players.all())
        own = game.by_id == viewer.pk
    return LinkPage(_open_game(game, _ratings([game]), own, address), sits, still_open, form, secret)
