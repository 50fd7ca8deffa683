"""One bot on one ladder: its rating over time, and its results by version, seat, opponent and phase of the game."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page, Paginator
from django.utils.translation import gettext as _

from bots.models import Bot
from ladder.access import bot_seen_by, found
from ladder.models import Entry, FinalStanding, PairTally, SeatTally
from ladder.models.ladders import Viewer
from ladder.pages.charts.rating_chart import RatingChart, rating_chart
from ladder.pages.charts.traces import trace
from ladder.pages.statistics.figures import FigureTable, figure_table, together
from ladder.pages.statistics.season import Of
from ladder.ratings.shares import WIN
from ladder.statistics.pair_share import PairShare, pair_share

ROWS = 50


@dataclass(frozen=True)
class Row:
    """What was reached in some games: the share of opponents beaten and of first places, 0 to 1, and forfeits."""

    name: str
    games: int
    share: float
    first: float
    forfeits: int


@dataclass(frozen=True)
class Against:
    """What was reached against one opponent; ``share`` has its interval over blocks."""

    tally: PairTally
    share: PairShare

    @property
    def paid(self) -> float | None:
        """The mean paid for what was won from it."""
        return self.tally.paid / self.tally.bought if self.tally.bought else None

    @property
    def received(self) -> float | None:
        """The mean received for what was left to it."""
        return self.tally.received / self.tally.sold if self.tally.sold else None


@dataclass(frozen=True)
class EntryPage:
    """A bot on a ladder in a season; everything but the chart, which is of all seasons, is of blocks that are over.

    ``standing`` has its rating and games in the season: as they are, or as they were at its end; ``None`` if
    it did not play there.
    """

    of: Of
    entry: Entry
    standing: Entry | FinalStanding | None
    chart: RatingChart | None
    tallies: Sequence[SeatTally]
    opponents: Page[PairTally]

    @property
    def bot(self) -> Bot:
        return self.entry.bot

    @property
    def games(self) -> int:
        return sum(tally.games for tally in self.tallies)

    @property
    def versions(self) -> list[Row]:
        """A row a version, the newest first."""
        numbers = {tally.version.number: tally.version.number for tally in self.tallies}
        return [
            self._row(f"v{number}", (its for its in self.tallies if its.version.number == number))
            for number in sorted(numbers, reverse=True)
        ]

    @property
    def seats(self) -> list[Row]:
        """A row a seat at which it has sat."""
        return [
            self._row(_("seat %(number)s") % {"number": seat + 1}, (its for its in self.tallies if its.seat == seat))
            for seat in sorted({tally.seat for tally in self.tallies})
        ]

    @property
    def phases(self) -> FigureTable | None:
        return figure_table(self.of.game, together(tally.figures for tally in self.tallies), self.games)

    @property
    def against(self) -> list[Against]:
        """A row an opponent, the most often met first."""
        return [Against(tally, share_of(tally)) for tally in self.opponents]

    def _row(self, name: str, tallies: Iterable[SeatTally]) -> Row:
        its = list(tallies)
        games = sum(tally.games for tally in its)
        return Row(
            name=name,
            games=games,
            share=sum(tally.points for tally in its) / 2 / (self.of.ladder.seats - 1) / games,
            first=sum(tally.wins for tally in its) / WIN / games,
            forfeits=sum(tally.forfeits for tally in its),
        )


def entry_page(of: Of, user: Viewer, slug: str, page: str | None) -> EntryPage:
    """The page of the bot called ``slug`` on a ladder, with a page of its opponents. Raises ``Http404``."""
    bot = bot_seen_by(user, slug)
    entries = of.ladder.entries.select_related("bot__owner")
    entry = found(entries, _("%(bot)s is not on %(ladder)s.") % {"bot": bot.name, "ladder": of.ladder}, bot=bot)
    tallies = SeatTally.objects.filter(season=of.season, entry=entry).select_related("version")
    met = PairTally.objects.filter(season=of.season, entry=entry).select_related("opponent__bot__owner")
    return EntryPage(
        of=of,
        entry=entry,
        standing=_standing(entry, of),
        chart=rating_chart([trace(entry)]),
        tallies=list(tallies.defer("version__check_report")),
        opponents=Paginator(met.order_by("-games", "opponent"), ROWS).get_page(page),
    )


def _standing(entry: Entry, of: Of) -> Entry | FinalStanding | None:
    if of.season is None or of.season == of.seasons[0]:
        return entry
    return FinalStanding.objects.filter(season=of.season, entry=entry).first()


def share_of(tally: PairTally) -> PairShare:
    """The mean share of a pair's points with its 95 % interval, from the sums over blocks."""
    return pair_share(tally.blocks, tally.share_sum, tally.share_squares)


def shares_between(entries: Sequence[Entry], of: Of) -> Mapping[tuple[int, int], Any]:
    """By entry and opponent, their shares; one query."""
    ids = [entry.pk for entry in entries]
    tallies = PairTally.objects.filter(season=of.season, entry__in=ids, opponent__in=ids)
    return {(tally.entry_id, tally.opponent_id): Against(tally, share_of(tally)) for tally in tallies}
