"""What somebody may know of: ladders that are not private or theirs, and what stands on those. Every page asks here."""

from __future__ import annotations

from django.db.models import QuerySet
from django.utils.translation import gettext

from bots.models import BotVersion
from ladder.models import Ladder, Match, Seat
from ladder.models.ladders import Viewer
from ladder.pages.finding import found


def ladder_seen_by(user: Viewer, slug: str) -> Ladder:
    """The ladder at an address, if ``user`` may know of it. Raises ``Http404``."""
    return found(Ladder.objects.visible_to(user), gettext("No ladder is called %(name)s.") % {"name": slug}, slug=slug)


def matches_seen_by(user: Viewer) -> QuerySet[Match]:
    """The matches that ``user`` may know of."""
    return Match.objects.filter(ladder__in=Ladder.objects.visible_to(user))


def with_seats_of(matches: QuerySet[Match], versions: QuerySet[BotVersion]) -> QuerySet[Match]:
    """Those of ``matches`` at which one of ``versions`` sits. Found from its seats, however much others have played."""
    return matches.filter(pk__in=Seat.objects.filter(version__in=versions).values("match"))


def match_seen_by(user: Viewer, match_id: int) -> Match:
    """The match at an address, with its ladder, if ``user`` may know of it. Raises ``Http404``."""
    return found(
        matches_seen_by(user).select_related("ladder"),
        gettext("There is no match %(number)s.") % {"number": match_id},
        pk=match_id,
    )
