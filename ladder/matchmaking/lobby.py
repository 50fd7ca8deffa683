"""The lobby as its visitors see it: open games, challenges, searches and the games that they play.

The page reads the lobby for one visitor, the stream for all of its visitors at once. Both show what ``Lobby`` gives
them, so that one rule decides who sees what. Challenges are also documents of the API.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from django.db.models import Count, Exists, OuterRef, Prefetch, Q, QuerySet, prefetch_related_objects
from django.db.models.functions import Now

from bots.models import Bot
from bots.protocol import Limits
from games.rules import Document
from ladder.access import private_ladders_seen_by, sees_open_game
from ladder.live.presence import NEVER_CAME
from ladder.members.memberships import PEOPLE_LIMITS
from ladder.models import LiveSeat, Match, Pairing, Proposal, ProposalPlayer

MAX_GAMES: Final = 40
"""A visitor sees this many open games, the newest."""

_READ: Final = 10 * MAX_GAMES
_PLAYERS: Final = ProposalPlayer.objects.select_related("bot__owner").order_by("index")


@dataclass(frozen=True)
class SearchCount:
    """How many people search for a rated game on a ladder."""

    ladder: int
    slug: str
    private: bool
    people: int


@dataclass(frozen=True)
class Lobby:
    """The lobby, read once for several visitors. Proposals come with their ladders, players and users."""

    games: Sequence[Proposal]
    challenges: Sequence[Proposal]
    searches: Sequence[SearchCount]
    private_ladders: Mapping[int, Collection[int]]

    def open_games(self, person: int | None) -> list[Proposal]:
        """The open games that ``person``, a user id, sees, the newest first. ``None`` is a visitor without account."""
        private = self.private_ladders.get(person or 0, ())
        return [game for game in self.games if sees_open_game(person, game, private)][:MAX_GAMES]

    def challenges_of(self, person: int) -> list[Proposal]:
        """The open challenges that ``person`` made or is to play in, the oldest first."""
        return [
            challenge
            for challenge in self.challenges
            if challenge.by_id == person or player_of(challenge, person) is not None
        ]

    def searching(self, person: int | None) -> list[SearchCount]:
        """The searches on ladders that ``person`` may know of."""
        private = self.private_ladders.get(person or 0, ())
        return [search for search in self.searches if not search.private or search.ladder in private]


def read_lobby(people: Collection[int]) -> Lobby:
    """The lobby for these users and for visitors without an account. At most seven queries."""
    joined = ProposalPlayer.objects.filter(proposal=OuterRef("pk"), bot__owner__in=people)
    shown = Q(kind=Proposal.Kind.OPEN) | Q(by__in=people) | Exists(joined) if people else Q(kind=Proposal.Kind.OPEN)
    games = list(with_players(Proposal.objects.games().waiting().filter(shown, ladder__open=True))[:_READ])
    asked = ProposalPlayer.objects.filter(bot__owner__in=people, bot__kind=Bot.Kind.PERSON).values("proposal")
    made = Proposal.objects.challenges().waiting().filter(Q(by__in=people) | Q(pk__in=asked))
    searches = _searches()
    private = {game.ladder_id for game in games if game.ladder.private} | {
        search.ladder for search in searches if search.private
    }
    return Lobby(
        games=games,
        challenges=list(with_players(made).order_by("pk")) if people else [],
        searches=searches,
        private_ladders=private_ladders_seen_by(people, private),
    )


def with_players(proposals: QuerySet[Proposal]) -> QuerySet[Proposal]:
    """``proposals``, the newest first, with their ladders, users and players; one query more."""
    shown = proposals.select_related("ladder", "by").order_by("-pk")
    return shown.prefetch_related(Prefetch("players", queryset=_PLAYERS))


def player_of(proposal: Proposal, person: int) -> ProposalPlayer | None:
    """The place that ``person``, a user id, has in a proposal that comes with its players."""
    by_hand = (player for player in proposal.players.all() if player.bot.kind == Bot.Kind.PERSON)
    return next((player for player in by_hand if player.bot.owner_id == person), None)


def waits_for(challenge: Proposal, person: int) -> bool:
    """Whether the challenge waits for the answer of ``person``, a user id."""
    asked = player_of(challenge, person)
    return asked is not None and asked.accepted is None


def live_seats_at_tables(theirs: Q) -> QuerySet[Any]:
    """The seats at running games in which people still play, with ``new``: they never came to the table."""
    playing = LiveSeat.objects.filter(theirs, kind__in=LiveSeat.OF_PEOPLE, forfeit="", resigned=False)
    return playing.filter(table__match__status=Match.Status.RUNNING).annotate(new=NEVER_CAME).order_by()


def _searches() -> list[SearchCount]:
    by_ladder = Pairing.objects.values_list("ladder", "ladder__slug", "ladder__private")
    return [SearchCount(*row) for row in by_ladder.annotate(people=Count("pk")).order_by("ladder__slug")]


# --- Documents of challenges -----------------------------------------------------------------------------------------


def challenges_waiting_for(bot: int) -> list[dict[str, Any]]:
    """The challenges that wait for the answer of a remote bot, as documents, the oldest first."""
    asked = ProposalPlayer.objects.filter(bot=bot, accepted=None).values("proposal")
    waiting = Proposal.objects.waiting().filter(pk__in=asked)
    return challenge_documents(waiting.select_related("ladder", "by").order_by("pk"))


def challenge_documents(challenges: Iterable[Proposal]) -> list[dict[str, Any]]:
    """``challenges``, which come with their ladders and users, as JSON values; one query."""
    rows = list(challenges)
    prefetch_related_objects(rows, Prefetch("players", queryset=_PLAYERS))
    return [_challenge_document(challenge, challenge.players.all()) for challenge in rows]


def _challenge_document(challenge: Proposal, players: Iterable[ProposalPlayer]) -> dict[str, Any]:
    ladder = challenge.ladder
    return {
        "id": challenge.pk,
        "ladder": ladder.slug,
        "game": ladder.game,
        "seats": ladder.seats,
        "by": challenge.by_name,
        "state": challenge.state,
        "players": [_player(player) for player in players],
        "rated": challenge.rated,
        "limits": _limits(challenge, players),
        "expires": challenge.expires.isoformat(),
        "match": challenge.match_id,
    }


def _limits(challenge: Proposal, players: Iterable[ProposalPlayer]) -> dict[str, Any]:
    """The limits of a seat: those of the challenge, else those of people if one plays, else those of the ladder."""
    if challenge.limits:
        return dict(challenge.limits)
    people = any(player.bot.kind == Bot.Kind.PERSON for player in players)
    return asdict(Limits(**(PEOPLE_LIMITS if people else challenge.ladder.limits)))


def _player(player: ProposalPlayer) -> dict[str, Any]:
    return {
        "bot": player.bot.slug,
        "name": player.bot.name,
        "owner": player.bot.owner.username if player.bot.owner else None,
        "accepted": player.accepted,
    }


def rematch_request(match_id: int) -> Document | None:
    """The last proposal of a rematch of a match that has ended, for those who played; ``None`` without one.

    ``{"state", "by", "waiting", "declined", "match"}``: ``by`` is the seat that asked, the two lists are seats, all of
    the match that has ended; ``match`` is the rematch while it runs. Two queries.
    """
    proposed: Any = Proposal.objects.filter(again=match_id).annotate(now=Now())
    last = proposed.select_related("match").order_by("-pk").first()
    if last is None or (last.match is not None and last.match.status != Match.Status.RUNNING):
        return None
    late = last.state == Proposal.State.OPEN and last.expires <= last.now
    players = list(last.players.select_related("bot").order_by("index"))
    by_guest = last.by_id is None
    asked = (
        player.index
        for player in players
        if (player.guest == last.by_guest if by_guest else player.bot.owner_id == last.by_id)
    )
    return {
        "state": str(Proposal.State.EXPIRED if late else last.state),
        "by": next(asked, None),
        "waiting": [player.index for player in players if player.accepted is None],
        "declined": [player.index for player in players if player.accepted is False],
        "match": last.match_id,
    }
