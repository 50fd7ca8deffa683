"""Matches on pages: in lists, with who sat where, and one with all that is public about it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.db.models import Prefetch, Q, QuerySet
from django.utils.translation import gettext, ngettext

from bots.models import Bot
from games.base import Game, ScoreColumn
from games.outcomes import has_score
from games.registry import GAMES
from ladder.access import matches_seen_by
from ladder.matches.logs import readable_seats
from ladder.models import Attempt, Block, Match, Result, Seat, SeatResult
from ladder.models.ladders import Viewer
from ladder.pages.boards import Board, table
from ladder.pages.deals import Deal, deal_of
from ladder.pages.paging import Part, part
from ladder.pages.running import Running, running
from ladder.pages.sat import Again, StoodIn, again, outages, own_seat, stood_in
from ladder.pages.telling import Told, told
from ladder.pages.viewers import watching_said
from ladder.pages.words import enumerated

ROWS = 30
SPEEDS = (1, 2, 4, 8, 16, 30, 60)


def listed(matches: QuerySet[Match]) -> QuerySet[Match]:
    """``matches`` with all that a row of a list shows, without seeds; one query more for the seats."""
    return matches.select_related("ladder").prefetch_related(seats_shown())


def listed_part(matches: QuerySet[Match], parameters: Callable[[str], str | None], size: int = ROWS) -> Part[Match]:
    """The part of ``matches`` that an address asks for, ``size`` of them; two queries."""
    return part(listed(matches), parameters, size)


def result_of(seat: Seat) -> SeatResult | None:
    """What ``seat`` reached; ``None`` without a result."""
    return getattr(seat, "result", None)


def by_rank(match: Match) -> list[Seat]:
    """The seats of a listed match, winners first; in seat order where there is no result."""
    return sorted(match.seats.all(), key=lambda seat: (getattr(result_of(seat), "rank", 0), seat.index))


def seat_of(match: Match, bot: Bot) -> Seat:
    """The seat of ``bot`` in a listed match; of two versions in a test, that of the better one."""
    return next(seat for seat in by_rank(match) if seat.version.bot_id == bot.pk)


def reached(match: Match, seat: Seat) -> str:
    """What ``seat`` reached in the first column of its game's tables, or that it forfeited; empty without a score."""
    result = result_of(seat)
    if result is not None and result.forfeit:
        return gettext("forfeit")
    if result is None or not has_score(result.score):
        return ""
    return GAMES[match.ladder.game].score_columns()[0].text(result.score)


def names(seats: Sequence[Seat]) -> list[str]:
    """What the seats are called in a told game: bots that share a name are told apart by their address names.

    Two versions of one bot, which only a test has, are told apart by their numbers.
    """
    plain = [seat.version.bot.name for seat in seats]
    bots = [seat.version.bot_id for seat in seats]
    return [_name(seat, plain, bots) for seat in seats]


def _name(seat: Seat, plain: Sequence[str], bots: Sequence[int]) -> str:
    bot = seat.version.bot
    if bots.count(bot.pk) > 1:
        return str(seat.version)
    return f"{bot.name} ({bot.slug})" if plain.count(bot.name) > 1 else bot.name


@dataclass(frozen=True)
class SeatRow:
    """A row of a match's table: its seat, what it reached, and its cells as the game's columns give them."""

    seat: Seat
    result: SeatResult | None
    cells: Sequence[str]


@dataclass(frozen=True)
class SeatTable:
    """The table of one match, with what the seats reached where it has a result."""

    match: Match

    @property
    def game(self) -> Game:
        return GAMES[self.match.ladder.game]

    @property
    def columns(self) -> Sequence[ScoreColumn]:
        """The columns of the game; none before there is a result."""
        return self.game.score_columns() if self.match.status == Match.Status.FINISHED else ()

    @property
    def rated(self) -> bool:
        """Whether the match is for ratings, so that its seats have some."""
        return all(seat.entry_id is not None for seat in self.match.seats.all())

    @cached_property
    def rows(self) -> list[SeatRow]:
        """Winners first; in seat order before there is a result."""
        return [SeatRow(seat, result_of(seat), self._cells(result_of(seat))) for seat in by_rank(self.match)]

    @property
    def winners(self) -> list[SeatRow]:
        return [row for row in self.rows if row.result and row.result.rank == 1]

    @property
    def forfeits(self) -> list[SeatRow]:
        return [row for row in self.rows if row.result and row.result.forfeit]

    @property
    def ended_early(self) -> bool:
        """Whether at most one seat was left to play, so that there are no scores."""
        results = [row.result for row in self.rows if row.result]
        return bool(results) and not any(has_score(result.score) for result in results)

    def _cells(self, result: SeatResult | None) -> list[str]:
        if result is None:
            return []
        return [column.text(result.score) if has_score(result.score) else "" for column in self.columns]


@dataclass(frozen=True)
class MatchPage:
    """One match with its seats. What is closed before the end of its block is not in here before that.

    ``ledger`` are the numbers that speak of its result, by kind. ``delayed`` are the seats, from 0, that the machine
    made late in the game that counts, ``logged`` those whose logs the viewer may read. ``running`` is what a live game
    that is being played shows of its table.
    """

    match: Match
    attempts: Sequence[Attempt]
    ledger: Mapping[str, int]
    delayed: Collection[int]
    ahead: int
    logged: Collection[int]
    deal: Deal
    running: Running | None
    stood_in: Sequence[StoodIn]
    outages: Sequence[str]
    viewer: int | None

    @property
    def stood_in_seats(self) -> Collection[int]:
        """The seats in which somebody stood in: they were played on by a bot."""
        return {one.seat for one in self.stood_in}

    @property
    def own_seat(self) -> Seat | None:
        """Where the viewer plays by hand."""
        return own_seat(list(self.match.seats.all()), self.viewer)

    @cached_property
    def again(self) -> Again | None:
        """How the viewer can play this table again."""
        return again(self.match, list(self.match.seats.all()), self.viewer)

    @property
    def watched(self) -> str:
        """How many look on while it runs, in words; empty for nobody."""
        return watching_said([self.match.pk]).get(self.match.pk, "") if self.running else ""

    @property
    def game(self) -> Game:
        return GAMES[self.match.ladder.game]

    @property
    def table(self) -> SeatTable:
        return SeatTable(self.match)

    @property
    def names(self) -> list[str]:
        return names(list(self.match.seats.all()))

    @property
    def title(self) -> str:
        return enumerated(self.names)

    @property
    def winners(self) -> str:
        """The names of those who won, or share the first place."""
        return enumerated([row.seat.version.bot.name for row in self.table.winners])

    @property
    def delayed_rows(self) -> list[SeatRow]:
        """The seats that the machine made late, where the result stands all the same."""
        return [row for row in self.table.rows if row.seat.index in self.delayed]

    @property
    def over(self) -> bool:
        return self.match.status in Match.ENDED

    @property
    def changing(self) -> bool:
        """Whether there is more to come on this page by itself."""
        return not (self.over and self.deal.open)

    @property
    def live(self) -> bool:
        """Whether it is driven by requests, and not played by a worker."""
        return self.match.block.purpose in Block.DRIVEN_BY_REQUESTS

    @property
    def correctable(self) -> bool:
        """Whether staff can end the match, or take its result back."""
        return self.match.status in (*Match.PENDING, Match.Status.FINISHED)

    @property
    def failed_attempts(self) -> list[Attempt]:
        """The attempts that brought no result, for a reader who wonders why it took so long."""
        return [attempt for attempt in self.attempts if attempt.failure]

    @property
    def board(self) -> Board:
        return Board(self.game)

    @property
    def replay_table(self) -> dict[str, Any]:
        """What the drawing of its table is told."""
        return table(self.game, list(self.match.seats.all()), self.names)

    @property
    def speeds(self) -> list[tuple[str, str]]:
        """The speeds of a replay, in steps a second, and what they are called."""
        some = [ngettext("%(count)s step/s", "%(count)s steps/s", count) % {"count": count} for count in SPEEDS]
        return [("0.5", gettext("1 step in 2 s")), *zip(map(str, SPEEDS), some, strict=True)]

    @cached_property
    def told(self) -> Told | None:
        """The game in sentences, once it has a result and its block is open."""
        return told(self.match, self.names) if self.match.status == Match.Status.FINISHED else None


def match_page(match_id: int, user: Viewer) -> MatchPage:
    """All that ``user`` may see of one match, in at most eleven queries. Raises ``Match.DoesNotExist``."""
    found = matches_seen_by(user).select_related("ladder", "block__series__season__ladder")
    match = found.prefetch_related(seats_shown(), "attempts").get(pk=match_id)
    said = Result.objects.filter(match=match)
    rows = list(said.values_list("ledger_entries__kind", "ledger_entries__number", "report__machine_delays"))
    return MatchPage(
        match=match,
        attempts=list(match.attempts.all()),
        ledger={kind: number for kind, number, _ in rows if kind},
        delayed=frozenset(delay["seat"] for _, _, delays in rows for delay in delays),
        ahead=_ahead(match) if match.status == Match.Status.QUEUED else 0,
        logged=readable_seats(match, user) if match.status == Match.Status.FINISHED else (),
        deal=deal_of(match),
        running=running(match, names(list(match.seats.all()))),
        stood_in=stood_in(match, names(list(match.seats.all()))),
        outages=outages(match),
        viewer=user.pk,
    )


def seats_shown() -> Prefetch[Any]:
    """The seats of matches in a list, with all that a row shows of them."""
    shown = Seat.objects.select_related("entry", "version__bot__owner", "result")
    seats = shown.defer("version__check_report").order_by("index")
    return Prefetch("seats", queryset=seats)


def _ahead(match: Match) -> int:
    """How many queued matches of the ladder are to be played before ``match``."""
    sooner = Q(priority__gt=match.priority) | Q(priority=match.priority, pk__lt=match.pk)
    return Match.objects.filter(sooner, ladder=match.ladder, status=Match.Status.QUEUED).count()
