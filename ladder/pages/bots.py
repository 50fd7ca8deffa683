"""The list of all bots, the best ranks first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final

from django.core.paginator import Page, Paginator
from django.db.models import Exists, F, OuterRef, Q, QuerySet, Sum
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from bots.models import Bot, BotVersion
from games.registry import GAMES
from ladder.access import public_bots
from ladder.models import Ladder, Membership
from ladder.models.ladders import Viewer
from ladder.pages.components.filters import OF, Choice, Column, Parameters, TableQuery, table_query
from ladder.pages.ladder import LANGUAGE, MINE
from ladder.pages.ladders import active_versions

ROWS: Final = 50
COLUMNS: Final = (
    Column("rank", gettext_lazy("Best rank"), falling=False),
    Column("bot", gettext_lazy("Bot"), falling=False, numeric=False),
    Column("games", gettext_lazy("Rated games")),
    Column("since", gettext_lazy("Created")),
)
FIELDS: Final = {"bot": "name", "games": "played", "since": "created"}
"""Sort field by column; ranks are computed."""

GAME: Final = Choice(
    "game", gettext_lazy("Game"), {"": gettext_lazy("All games"), **{game.slug: game.name for game in GAMES.values()}}
)
KIND: Final = Choice(
    "kind",
    gettext_lazy("Kind"),
    {"": gettext_lazy("All kinds"), "hosted": gettext_lazy("Hosted bots"), "remote": gettext_lazy("Remote bots")},
)
STATE: Final = Choice(
    "state",
    gettext_lazy("State"),
    {
        "": gettext_lazy("All states"),
        "playing": gettext_lazy("Active"),
        "paused": gettext_lazy("Paused"),
        "retired": gettext_lazy("Retired"),
    },
)
STANDS: Final = Q(active=True) | Q(games__gt=0)
"""Whether a membership makes its bot a player of the ladder's game."""

STATES: Final = {
    "playing": Q(retired=None, paused=None, suspended=None),
    "paused": Q(retired=None, paused__isnull=False),
    "retired": Q(retired__isnull=False),
}


# --- Best ranks ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Place:
    """The best place of a bot: its competition rank by rating among ``of`` players with rated games on ``ladder``."""

    rank: int
    of: int
    rating: int
    ladder: Ladder

    @property
    def order(self) -> tuple[int, int, int]:
        """The best rank first, then the rank among the most players, then the highest rating."""
        return self.rank, -self.of, -self.rating


def best_places(user: Viewer, game: str = "") -> dict[int, Place]:
    """The best place of every player with a rated game, on the ladders (of ``game``) that ``user`` may see.

    Two queries; the second reads the ratings of all members of these ladders.
    """
    ladders = Ladder.objects.visible_to(user).in_bulk()
    wanted = [ladder for ladder in ladders.values() if game in ("", ladder.game)]
    rated = Membership.objects.filter(ladder__in=wanted, games__gt=0).order_by("ladder", "-rating", "pk")
    best: dict[int, Place] = {}
    for ladder, members in groupby(rated.values_list("ladder", "bot", "rating"), key=lambda row: row[0]):
        for bot, place in _places(ladders[ladder], [(bot, rating) for _, bot, rating in members]):
            best[bot] = min(best.get(bot, place), place, key=lambda one: one.order)
    return best


def _places(ladder: Ladder, members: Sequence[tuple[int, int]]) -> Iterator[tuple[int, Place]]:
    rank, last = 0, None
    for number, (bot, rating) in enumerate(members, 1):
        rank, last = (rank if rating == last else number), rating
        yield bot, Place(rank, len(members), rating, ladder)


# --- The page --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Row:
    """A bot with its best place and the number of its active version."""

    bot: Bot
    played: int
    place: Place | None
    version: int | None


@dataclass(frozen=True)
class BotsPage:
    """One page of the list."""

    asked: TableQuery
    bots: Page[Any]
    rows: Sequence[Row]


def bots_page(parameters: Parameters, user: Viewer) -> BotsPage:
    """Return the page for the given query string. Seven queries."""
    asked = table_query(parameters, COLUMNS, (GAME, KIND, MINE if user.pk else OF, STATE, LANGUAGE))
    places = best_places(user, asked.values.get("game", ""))
    shown = Paginator(_ordered(_wanted(asked, user), places, asked), ROWS).get_page(parameters("page"))
    seen = Q(memberships__ladder__in=Ladder.objects.visible_to(user))
    listed = Bot.objects.select_related("owner").annotate(played=Sum("memberships__games", filter=seen, default=0))
    found = listed.in_bulk(list(shown))
    versions = active_versions(list(found))
    bots: list[Any] = [found[pk] for pk in shown]
    return BotsPage(asked, shown, [Row(bot, bot.played, places.get(bot.pk), versions.get(bot.pk)) for bot in bots])


def _ordered(bots: QuerySet[Bot], places: Mapping[int, Place], asked: TableQuery) -> Sequence[int] | QuerySet[Any, int]:
    """The ids of ``bots`` in the order of the page; bots without a rank come last."""
    if asked.column.key == "rank":
        ids = list(bots.order_by("name", "pk").values_list("pk", flat=True))
        ranked = sorted((pk for pk in ids if pk in places), key=lambda pk: places[pk].order, reverse=asked.falling)
        return [*ranked, *(pk for pk in ids if pk not in places)]
    field = F(FIELDS[asked.column.key])
    if asked.column.key == "games":
        bots = bots.annotate(played=Sum("memberships__games", default=0))
    return bots.order_by(field.desc() if asked.falling else field.asc(), "name", "pk").values_list("pk", flat=True)


def _wanted(asked: TableQuery, user: Viewer) -> QuerySet[Bot]:
    bots = public_bots()
    if asked.looked_for:
        bots = bots.filter(Q(name__icontains=asked.looked_for) | Q(owner__username__icontains=asked.looked_for))
    conditions = {
        "of": {"house": Q(owner=None), "people": Q(owner__isnull=False), "mine": Q(owner=user.pk)},
        "kind": {kind: Q(kind=kind) for kind in KIND.values},
        "state": STATES,
    }
    for name, by_value in conditions.items():
        if name in asked.values:
            bots = bots.filter(by_value[asked.values[name]])
    if "game" in asked.values:
        members = Membership.objects.filter(STANDS, bot=OuterRef("pk"), ladder__game=asked.values["game"])
        bots = bots.filter(Exists(members.filter(ladder__in=Ladder.objects.visible_to(user))))
    if "language" in asked.values:
        playing = BotVersion.objects.filter(bot=OuterRef("pk"), active=True, language=asked.values["language"])
        bots = bots.filter(Exists(playing))
    return bots


# --- Views -----------------------------------------------------------------------------------------------------------


@require_safe
def bots(request: HttpRequest) -> HttpResponse:
    return render(request, "pages/bots.html", {"page": bots_page(request.GET.get, request.user)})
