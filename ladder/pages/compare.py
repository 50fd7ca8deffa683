"""Compare two bots on one ladder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final
from urllib.parse import urlencode

from django.core.paginator import Page, Paginator
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from bots.models import Bot
from bots.tournaments.seatings import games_at_a_seat
from games.game import Game
from games.registry import GAMES
from ladder.access import bot_seen_by, ladder_seen_by, owns, public_players
from ladder.members.estimated_skill import Skill, skills_of
from ladder.models import Ladder, Membership, PairTally, Season, VersionTally
from ladder.models.ladders import Viewer
from ladder.pages.components.chart import Axis, RatingChart, axis, rating_chart
from ladder.pages.components.filters import Parameters, Tab, Tabs, ladder_tabs, whole_number
from ladder.pages.components.people import choosing_page
from ladder.pages.components.traces import traces
from ladder.pages.statistics import Against, share_of
from ladder.statistics.pair_share import PairShare, pair_share

# --- Results by seat -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SeatShare:
    """The share of points in one seat, with its interval over blocks."""

    share: PairShare
    games: int


@dataclass(frozen=True)
class SeatComparison:
    """A seat (from 0); a player who has not had it yet has no share."""

    seat: int
    direct: tuple[SeatShare | None, SeatShare | None]
    everybody: tuple[SeatShare | None, SeatShare | None]


def seat_rows(
    ladder: Ladder, direct: Sequence[PairTally | None], everybody: Sequence[Sequence[VersionTally]]
) -> list[SeatComparison]:
    """One row per seat, from the tallies of each against the other and of its versions. No queries."""
    rows = []
    in_a_block = games_at_a_seat(ladder.seats, live=ladder.live)
    for seat in range(ladder.seats):
        against = [_at(seat, [tally] if tally else [], in_a_block, 1) for tally in direct]
        overall = [_at(seat, tallies, in_a_block, ladder.seats - 1) for tallies in everybody]
        rows.append(SeatComparison(seat, (against[0], against[1]), (overall[0], overall[1])))
    return rows


def _at(
    seat: int, tallies: Sequence[PairTally] | Sequence[VersionTally], in_a_block: int, opponents: int
) -> SeatShare | None:
    """The sum of some tallies in one seat."""
    numbers = [tally.seats[seat] for tally in tallies if tally.seats]
    games, points, squares = (sum(sums[place] for sums in numbers) for place in range(3))
    return _share(in_a_block, games, points, squares, opponents)


def _share(in_a_block: int, games: int, points: int, squares: int, opponents: int) -> SeatShare | None:
    """From half points and the sum over blocks of the square of a block's; ``None`` without a game."""
    blocks, most = games // in_a_block, 2 * opponents * in_a_block
    return SeatShare(pair_share(blocks, points / most, squares / most**2), games) if blocks else None


# --- The page --------------------------------------------------------------------------------------------------------

OPPONENTS_PER_PAGE: Final = 25

Pair = tuple[Bot, Bot]


@dataclass(frozen=True)
class Side:
    """One of the two players: its membership, and the estimated skill of the version that it played last."""

    membership: Membership
    skill: Skill | None

    @property
    def bot(self) -> Bot:
        return self.membership.bot


@dataclass(frozen=True)
class Difference:
    """The difference of estimated skills in 1/1000 point, and half the length of its 95% CI."""

    value: int
    margin: int

    @property
    def sure(self) -> bool:
        """Whether the difference is statistically significant."""
        return abs(self.value) > self.margin


@dataclass(frozen=True)
class CommonOpponent:
    """The results of both players against a common opponent."""

    opponent: Membership
    results: tuple[Against, Against]

    @property
    def difference(self) -> float:
        """The difference of their shares of points."""
        return self.results[0].share.value - self.results[1].share.value


@dataclass(frozen=True)
class There:
    """The two players on one ladder in one season.

    ``direct`` are the results of the first against the second and vice versa, ``None`` if they never met.
    """

    ladder: Ladder
    season: Season | None
    seasons: Sequence[Season]
    sides: tuple[Side, Side]
    chart: RatingChart | None
    direct: tuple[Against, Against] | None
    seats: Sequence[SeatComparison]
    opponents: Page[PairTally]
    common: Sequence[CommonOpponent]

    @property
    def game(self) -> Game:
        return GAMES[self.ladder.game]

    @cached_property
    def axis(self) -> Axis:
        """The common axis of both."""
        skills = [side.skill for side in self.sides if side.skill]
        return axis(
            [
                *(side.membership.rating for side in self.sides),
                *(end for skill in skills for end in (skill.low, skill.high)),
            ]
        )

    @cached_property
    def difference(self) -> Difference | None:
        """The difference of the two estimates; ``None`` if one is missing."""
        first, second = (side.skill for side in self.sides)
        if first is None or second is None:
            return None
        margin = first.centred.margin_from(second.centred)
        return Difference(first.rating - second.rating, round(margin))

    @property
    def keep(self) -> str:
        """The beginning of the query string of other pages of the opponents."""
        asked = {"ladder": self.ladder.slug, "season": self.season.number if self.season else ""}
        return urlencode(asked) + "&"

    @property
    def tabs(self) -> list[Tabs]:
        """Links to all seasons; empty if there is only one."""
        here = f"?ladder={self.ladder.slug}&season="
        links = [
            Tab(f"{season.number}", f"Season {season.number}", f"{here}{season.number}", season == self.season)
            for season in self.seasons
        ]
        return [Tabs("Season", links)] if len(links) > 1 else []


@dataclass(frozen=True)
class ComparisonPage:
    """Two bots; ``there`` is ``None`` if no ladder has both. ``yours``: both belong to the viewer."""

    bots: Pair
    ladders: Sequence[Ladder]
    there: There | None
    yours: bool

    @property
    def tabs(self) -> list[Tabs]:
        """Links to the ladders that both are on."""
        return ladder_tabs(
            self.ladders, self.there.ladder if self.there else None, lambda ladder: f"?ladder={ladder.slug}"
        )


def bots_seen_by(user: Viewer, slugs: tuple[str, str]) -> Pair:
    """The bots with these slugs, if ``user`` may see them. Raises ``Http404``."""
    by_slug = {bot.slug: bot for bot in public_players().filter(slug__in=slugs)}
    first, second = (by_slug.get(slug) or bot_seen_by(user, slug) for slug in slugs)
    if first == second:
        raise Http404("A bot cannot be compared with itself. Choose two different bots.")
    return first, second


def comparison_page(bots: Pair, parameters: Parameters, user: Viewer) -> ComparisonPage:
    """The page of two bots for ``user``; eleven queries. Raises ``Http404`` for an unknown season."""
    memberships = _memberships(bots, user)
    ladders = sorted(
        memberships, key=lambda ladder: (-min(membership.games for membership in memberships[ladder]), ladder.pk)
    )
    wanted = [ladder for ladder in ladders if ladder.slug == parameters("ladder")] or ladders
    there = _there(wanted[0], memberships[wanted[0]], parameters) if wanted else None
    yours = all(owns(user, bot) for bot in bots)
    return ComparisonPage(bots, sorted(ladders, key=lambda ladder: ladder.pk), there, yours)


def _memberships(bots: Pair, user: Viewer) -> dict[Ladder, tuple[Membership, Membership]]:
    """The memberships of the two on each ladder that has both; one query."""
    seen = Membership.objects.listed().filter(bot__in=bots, ladder__in=Ladder.objects.visible_to(user))
    listed = seen.select_related("ladder", "bot__owner")
    by_place = {(membership.ladder, membership.bot): membership for membership in listed}
    first, second = bots
    return {
        ladder: (membership, by_place[ladder, second])
        for (ladder, bot), membership in by_place.items()
        if bot == first and (ladder, second) in by_place
    }


def _there(ladder: Ladder, memberships: tuple[Membership, Membership], parameters: Parameters) -> There:
    seasons = list(ladder.seasons.order_by("-number"))
    season = _season(seasons, parameters("season"))
    skills = skills_of(ladder, [membership.bot_id for membership in memberships], draws=True)
    first, second = (Side(membership, skills.get(membership.bot_id)) for membership in memberships)
    shown = _opponents(season, memberships, parameters("page"))
    tallies, versions = _tallies(season, memberships, list(shown)), _version_tallies(season, memberships)
    direct = [tallies.get(pair) for pair in (_ids(memberships), _ids(memberships)[::-1])]
    return There(
        ladder=ladder,
        season=season,
        seasons=seasons,
        sides=(first, second),
        chart=rating_chart(traces(memberships)),
        direct=_both(direct),
        seats=seat_rows(
            ladder,
            direct,
            [[tally for tally in versions if tally.membership_id == membership.pk] for membership in memberships],
        ),
        opponents=shown,
        common=[
            CommonOpponent(tally.opponent, (_against(tally), _against(tallies[memberships[1].pk, tally.opponent_id])))
            for tally in shown
        ],
    )


def _season(seasons: Sequence[Season], number: str | None) -> Season | None:
    wanted = whole_number(number)
    chosen = [season for season in seasons if wanted in (None, season.number)]
    if number and not (wanted and chosen):
        raise Http404("Season not found.")
    return chosen[0] if chosen else None


def _opponents(season: Season | None, memberships: tuple[Membership, Membership], page: str | None) -> Page[Any]:
    """The results of the first against common opponents, the most frequent first; two queries."""
    first, second = memberships
    of_second = PairTally.objects.filter(season=season, membership=second).values("opponent")
    met = PairTally.objects.filter(season=season, membership=first, opponent__in=of_second)
    return Paginator(
        met.select_related("opponent__bot__owner").order_by("-games", "opponent"), OPPONENTS_PER_PAGE
    ).get_page(page)


def _tallies(
    season: Season | None, memberships: tuple[Membership, Membership], shown: Sequence[PairTally]
) -> Mapping[tuple[int, int], PairTally]:
    """The second's tallies against these opponents, and those of the two against each other; one query."""
    first, second = memberships
    wanted = Q(membership=second, opponent__in=[tally.opponent_id for tally in shown])
    direct = Q(membership=first, opponent=second) | Q(membership=second, opponent=first)
    rows = PairTally.objects.filter(wanted | direct, season=season)
    return {(row.membership_id, row.opponent_id): row for row in rows}


def _version_tallies(season: Season | None, memberships: tuple[Membership, Membership]) -> list[VersionTally]:
    """The results of the versions of both against all opponents; one query."""
    return list(VersionTally.objects.filter(season=season, membership__in=memberships).defer("habits"))


def _both(direct: Sequence[PairTally | None]) -> tuple[Against, Against] | None:
    first, second = direct
    return (_against(first), _against(second)) if first and second else None


def _against(tally: PairTally) -> Against:
    return Against(tally, share_of(tally))


def _ids(memberships: tuple[Membership, Membership]) -> tuple[int, int]:
    return memberships[0].pk, memberships[1].pk


# --- Views -----------------------------------------------------------------------------------------------------------


@require_safe
def choose(request: HttpRequest) -> HttpResponse:
    """Show the form, or redirect to the comparison if both bots are known."""
    slug = request.GET.get("ladder")
    page = choosing_page(request.GET.get, ladder_seen_by(request.user, slug) if slug else None)
    if page.chosen is None:
        return render(request, "pages/compare.html", {"page": page})
    address = reverse("pages:comparison", args=[bot.slug for bot in page.chosen])
    return redirect(f"{address}?{urlencode({'ladder': slug})}" if slug else address)


@require_safe
def comparison(request: HttpRequest, first: str, second: str) -> HttpResponse:
    bots = bots_seen_by(request.user, (first, second))
    page = comparison_page(bots, request.GET.get, request.user)
    return render(request, "pages/comparison.html", {"page": page})
