"""Calendar files of cups (iCalendar, RFC 5545): the registration deadline and the start of each cup.

They contain only public data, in the language of the site and in UTC. The id of an event never changes, so calendar
apps that subscribe update the event when a cup is changed or canceled.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import chain
from math import ceil
from typing import Any, Final
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db.models import Count, Max, Q, QuerySet
from django.db.models.functions import Coalesce, Now
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from ladder.access import cups_seen_by, found
from ladder.models import Cup, CupLedgerEntry, CupSchedule
from ladder.pages.components.responses import unlisted
from ladder.pages.feeds import PUBLIC, absolute

MOST_CUPS: Final = 200
"""Maximum number of cups in a calendar."""


@require_safe
def cups_calendar(_request: HttpRequest) -> HttpResponse:
    """The listed cups that have not ended, and upcoming ones that were canceled."""
    current = Q(state__in=Cup.OPEN) | Q(state=Cup.State.CANCELLED, starts_at__gt=Now())
    cups = _dated(cups_seen_by(AnonymousUser()).filter(current, listed=True)).order_by("starts_at", "pk")
    name = _("Cups on %(site)s") % {"site": settings.SITE_NAME}
    return _response(name, cups[:MOST_CUPS], "cups.ics")


@require_safe
def cup_calendar(_request: HttpRequest, slug: str) -> HttpResponse:
    """One cup, whether it is in the list or not."""
    cup = found(_dated(cups_seen_by(AnonymousUser())), _("Cup not found."), slug=slug)
    return unlisted(_response(cup.title, [cup], f"{slug}.ics"), cup)


def _dated(cups: QuerySet[Cup]) -> QuerySet[Cup]:
    """Cups with their schedules and the number and time of their changes."""
    moved = Q(ledger__kind__in=[CupLedgerEntry.Kind.CHANGED, CupLedgerEntry.Kind.CANCELLED])
    return cups.annotate(
        changes=Count("ledger", filter=moved),
        changed=Coalesce(Max("ledger__created", filter=moved), "created"),
    ).select_related("schedule")


def _response(name: str, cups: Iterable[Cup], filename: str) -> HttpResponse:
    with translation.override(settings.LANGUAGE_CODE):
        body = _calendar(name, cups)
    headers = {"Content-Disposition": f'attachment; filename="{filename}"', "Cache-Control": PUBLIC}
    return HttpResponse(body, content_type="text/calendar; charset=utf-8", headers=headers)


# --- Events ----------------------------------------------------------------------------------------------------------


def _calendar(name: str, cups: Iterable[Cup]) -> bytes:
    """Encode a calendar with the display name ``name``."""
    from icalendar import Calendar, Event, vText  # needs 0.3 s, which only processes that write calendars pay

    calendar = Calendar()
    calendar.add("version", "2.0")
    calendar.add("prodid", f"-//{settings.SITE_NAME}//Cups//EN")
    calendar.add("method", "PUBLISH")
    calendar["x-wr-calname"] = vText(_clean(name))  # ``add`` would not escape a name that the standard lacks
    calendar.add("refresh-interval", timedelta(hours=6), parameters={"VALUE": "DURATION"})
    for properties in chain.from_iterable(_events(cup) for cup in cups):
        event = Event()
        for key, value in properties.items():
            event.add(key, value)
        calendar.add_component(event)
    encoded: bytes = calendar.to_ical(sorted=False)
    return encoded


def _events(cup: Any) -> Iterator[dict[str, Any]]:
    """The properties of two events: the registration deadline and the cup itself."""
    closing = _("Registration for %(title)s closes") % {"title": cup.title}
    yield _event(cup, "registration", closing, cup.closes_at, cup.closes_at)
    yield _event(cup, "start", cup.title, cup.starts_at, _end(cup))


def _event(cup: Any, what: str, summary: str, start: datetime, end: datetime) -> dict[str, Any]:
    page = absolute(reverse("pages:cup", args=[cup.slug]))
    canceled = cup.state == Cup.State.CANCELLED
    text = "\n\n".join(part for part in (cup.about, cup.reason if canceled else "", page) if part)
    return {
        "uid": f"cup-{cup.pk}-{what}@{urlsplit(settings.SITE_URL).hostname}",
        "dtstamp": cup.changed,
        "sequence": cup.changes,
        "status": "CANCELLED" if canceled else "CONFIRMED",
        "dtstart": start.astimezone(UTC),
        **({"dtend": end.astimezone(UTC)} if end > start else {}),
        "summary": _clean(summary),
        "description": _clean(text),
        "url": page,
        "transp": "TRANSPARENT",
    }


def _end(cup: Any) -> datetime:
    """The end of a cup, its estimated end, or its start if the duration is unknown."""
    started: datetime = cup.starts_at
    if cup.state == Cup.State.FINISHED:
        ended: datetime = cup.ended
        return max(started, ended)
    schedule: CupSchedule | None = getattr(cup, "schedule", None)
    if schedule is None:
        return started
    seconds = (sum(schedule.round_s) if schedule.round_s is not None else schedule.full_s) or 0
    since = schedule.computed if schedule.rounds else started
    return since + timedelta(minutes=ceil(seconds / 60))


def _clean(text: str) -> str:
    """Leave out control characters other than tabs and line breaks, which are invalid in iCalendar."""
    lines = "\n".join(text.splitlines())
    return "".join(char for char in lines if char in "\n\t" or (char >= " " and char != "\x7f"))
