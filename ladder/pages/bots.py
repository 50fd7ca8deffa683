"""The list of all bots."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.core.paginator import Page, Paginator
from django.db.models import Exists, F, OuterRef, Prefetch, Q, QuerySet, Sum
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from bots.models import Bot, BotVersion
from ladder.access import public_bots
from ladder.models import Ladder, Membership
from ladder.models.ladders import Viewer
from ladder.pages.components.filters import OF, Asked, Column, Parameters, asked_of
from ladder.pages.ladder import LANGUAGE, MINE
from ladder.pages.ladders import active_versions

ROWS: Final = 50
COLUMNS: Final = (
    Column("bot", gettext_lazy("Bot"), falling=False, numeric=False),
    Column("games", gettext_lazy("Rated games")),
    Column("since", gettext_lazy("Created")),
)
FIELDS: Final = {"bot": "name", "games": "played", "since": "created"}
"""Sort field by column."""

STANDS: Final = Q(active=True) | Q(games__gt=0)


@dataclass(frozen=True)
class BotsPage:
    """One page of the list; ``versions`` maps bots to the number of the active version."""

    asked: Asked
    bots: Page[Any]
    versions: Mapping[int, int]


def bots_page(parameters: Parameters, user: Viewer) -> BotsPage:
    """Return the page for the given query string. Four queries."""
    asked = asked_of(parameters, COLUMNS, (MINE if user.pk else OF, LANGUAGE))
    seen = Ladder.objects.visible_to(user)
    memberships = Membership.objects.filter(STANDS, ladder__in=seen).select_related("ladder").order_by("ladder")
    everybody = (
        _wanted(asked, user)
        .annotate(played=Sum("memberships__games", filter=Q(memberships__ladder__in=seen), default=0))
        .prefetch_related(Prefetch("memberships", queryset=memberships))
    )
    field = F(FIELDS[asked.column.key])
    order = field.desc() if asked.falling else field.asc()
    shown = Paginator(everybody.order_by(order, "name", "pk"), ROWS).get_page(parameters("page"))
    return BotsPage(asked, shown, active_versions([bot.pk for bot in shown]))


def _wanted(asked: Asked, user: Viewer) -> QuerySet[Bot]:
    bots = public_bots()
    if asked.looked_for:
        bots = bots.filter(Q(name__icontains=asked.looked_for) | Q(owner__username__icontains=asked.looked_for))
    whose = {"house": Q(owner=None), "people": Q(owner__isnull=False), "mine": Q(owner=user.pk)}
    if "of" in asked.values:
        bots = bots.filter(whose[asked.values["of"]])
    if "language" in asked.values:
        playing = BotVersion.objects.filter(bot=OuterRef("pk"), active=True, language=asked.values["language"])
        bots = bots.filter(Exists(playing))
    return bots


# --- Views -----------------------------------------------------------------------------------------------------------


@require_safe
def bots(request: HttpRequest) -> HttpResponse:
    return render(request, "pages/bots.html", {"page": bots_page(request.GET.get, request.user)})
