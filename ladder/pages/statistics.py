"""Statistics of a ladder's season, results between bots, and one bot on one ladder."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Exists, OuterRef
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from django.views.decorators.http import require_safe

from bots.intervals import Mean
from bots.models import Bot
from bots.tournaments.seatings import games_of_a_deal
from games.game import Game
from games.registry import GAMES
from games.statistics import Figure, Figures
from ladder.access import bot_seen_by, cup_seen_by, cups_seen_by, found, ladder_seen_by
from ladder.models import Cup, FinalStanding, Ladder, Membership, PairTally, Season, SeasonStatistics, SeatTally
from ladder.models.ladders import Viewer
from ladder.pages.components.chart import RatingChart, rating_chart
from ladder.pages.components.filters import Tab, Tabs, whole_number
from ladder.pages.components.responses import for_staff
from ladder.pages.components.traces import trace
from ladder.ratings.shares import WIN
from ladder.season_statistics import collusion_document, cup_blocks
from ladder.statistics.limits import ALARM, LEAST_BLOCKS
from ladder.statistics.pair_share import PairShare, pair_share
from ladder.statistics.tallies import added

# --- Figures of seats ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class FigureRow:
    """One row: its name and the means per game of all columns."""

    name: str
    means: Sequence[float]


@dataclass(frozen=True)
class FigureTable:
    """One row per part of the game, and the whole game last."""

    columns: Sequence[Figure]
    rows: Sequence[FigureRow]


def figure_table(game: Game, figures: Figures, games: int) -> FigureTable | None:
    """The means per game of the sums ``figures`` over ``games``; ``None`` without games."""
    if not games:
        return None
    columns = [column for column in game.statistics.figure_columns if column.key in figures]
    rows = [
        FigureRow(stretch, [figures[column.key][place] / games for column in columns])
        for place, stretch in enumerate(game.statistics.stretches)
    ]
    whole = [sum(figures[column.key]) / games for column in columns]
    return FigureTable(columns, [*rows, FigureRow(gettext_noop("Whole game"), whole)])


def together(figures: Iterable[Figures]) -> Figures:
    """The sum of all figures."""
    total: Figures = {}
    for part in figures:
        total = added(total, part)
    return total


# --- Head to head ----------------------------------------------------------------------------------------------------

SIDE = 12
"""Bots per page: the number of columns that fit on a wide page."""

FEW = 4
"""The minimum number of blocks for a colored cell."""


@dataclass(frozen=True)
class MatrixRow:
    """A bot, its place in the list from 1, and every bot of the page with a cell: ``None`` for itself and if unmet."""

    place: int
    membership: Membership
    pairs: Sequence[tuple[Membership, Against | None]]


@dataclass(frozen=True)
class MatrixPage:
    """A square of the matrix."""

    of: Of
    memberships: Page[Membership]
    rows: Sequence[MatrixRow]

    @property
    def few(self) -> int:
        """The minimum number of blocks for a colored cell."""
        return FEW


def matrix_page(of: Of, page: str | None) -> MatrixPage:
    """Page ``page`` of the matrix (or the nearest page), sorted by rating; three queries."""
    tallied = SeatTally.objects.filter(season=of.season, membership=OuterRef("pk"))
    played = of.ladder.memberships.filter(Exists(tallied))
    shown = Paginator(played.select_related("bot").order_by("-rating", "pk"), SIDE).get_page(page)
    memberships = list(shown)
    shares = shares_between(memberships, of)
    first = shown.start_index()
    rows = [
        MatrixRow(first + place, member, [(other, shares.get((member.pk, other.pk))) for other in memberships])
        for place, member in enumerate(memberships)
    ]
    return MatrixPage(of, shown, rows)


# --- The season ------------------------------------------------------------------------------------------------------

_NARROWEST = 0.05
"""The minimum distance of the ends of the seat axis from one half."""


@dataclass(frozen=True)
class Of:
    """The ladder and season of a statistics page; the season is ``None`` before the first."""

    ladder: Ladder
    season: Season | None
    seasons: Sequence[Season]

    @property
    def game(self) -> Game:
        return GAMES[self.ladder.game]

    @property
    def tabs(self) -> list[Tabs]:
        """Links to all seasons; empty if there is only one."""
        links = [
            Tab(
                f"{season.number}",
                _("Season %(number)s") % {"number": season.number},
                f"?season={season.number}",
                season == self.season,
            )
            for season in self.seasons
        ]
        return [Tabs(_("Season"), links)] if len(links) > 1 else []

    @property
    def keep(self) -> str:
        """The beginning of the query string of other pages of the list, which keeps the season."""
        return f"season={self.season.number}&" if self.season and self.tabs else ""


@dataclass(frozen=True)
class SeatStatistics:
    """A seat (from 0): its share of opponents beaten, first places per game and figures of the whole game."""

    seat: int
    share: Mean
    first: float
    figures: FigureRow


@dataclass(frozen=True)
class SeatAxis:
    """An axis around one half that contains all intervals; positions in percent from the left."""

    reach: float

    def place(self, share: float) -> float:
        return round(50 + 50 * (share - 0.5) / self.reach, 2)


@dataclass(frozen=True)
class StatisticsPage:
    """The statistics of a season; ``document`` is empty until they have been computed.

    ``blocks`` is the number of blocks that the statistics cover.
    """

    of: Of
    blocks: int
    measured: datetime | None
    document: Mapping[str, Any]

    @property
    def totals(self) -> Sequence[Mapping[str, Any]]:
        """By seat, the sums of all tallies at the time of computation."""
        totals: Sequence[Mapping[str, Any]] = self.document.get("totals", ())
        return totals

    @property
    def games(self) -> int:
        """The number of games of the blocks that count."""
        return self.blocks * games_of_a_deal(self.of.ladder.seats, live=self.of.ladder.live)

    @property
    def saving(self) -> Mapping[str, Any] | None:
        return self.document.get("saving")

    @cached_property
    def shares(self) -> list[Mean]:
        return [_mean(row) for row in self.document.get("seats", ())]

    @property
    def axis(self) -> SeatAxis:
        """The one axis for all seats."""
        ends = [end for share in self.shares for end in (share.low, share.value, share.high) if end is not None]
        return SeatAxis(max([_NARROWEST, *(abs(end - 0.5) for end in ends)]))

    @property
    def columns(self) -> Sequence[Any]:
        return self.of.game.statistics.figure_columns

    @cached_property
    def seats(self) -> list[SeatStatistics]:
        """One row per seat; empty until the statistics have been computed."""
        rows = []
        for seat, (total, share) in enumerate(zip(self.totals, self.shares, strict=False)):
            table = figure_table(self.of.game, total["figures"], total["games"])
            if table is not None:
                rows.append(SeatStatistics(seat, share, total["win_shares"] / WIN / total["games"], table.rows[-1]))
        return rows

    @cached_property
    def phases(self) -> FigureTable | None:
        """The figures of a seat in each part of the game."""
        games = sum(total["games"] for total in self.totals)
        return figure_table(self.of.game, together(total["figures"] for total in self.totals), games)


def season_of(user: Viewer, slug: str, number: str | None) -> Of:
    """The ladder with the requested season, by default the latest. Raises ``Http404``."""
    ladder = ladder_seen_by(user, slug)
    seasons = list(ladder.seasons.order_by("-number"))
    wanted = whole_number(number)
    chosen = [season for season in seasons if wanted in (None, season.number)]
    if number is not None and not (wanted and chosen):
        raise Http404(_("Season not found."))
    return Of(ladder, chosen[0] if chosen else None, seasons)


def statistics_page(of: Of) -> StatisticsPage:
    """The statistics of a season; one query, however many games it has had."""
    kept = SeasonStatistics.objects.filter(season=of.season).defer("collusion").first() if of.season else None
    return StatisticsPage(
        of=of,
        blocks=(kept.measured_blocks if kept.measured else kept.blocks) if kept else 0,
        measured=kept.measured if kept else None,
        document=kept.document if kept else {},
    )


# --- One bot on one ladder -------------------------------------------------------------------------------------------

OPPONENTS_PER_PAGE = 50


@dataclass(frozen=True)
class ResultRow:
    """Results of some games: the shares of opponents beaten and of first places (0 to 1), and forfeits."""

    name: str
    games: int
    share: float
    first: float
    forfeits: int


@dataclass(frozen=True)
class Against:
    """Results against one opponent; ``share`` has its interval over blocks."""

    tally: PairTally
    share: PairShare

    @property
    def paid(self) -> float | None:
        """The mean price paid to the opponent."""
        return self.tally.paid / self.tally.bought if self.tally.bought else None

    @property
    def received(self) -> float | None:
        """The mean price received from the opponent."""
        return self.tally.received / self.tally.sold if self.tally.sold else None


@dataclass(frozen=True)
class MembershipPage:
    """A member of a ladder in a season. The chart covers all seasons; everything else covers ended blocks.

    ``standing`` has its rating and games in the season: as they are, or as they were at its end; ``None`` if
    it did not play there.
    """

    of: Of
    membership: Membership
    standing: Membership | FinalStanding | None
    chart: RatingChart | None
    tallies: Sequence[SeatTally]
    opponents: Page[PairTally]

    @property
    def bot(self) -> Bot:
        return self.membership.bot

    @property
    def games(self) -> int:
        return sum(tally.games for tally in self.tallies)

    @property
    def versions(self) -> list[ResultRow]:
        """One row per version, newest first."""
        numbers = {tally.version.number: tally.version.number for tally in self.tallies}
        return [
            self._row(f"v{number}", (tally for tally in self.tallies if tally.version.number == number))
            for number in sorted(numbers, reverse=True)
        ]

    @property
    def seats(self) -> list[ResultRow]:
        """One row per seat that the member has had."""
        return [
            self._row(_("Seat %(number)s") % {"number": seat}, (tally for tally in self.tallies if tally.seat == seat))
            for seat in sorted({tally.seat for tally in self.tallies})
        ]

    @property
    def phases(self) -> FigureTable | None:
        return figure_table(self.of.game, together(tally.figures for tally in self.tallies), self.games)

    @property
    def against(self) -> list[Against]:
        """One row per opponent, the most frequent first."""
        return [Against(tally, share_of(tally)) for tally in self.opponents]

    def _row(self, name: str, tallies: Iterable[SeatTally]) -> ResultRow:
        summed = list(tallies)
        games = sum(tally.games for tally in summed)
        return ResultRow(
            name=name,
            games=games,
            share=sum(tally.points for tally in summed) / 2 / (self.of.ladder.seats - 1) / games,
            first=sum(tally.win_shares for tally in summed) / WIN / games,
            forfeits=sum(tally.forfeits for tally in summed),
        )


def entry_page(of: Of, user: Viewer, slug: str, page: str | None) -> MembershipPage:
    """The page of the bot with this slug on a ladder, with a page of its opponents. Raises ``Http404``."""
    bot = bot_seen_by(user, slug)
    memberships = of.ladder.memberships.select_related("bot__owner")
    membership = found(
        memberships, _("%(bot)s is not a member of %(ladder)s.") % {"bot": bot.name, "ladder": of.ladder}, bot=bot
    )
    tallies = SeatTally.objects.filter(season=of.season, membership=membership).select_related("version")
    met = PairTally.objects.filter(season=of.season, membership=membership).select_related("opponent__bot__owner")
    return MembershipPage(
        of=of,
        membership=membership,
        standing=_standing(membership, of),
        chart=rating_chart([trace(membership)]),
        tallies=list(tallies.defer("version__validation_report")),
        opponents=Paginator(met.order_by("-games", "opponent"), OPPONENTS_PER_PAGE).get_page(page),
    )


def _standing(membership: Membership, of: Of) -> Membership | FinalStanding | None:
    if of.season is None or of.season == of.seasons[0]:
        return membership
    return FinalStanding.objects.filter(season=of.season, membership=membership).first()


def _mean(stored: Mapping[str, Any]) -> Mean:
    """Return a stored mean. Documents of earlier releases have ``margin``, which is 0 for equal values."""
    if "margin" not in stored:
        return Mean(**stored)
    value, margin, count = stored["value"], stored["margin"], stored["count"]
    return Mean(value, value - margin, value + margin, count) if margin else Mean(value, None, None, count)


def share_of(tally: PairTally) -> PairShare:
    """The mean share of a pair's points with its 95 % interval, from the sums over blocks."""
    return pair_share(tally.blocks, tally.share_sum, tally.share_squares)


def shares_between(memberships: Sequence[Membership], of: Of) -> Mapping[tuple[int, int], Any]:
    """By membership and opponent, their shares; one query."""
    ids = [membership.pk for membership in memberships]
    tallies = PairTally.objects.filter(season=of.season, membership__in=ids, opponent__in=ids)
    return {(tally.membership_id, tally.opponent_id): Against(tally, share_of(tally)) for tally in tallies}


# --- The collusion report --------------------------------------------------------------------------------------------
#
# On ladders with people it also compares who finishes ahead of whom, which needs no trade.

SHOWN = 25
"""Pairs on a page, unless more stand out."""

_CUPS = 100


@dataclass(frozen=True)
class CollusionRow:
    """A pair of bots with its findings (``Transfer`` or ``Winning`` of ``ladder.statistics``)."""

    taker: Bot
    giver: Bot
    found: Mapping[str, Any]


@dataclass(frozen=True)
class CollusionReport:
    """The report of the latest season of a ladder, or of a ``cup``; ``measured`` is ``None`` until there is one.

    ``won`` are pairs of whom one is ahead of the other, ``won_pairs`` how many were compared for that. Both kinds are
    counted in ``standing_out``.
    """

    ladder: Ladder
    season: Season | None
    measured: datetime | None
    blocks: int
    pairs: int
    rows: Sequence[CollusionRow]
    standing_out: int
    won: Sequence[CollusionRow] = ()
    won_pairs: int = 0
    cup: Cup | None = None

    @property
    def name(self) -> str:
        return self.cup.title if self.cup else self.ladder.name

    @property
    def address(self) -> str:
        """The arguments of ``manage.py collusion_report``."""
        return f"--cup {self.cup.slug}" if self.cup else self.ladder.slug

    @property
    def game(self) -> Game:
        return GAMES[self.ladder.game]

    @property
    def alarms(self) -> list[CollusionRow]:
        """The flagged pairs."""
        return [row for row in self.rows if row.found["stands_out"]]

    @property
    def shown(self) -> list[CollusionRow]:
        """The pairs to list: each in the direction in which one gained more than expected."""
        gaining = [row for row in self.rows if row.found["excess"] > 0]
        return gaining[: max(SHOWN, len(self.alarms))]

    @property
    def won_alarms(self) -> list[CollusionRow]:
        """The flagged pairs in which one player may let the other win."""
        return [row for row in self.won if row.found["stands_out"]]

    @property
    def won_shown(self) -> list[CollusionRow]:
        """The pairs of this kind to list."""
        ahead = [row for row in self.won if row.found["excess"] > 0]
        return ahead[: max(SHOWN, len(self.won_alarms))]

    @property
    def compared(self) -> int:
        """The number of ordered pairs that were compared."""
        return max(self.pairs, self.won_pairs)

    @property
    def alarm(self) -> float:
        return ALARM

    @property
    def least_blocks(self) -> int:
        return LEAST_BLOCKS


def collusion_report(ladder: Ladder) -> CollusionReport:
    """The report of the latest season of ``ladder`` as it was last measured; three queries."""
    season = Season.objects.latest_of(ladder.pk).first()
    kept = SeasonStatistics.objects.filter(season=season).defer("document").first() if season else None
    return report_from(ladder, season, kept.measured if kept else None, kept.collusion if kept else {})


def cup_collusion_report(cup: Cup) -> CollusionReport:
    """The report of ``cup``, from its finished blocks. The players of a cup are bots, and all of them are code."""
    document = collusion_document(cup_blocks(cup))
    ids = {pair[side] for pair in document["found"] for side in ("taker", "giver")}
    bots = Bot.objects.select_related("owner").in_bulk(ids)
    return CollusionReport(
        ladder=cup.ladder,
        season=None,
        measured=timezone.now() if document["blocks"] else None,
        blocks=document["blocks"],
        pairs=document["pairs"],
        rows=[CollusionRow(bots[pair["taker"]], bots[pair["giver"]], pair) for pair in document["found"]],
        standing_out=_alarms(document),
        cup=cup,
    )


def collusion_reports() -> list[CollusionReport]:
    """The report of every ladder without its rows' bots; three queries."""
    latest = {season.ladder_id: season for season in Season.objects.order_by("number")}
    known = SeasonStatistics.objects.filter(season__in=latest.values()).defer("document")
    kept = {statistics.season_id: statistics for statistics in known}
    return [_short(ladder, latest.get(ladder.pk), kept) for ladder in Ladder.objects.order_by("pk")]


def _short(ladder: Ladder, season: Season | None, kept: Mapping[int, SeasonStatistics]) -> CollusionReport:
    latest = kept.get(season.pk) if season else None
    document = latest.collusion if latest else {}
    won = document.get("won", {})
    return CollusionReport(
        ladder=ladder,
        season=season,
        measured=latest.measured if latest else None,
        blocks=document.get("blocks", 0),
        pairs=document.get("pairs", 0),
        rows=(),
        standing_out=_alarms(document) + _alarms(won),
        won_pairs=won.get("pairs", 0),
    )


def report_from(
    ladder: Ladder, season: Season | None, measured: datetime | None, document: Mapping[str, Any]
) -> CollusionReport:
    """The report that ``ladder.season_statistics.collusion_document`` gives; one query."""
    won = document.get("won", {})
    pairs = [*document.get("found", ()), *won.get("found", ())]
    ids = {pair[side] for pair in pairs for side in ("taker", "giver")}
    members = Membership.objects.filter(pk__in=ids).select_related("bot__owner")
    bots = {membership.pk: membership.bot for membership in members}
    rows = [CollusionRow(bots[pair["taker"]], bots[pair["giver"]], pair) for pair in pairs]
    fed = len(document.get("found", ()))
    return CollusionReport(
        ladder=ladder,
        season=season,
        measured=measured,
        blocks=document.get("blocks", 0),
        pairs=document.get("pairs", 0),
        rows=rows[:fed],
        standing_out=_alarms(document) + _alarms(won),
        won=rows[fed:],
        won_pairs=won.get("pairs", 0),
    )


def _alarms(document: Mapping[str, Any]) -> int:
    return sum(pair["stands_out"] for pair in document.get("found", ()))


# --- Views -----------------------------------------------------------------------------------------------------------


@require_safe
def statistics(request: HttpRequest, slug: str) -> HttpResponse:
    page = statistics_page(season_of(request.user, slug, request.GET.get("season")))
    return render(request, "pages/statistics.html", {"page": page})


@require_safe
def head_to_head(request: HttpRequest, slug: str) -> HttpResponse:
    of = season_of(request.user, slug, request.GET.get("season"))
    return render(request, "pages/head_to_head.html", {"page": matrix_page(of, request.GET.get("page"))})


@require_safe
def membership(request: HttpRequest, slug: str, bot: str) -> HttpResponse:
    of = season_of(request.user, slug, request.GET.get("season"))
    page = entry_page(of, request.user, bot, request.GET.get("page"))
    return render(request, "pages/membership.html", {"page": page})


@require_safe
@for_staff
def collusion_index(request: HttpRequest) -> HttpResponse:
    """List all ladders with the summaries of their reports, and the latest cups of games with trading."""
    traded = [slug for slug, game in GAMES.items() if game.statistics.price_unit]
    cups = cups_seen_by(request.user).filter(ladder__game__in=traded, played_rounds__isnull=False).distinct()
    context = {"reports": collusion_reports(), "cups": cups.order_by("-starts_at", "-pk")[:_CUPS]}
    return render(request, "pages/collusion_index.html", context)


@require_safe
@for_staff
def collusion(request: HttpRequest, slug: str) -> HttpResponse:
    report = collusion_report(ladder_seen_by(request.user, slug))
    return render(request, "pages/collusion.html", {"report": report})


@require_safe
@for_staff
def cup_collusion(request: HttpRequest, slug: str) -> HttpResponse:
    report = cup_collusion_report(cup_seen_by(request.user, slug))
    return render(request, "pages/collusion.html", {"report": report})
