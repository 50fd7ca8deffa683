"""What somebody may know of: ladders that are not private or theirs, and what stands on those. Every page asks here."""

from __future__ import annotations

from typing import TypeVar

from django.db.models import Exists, OuterRef, QuerySet
from django.utils.translation import gettext

from bots.models import BotVersion
from ladder.models import Ladder, Match, Seat
from ladder.models.ladders import Viewer
from ladder.pages.finding import found

_Row = TypeVar("_Row")


def ladder_seen_by(user: Viewer, slug: str) -> Ladder:
    """The ladder at an address, if ``user`` may know of it. Raises ``Http404``."""
    return found(Ladder.objects.visible_to(user), gettext("No ladder is called %(name)s.") % {"name": slug}, slug=slug)


def matches_seen_by(user: Viewer) -> QuerySet[Match]:
    """The matches that ``user`` may know of."""
    return among_matches_seen_by(user, Match.objects.all())


def among_matches_seen_by(user: Viewer, matches: QuerySet[Match, _Row]) -> QuerySet[Match, _Row]:
    """Those of ``matches``, or of rows of them, that ``user`` may know of."""
    return matches.filter(ladder__in=Ladder.objects.visible_to(user))


def matches_in_order_seen_by(user: Viewer, matches: QuerySet[Match, _Row]) -> QuerySet[Match, _Row]:
    """The same matches, for whoever reads some of them by id: each is judged as it is read.

    The other way round a database may gather and sort all matches of all ladders for the newest ten.
    """
    return matches.filter(Exists(Ladder.objects.visible_to(user).filter(pk=OuterRef("ladder"))))


def with_seats_of(matches: QuerySet[Match, _Row], versions: QuerySet[BotVersion]) -> QuerySet[Match, _Row]:
    """Those of ``matches`` at which one of ``versions`` sits. Found from its seats, however much others have played."""
    return matches.filter(pk__in=Seat.objects.filter(version__in=versions).values("match"))


def match_seen_by(user: Viewer, match_id: int) -> Match:
    """The match at an address, with its ladder, if ``user`` may know of it. Raises ``Http404``."""
    return match_among(Match.objects.select_related("ladder"), user, match_id)


def match_among(matches: QuerySet[Match, _Row], user: Viewer, match_id: int) -> _Row:
    """The one of ``matches``, or of rows of them, at an address, as ``match_seen_by`` has it."""
    return found(
        among_matches_seen_by(user, matches),
        gettext("There is no match %(number)s.") % {"number": match_id},
        pk=match_id,
    )
