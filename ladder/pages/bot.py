"""The bot page: ladders, statistics, versions and matches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Any, Final

from django.db.models import OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from bots.models import Bot, BotVersion
from bots.tournaments.seatings import games_at_a_seat, games_of_a_deal
from games.registry import GAMES
from games.statistics import Habit
from games.words import listing
from ladder.access import (
    bot_seen_by,
    code_seen_by,
    matches_seen_by,
    may_read,
    may_read_source,
    owns,
    with_seats_of,
)
from ladder.members.estimated_skill import version_estimates
from ladder.members.standings import RankedMembership, memberships_of
from ladder.models import CupEntry, Estimate, Ladder, Match, Membership, PairTally, VersionTally
from ladder.models.ladders import Viewer
from ladder.pages.components.chart import Axis, RatingChart, axis, chart_of
from ladder.pages.components.filters import KeysetPage, whole_number
from ladder.pages.components.people import player_address
from ladder.pages.components.words import Reason, reasons
from ladder.pages.cups import trophies
from ladder.pages.matches import listed_part
from ladder.pages.my_bots import Panel, panel
from ladder.pages.remote_bots import Presence, presence
from ladder.statistics.habits import FEW, HabitSums, Practice, practice
from ladder.statistics.pair_share import PairShare, pair_share
from ladder.statistics.tallies import SeatPoints, added_seats

# --- Versions --------------------------------------------------------------------------------------------------------

VERSIONS_PER_PAGE: Final = 12
_STATE = BotVersion.State


@dataclass(frozen=True)
class VersionsPage:
    """One page of a bot's versions, newest first, each with its number of rated games in the statistics.

    ``before`` is the cursor for older versions; ``newer`` is true if newer versions exist. ``spoken_of`` are the active
    version, the queued ones and the newest one, whether or not they are among ``rows``.
    """

    rows: Sequence[tuple[BotVersion, int]]
    before: int | None
    newer: bool
    spoken_of: Sequence[BotVersion]

    def __bool__(self) -> bool:
        return bool(self.rows)

    @property
    def active(self) -> BotVersion | None:
        """The active version."""
        return next((version for version in self.spoken_of if version.active), None)


def versions_of(bot: Bot, everything: bool, older_than: str | None, user: Viewer) -> VersionsPage:
    """Return versions below the given number, or the newest; only validated ones unless ``everything``.

    One query. It counts games on ladders that ``user`` may see.
    """
    start = whole_number(older_than)
    listed = bot.versions.all() if everything else bot.versions.filter(state=_STATE.READY)
    listed = listed if start is None else listed.filter(number__lt=start)
    part = listed.order_by("-number").values("pk")[: VERSIONS_PER_PAGE + 1]
    versions = list(_of(bot, user).filter(_concerned(bot) | Q(pk__in=part)))
    rows = [version for version in versions if _is_listed(version, everything, start)][: VERSIONS_PER_PAGE + 1]
    shown = rows[:VERSIONS_PER_PAGE]
    return VersionsPage(
        rows=[(version, version.played) for version in shown],
        before=shown[-1].number if len(rows) > VERSIONS_PER_PAGE else None,
        newer=start is not None,
        spoken_of=list(spoken_of(bot, versions)),
    )


def spoken_of(bot: Bot, among: Sequence[BotVersion] | None = None) -> Sequence[BotVersion]:
    """Return the active version, the queued ones and the newest one, newest first.

    One query, or none if ``among`` contains the versions that were already read.
    """
    if among is None:
        return list(_plain(bot).filter(_concerned(bot)))
    return [
        version
        for place, version in enumerate(among)
        if not place or version.active or version.state in BotVersion.UNVALIDATED
    ]


def _is_listed(version: BotVersion, everything: bool, start: int | None) -> bool:
    return (everything or version.state == _STATE.READY) and (start is None or version.number < start)


def _concerned(bot: Bot) -> Q:
    newest = bot.versions.order_by("-number").values("number")[:1]
    return Q(active=True) | Q(state__in=BotVersion.UNVALIDATED) | Q(number=newest)


def _plain(bot: Bot) -> QuerySet[BotVersion]:
    return bot.versions.select_related("bot").defer("validation_report").order_by("-number")


def _of(bot: Bot, user: Viewer) -> QuerySet[Any]:
    """Return the versions of ``bot`` with their number of games as ``played``."""
    seen = VersionTally.objects.filter(version=OuterRef("pk"), membership__ladder__in=Ladder.objects.visible_to(user))
    games = seen.order_by().values("version").annotate(number=Sum("games")).values("number")
    return _plain(bot).annotate(played=Coalesce(Subquery(games), 0))


# --- Habits ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class HabitRow:
    """One habit: the value of the version (``None`` without data) and of all players on the ladder."""

    habit: Habit
    own: Practice | None
    mean: Practice | None

    @property
    def apart(self) -> bool:
        """Whether the ladder's mean lies outside the version's interval."""
        if self.own is None or self.mean is None or self.own.low is None or self.own.high is None:
            return False
        return not self.own.low <= self.mean.value <= self.own.high


@dataclass(frozen=True)
class HabitGroup:
    """Habits in one table."""

    title: str
    rows: Sequence[HabitRow]


@dataclass(frozen=True)
class HabitTables:
    """The habits of a version, with the numbers of blocks and games."""

    version: int
    blocks: int
    games: int
    groups: Sequence[HabitGroup]


def tallies_of(membership: Membership, season: int | None) -> Sequence[VersionTally]:
    """Return the tallies of the membership's versions in a season, with the season's statistics. One query."""
    tallies = VersionTally.objects.filter(season=season, membership=membership).select_related(
        "version", "season__statistics"
    )
    return list(
        tallies.defer("version__validation_report", "season__statistics__document", "season__statistics__collusion")
    )


def habit_tables(tallies: Sequence[VersionTally], game: str) -> HabitTables | None:
    """Return the habits of the newest version with at least ``FEW`` blocks, else of the newest; ``None`` without any.

    ``tallies`` belong to one membership and season (see ``tallies_of``).
    """
    newest = sorted(tallies, key=lambda tally: -tally.version.number)
    shown = next((tally for tally in newest if tally.blocks >= FEW), next(iter(newest), None))
    if shown is None:
        return None
    everybody: HabitSums = shown.season.statistics.habits
    rows = [_row(habit, shown.habits, everybody) for habit in GAMES[game].statistics.habit_columns]
    known = [row for row in rows if row.own or row.mean]
    groups = [HabitGroup(title, list(group)) for title, group in groupby(known, key=lambda row: row.habit.group)]
    return HabitTables(shown.version.number, shown.blocks, shown.games, groups) if groups else None


def _row(habit: Habit, own: Mapping[str, Sequence[int]], everybody: Mapping[str, Sequence[int]]) -> HabitRow:
    return HabitRow(habit, _practice(habit, own), _practice(habit, everybody))


def _practice(habit: Habit, sums: Mapping[str, Sequence[int]]) -> Practice | None:
    return practice(sums[habit.key], habit.share, habit.scale) if habit.key in sums else None


# --- Opponents -------------------------------------------------------------------------------------------------------

SHOWN: Final = 8
"""Number of opponents on a bot page."""


@dataclass(frozen=True)
class Cell:
    """A share of opponents beaten, with its interval over blocks."""

    share: PairShare
    games: int


@dataclass(frozen=True)
class HeatRow:
    """Results against ``opponent`` or all (``None``): total and by own seat, ``None`` for unused seats."""

    opponent: Membership | None
    total: Cell | None
    seats: Sequence[Cell | None]


@dataclass(frozen=True)
class HeatMap:
    """A row for all opponents and one for each of the ``SHOWN`` most frequent; ``more`` if there are others."""

    everybody: HeatRow
    opponents: Sequence[HeatRow]
    more: bool

    @property
    def rows(self) -> list[HeatRow]:
        """All rows, the total first."""
        return [self.everybody, *self.opponents]

    @property
    def seats(self) -> range:
        """The numbers of the seats."""
        return range(len(self.everybody.seats))


def heat_map(membership: Membership, season: int, tallies: Iterable[VersionTally]) -> HeatMap | None:
    """Return the heat map of ``membership`` in a season; ``None`` before the first block is finished.

    ``tallies`` contains all versions. One query.
    """
    own: SeatPoints = []
    total = [0, 0, 0]
    for tally in tallies:
        own = added_seats(own, tally.seats)
        total = [total[0] + tally.games, total[1] + tally.points, total[2] + tally.squares]
    if not own:
        return None
    met = PairTally.objects.filter(season=season, membership=membership).select_related("opponent__bot__owner")
    opponents = list(met.order_by("-games", "opponent")[: SHOWN + 1])
    ladder, others = membership.ladder, membership.ladder.seats - 1
    games = games_of_a_deal(ladder.seats, live=ladder.live)
    everybody = HeatRow(None, _cell(total, games, others), _cells(own, ladder, others))
    return HeatMap(everybody, [_against(tally, ladder) for tally in opponents[:SHOWN]], len(opponents) > SHOWN)


def _against(tally: PairTally, ladder: Ladder) -> HeatRow:
    total = pair_share(tally.blocks, tally.share_sum, tally.share_squares)
    return HeatRow(tally.opponent, Cell(total, tally.games), _cells(tally.seats, ladder, 1))


def _cells(points: SeatPoints, ladder: Ladder, opponents: int) -> list[Cell | None]:
    games = games_at_a_seat(ladder.seats, live=ladder.live)
    return [_cell(sums, games, opponents) for sums in points]


def _cell(points: Sequence[int], games: int, opponents: int) -> Cell | None:
    """Return the cell for counts of games, half points and squares."""
    played, half, squares = points
    if not played:
        return None
    most = 2 * games * opponents
    return Cell(pair_share(played // games, half / most, squares / most**2), played)


# --- Ladders ---------------------------------------------------------------------------------------------------------


def chosen_of(memberships: Sequence[RankedMembership], slug: str | None) -> RankedMembership | None:
    """Return the membership on ladder ``slug``; without a slug the active one with the most games.

    Raises ``Http404`` if the bot is not on that ladder.
    """
    if slug:
        named = next((one for one in memberships if one.ladder.slug == slug), None)
        if named is None:
            raise Http404(_("This bot is not on the ladder %(slug)s.") % {"slug": slug})
        return named
    return max(memberships, key=lambda one: (one.membership.active, one.games), default=None)


# --- Estimated skill of versions -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class VersionRow:
    """A version's estimate; ``level`` is the number of the next newer version if they are statistically tied."""

    estimate: Estimate
    level: int | None


@dataclass(frozen=True)
class SkillByVersion:
    """Estimates of one season, newest version first; never empty."""

    estimates: Sequence[Estimate]

    @property
    def newest(self) -> Estimate:
        return self.estimates[0]

    @cached_property
    def axis(self) -> Axis:
        """The axis that contains all intervals."""
        return axis([end for estimate in self.estimates for end in (estimate.low, estimate.high)])

    @property
    def rows(self) -> list[VersionRow]:
        newer: Sequence[Estimate | None] = [None, *self.estimates]
        return [
            VersionRow(estimate, None if above is None or estimate.told_apart_from(above) else above.version.number)
            for above, estimate in zip(newer, self.estimates, strict=False)
        ]

    @property
    def said(self) -> str:
        """A sentence that compares the newest version with all older ones; empty if it is the only one."""
        newest, older = self.newest, self.estimates[1:]
        apart = [estimate for estimate in older if newest.told_apart_from(estimate)]
        parts = [
            (
                _("has a higher estimated skill than %(versions)s"),
                [estimate for estimate in apart if estimate.rating < newest.rating],
            ),
            (
                _("has a lower estimated skill than %(versions)s"),
                [estimate for estimate in apart if estimate.rating > newest.rating],
            ),
            (_("is statistically tied with %(versions)s"), [estimate for estimate in older if estimate not in apart]),
        ]
        comparisons = [text % {"versions": _names(versions)} for text, versions in parts if versions]
        if not comparisons:
            return ""
        return _("%(version)s %(what)s.") % {"version": _name(newest), "what": "; ".join(comparisons)}


def skill_by_version(estimates: Sequence[Estimate]) -> SkillByVersion | None:
    """Sort the ``estimates`` of one ladder's season by version; ``None`` without any."""
    return SkillByVersion(sorted(estimates, key=lambda estimate: -estimate.version.number)) if estimates else None


def newest_by_ladder(estimates: Sequence[Estimate]) -> dict[int, Estimate]:
    """Return the newest version's estimate by ladder id."""
    return {
        estimate.season.ladder_id: estimate
        for estimate in sorted(estimates, key=lambda estimate: estimate.version.number)
    }


def _name(estimate: Estimate) -> str:
    return f"v{estimate.version.number}"


def _names(versions: Sequence[Estimate]) -> str:
    return listing([_name(estimate) for estimate in versions])


# --- The page --------------------------------------------------------------------------------------------------------

MATCHES = 12
"""Matches per page."""


@dataclass(frozen=True)
class BotPage:
    """The content of a bot page.

    ``presence`` is ``None`` for hosted bots. ``panel`` is for the owner and staff, who also see versions that were not
    validated. ``chart``, ``skill``, ``heat`` and ``habits`` belong to the latest season of the ``chosen`` ladder.
    """

    bot: Bot
    memberships: Sequence[RankedMembership]
    chosen: RankedMembership | None
    versions: VersionsPage
    matches: KeysetPage[Match]
    presence: Presence | None
    panel: Panel | None
    source_opens: bool
    estimates: Mapping[int, Estimate]
    chart: RatingChart | None
    skill: SkillByVersion | None
    heat: HeatMap | None
    habits: HabitTables | None
    trophies: Sequence[CupEntry]

    @property
    def active(self) -> BotVersion | None:
        return self.versions.active

    @property
    def games(self) -> int:
        """Rated games on all ladders."""
        return sum(membership.games for membership in self.memberships)

    @property
    def queued(self) -> int:
        """Queued rated matches on all ladders."""
        return sum(membership.queued for membership in self.memberships)

    @property
    def few(self) -> int:
        """Minimum number of blocks for an interval."""
        return FEW


def bot_page(bot: Bot, parameters: Callable[[str], str | None], user: Viewer) -> BotPage:
    """Return the page of ``bot`` for ``user``, with the ladder and the list pages from the query string.

    Eleven queries, eight if the chart is cached, two more for a remote bot, and up to four more for owner and staff.
    Raises ``Http404`` for a ladder on which ``user`` cannot see the bot.
    """
    matches = with_seats_of(matches_seen_by(user), bot.versions.all())
    inside = may_read(user, bot)
    versions = versions_of(bot, inside, parameters("versions"), user)
    ranked = memberships_of(bot, user)
    listed = [one for one in ranked if one.membership.listed]
    chosen = chosen_of(listed, parameters("ladder"))
    estimates = version_estimates(bot, user)
    memberships = [one.membership for one in ranked]
    return BotPage(
        bot=bot,
        memberships=listed,
        chosen=chosen,
        versions=versions,
        matches=listed_part(matches.exclude(attempts_started=0), parameters, MATCHES),
        presence=presence(bot, matches),
        panel=panel(bot, versions.spoken_of, memberships, owns(user, bot)) if inside else None,
        source_opens=versions.active is not None and may_read_source(user, versions.active),
        estimates=newest_by_ladder(estimates),
        trophies=trophies(Bot.objects.filter(pk=bot.pk), user),
        **(_on_ladder(chosen, estimates) if chosen else _NOWHERE),
    )


_NOWHERE: Final[Mapping[str, Any]] = dict.fromkeys(("chart", "skill", "heat", "habits"))


def _on_ladder(chosen: RankedMembership, estimates: Sequence[Estimate]) -> Mapping[str, Any]:
    """Return the parts of the page for one ladder. Three queries, three more if the chart is not cached."""
    membership, season = chosen.membership, chosen.season
    tallies = tallies_of(membership, season)
    of_ladder = [estimate for estimate in estimates if estimate.season.ladder_id == membership.ladder_id]
    return {
        "chart": chart_of(membership, of_ladder),
        "skill": skill_by_version(of_ladder),
        "heat": heat_map(membership, season, tallies) if season else None,
        "habits": habit_tables(tallies, membership.ladder.game),
    }


# --- Views -----------------------------------------------------------------------------------------------------------


@require_safe
def bot(request: HttpRequest, slug: str) -> HttpResponse:
    player = bot_seen_by(request.user, slug)
    if player.kind == Bot.Kind.PERSON:
        address = player_address(player)
        if not address:
            raise Http404(_("%(name)s does not have a bot page.") % {"name": player.name})
        return redirect(address)
    page = bot_page(player, request.GET.get, request.user)
    return render(request, "pages/bot.html", {"page": page})


# --- Why a bot does not play ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class WaitsPage:
    """Reasons why ``bot`` is not playing; always empty for house bots."""

    bot: Bot
    waits: Sequence[Reason]


def waits_page(bot: Bot, user: Viewer) -> WaitsPage:
    """Return the reasons that ``user`` may see. At most eleven queries."""
    if bot.owner_id is None:
        return WaitsPage(bot, ())
    seen = Membership.objects.filter(bot=bot, ladder__in=Ladder.objects.visible_to(user)).select_related("ladder")
    memberships = list(seen.order_by("ladder"))
    return WaitsPage(bot, reasons(bot, spoken_of(bot), memberships, inside=may_read(user, bot)))


@require_safe
def waits(request: HttpRequest, slug: str) -> HttpResponse:
    page = waits_page(code_seen_by(request.user, slug), request.user)
    return render(request, "pages/bot_waits.html", {"page": page})
