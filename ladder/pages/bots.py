"""The list of all bots, the best ranks first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.core.paginator import Page, Paginator
from django.db.models import Exists, OuterRef, Q, QuerySet, Sum
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from bots.models import Bot, BotVersion
from bots.programs import active_versions
from games.registry import GAMES
from ladder.access import public_bots
from ladder.members.standings import LadderRank, best_ranks
from ladder.models import Ladder, Membership
from ladder.models.ladders import Viewer
from ladder.pages.components.filters import OF, Choice, Column, Parameters, TableQuery, table_query
from ladder.pages.ladder import LANGUAGE, MINE

BOTS_PER_PAGE: Final = 50
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
STATES: Final = {
    "playing": Q(retired=None, paused=None, suspended=None),
    "paused": Q(retired=None, paused__isnull=False),
    "retired": Q(retired__isnull=False),
}


# --- The page --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class BotRow:
    """A bot with its best rank and the number of its active version."""

    bot: Bot
    played: int
    best: LadderRank | None
    version: int | None


@dataclass(frozen=True)
class BotsPage:
    """One page of the list."""

    asked: TableQuery
    bots: Page[Any]
    rows: Sequence[BotRow]


def bots_page(parameters: Parameters, user: Viewer) -> BotsPage:
    """Return the page for the given query string. Seven queries."""
    asked = table_query(parameters, COLUMNS, (GAME, KIND, MINE if user.pk else OF, STATE, LANGUAGE))
    ranks = best_ranks(user, asked.values.get("game", ""))
    shown = Paginator(_ordered(_wanted(asked, user), ranks, asked), BOTS_PER_PAGE).get_page(parameters("page"))
    seen = Q(memberships__ladder__in=Ladder.objects.visible_to(user))
    listed = Bot.objects.select_related("owner").annotate(played=Sum("memberships__games", filter=seen, default=0))
    by_pk = listed.in_bulk(list(shown))
    versions = active_versions(list(by_pk))
    bots: list[Any] = [by_pk[pk] for pk in shown]
    return BotsPage(asked, shown, [BotRow(bot, bot.played, ranks.get(bot.pk), versions.get(bot.pk)) for bot in bots])


def _ordered(
    bots: QuerySet[Bot], ranks: Mapping[int, LadderRank], asked: TableQuery
) -> Sequence[int] | QuerySet[Any, int]:
    """The ids of ``bots`` in the order of the page; bots without a rank come last."""
    if asked.column.key == "rank":
        ids = list(bots.order_by("name", "pk").values_list("pk", flat=True))
        ranked = sorted((pk for pk in ids if pk in ranks), key=lambda pk: ranks[pk].order, reverse=asked.falling)
        return [*ranked, *(pk for pk in ids if pk not in ranks)]
    if asked.column.key == "games":
        bots = bots.annotate(played=Sum("memberships__games", default=0))
    return bots.order_by(asked.order(FIELDS), "name", "pk").values_list("pk", flat=True)


def _wanted(asked: TableQuery, user: Viewer) -> QuerySet[Bot]:
    bots: QuerySet[Bot] = asked.search(public_bots())
    conditions = {
        "of": {"house": Q(owner=None), "people": Q(owner__isnull=False), "mine": Q(owner=user.pk)},
        "kind": {kind: Q(kind=kind) for kind in KIND.values},
        "state": STATES,
    }
    for name, by_value in conditions.items():
        if name in asked.values:
            bots = bots.filter(by_value[asked.values[name]])
    if "game" in asked.values:
        members = Membership.objects.listed().filter(bot=OuterRef("pk"), ladder__game=asked.values["game"])
        bots = bots.filter(Exists(members.filter(ladder__in=Ladder.objects.visible_to(user))))
    if "language" in asked.values:
        playing = BotVersion.objects.filter(bot=OuterRef("pk"), active=True, language=asked.values["language"])
        bots = bots.filter(Exists(playing))
    return bots


# --- Views -----------------------------------------------------------------------------------------------------------


@require_safe
def bots(request: HttpRequest) -> HttpResponse:
    return render(request, "pages/bots.html", {"page": bots_page(request.GET.get, request.user)})
