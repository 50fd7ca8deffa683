"""The profile page of a user.

It shows only ladders and matches that ``ladder.access`` allows. Its totals count nothing else either.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.core.paginator import Page, Paginator
from django.db.models import Prefetch, Q, Sum
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from bots.models import Bot, BotVersion
from bots.programs import active_versions
from esr_platform.accounts.models import User
from ladder.access import matches_seen_by, person_seen_by, public_bots, with_seats_of
from ladder.models import CupEntry, Ladder, Match, Membership
from ladder.models.ladders import Viewer
from ladder.pages.components.filters import KeysetPage
from ladder.pages.cups import trophies
from ladder.pages.matches import listed_part

BOTS_PER_PAGE: Final = 20


@dataclass(frozen=True)
class PersonPage:
    """A user, a page of their bots (active bots first) with their ``versions``, and a page of their matches.

    ``by_hand`` are the user's own memberships as a human player, by ladder.
    """

    person: User
    by_hand: Sequence[Membership]
    bots: Page[Any]
    versions: Mapping[int, int]
    matches: KeysetPage[Match]
    trophies: Sequence[CupEntry]

    @property
    def games(self) -> int:
        """Rated games of the user and of the listed bots, on ladders that the viewer may see."""
        of_bots: int = sum(bot.played for bot in self.bots)
        return of_bots + sum(membership.games for membership in self.by_hand)

    @property
    def shown(self) -> Sequence[Bot]:
        """The bots of this page."""
        return list(self.bots.object_list)


def person_page(person: User, parameters: Callable[[str], str | None], viewer: Viewer) -> PersonPage:
    """The page of ``person`` for ``viewer``, in nine queries."""
    seen = Ladder.objects.visible_to(viewer)
    memberships = Membership.objects.listed().filter(ladder__in=seen).select_related("ladder").order_by("ladder")
    bots = (
        public_bots()
        .filter(owner=person)
        .annotate(played=Sum("memberships__games", filter=Q(memberships__ladder__in=seen), default=0))
        .prefetch_related(Prefetch("memberships", queryset=memberships))
        .order_by("retired", "name", "pk")
    )
    shown = Paginator(bots, BOTS_PER_PAGE).get_page(parameters("page"))
    matches = with_seats_of(matches_seen_by(viewer), BotVersion.objects.filter(bot__owner=person))
    started = matches.exclude(attempts_started=0)
    by_hand = list(memberships.filter(bot__owner=person, bot__kind=Bot.Kind.PERSON).select_related("bot"))
    return PersonPage(
        person,
        by_hand,
        shown,
        active_versions([bot.pk for bot in shown]),
        listed_part(started, parameters),
        trophies(public_bots().filter(owner=person), viewer),
    )


# --- Views -----------------------------------------------------------------------------------------------------------


@require_safe
def person(request: HttpRequest, username: str) -> HttpResponse:
    user = person_seen_by(request.user, username)
    if user.username != username:
        return redirect("pages:person", user.username, permanent=False)
    return render(request, "pages/person.html", {"page": person_page(user, request.GET.get, request.user)})
