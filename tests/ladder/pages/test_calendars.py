from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from icalendar import Calendar
from pytest_django import Settings

from ladder.cups.desk import CupChange, call_off, change
from ladder.models import Cup, CupSchedule
from tests.ladder.cups.cups import new_cup

DUEL = {"game": "edel-stein-reich-duel", "seats": 2}
LONGEST_LINE = 75
"""In bytes, without the line break (RFC 5545, section 3.1)."""


@pytest.fixture
def cup(house: None) -> Cup:
    return new_cup("swiss", title="Cup; a, b \\ c", about="First line\nSecond line", **DUEL)


def events(path: str) -> list[dict[str, Any]]:
    """The events of a calendar file, by property, as icalendar reads them."""
    answer = Client().get(path)
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "text/calendar; charset=utf-8"
    assert all(len(line) <= LONGEST_LINE for line in answer.content.split(b"\r\n"))
    calendar = Calendar.from_ical(answer.content.decode())
    assert isinstance(calendar, Calendar)
    assert [str(calendar[name]) for name in ("VERSION", "METHOD")] == ["2.0", "PUBLISH"]
    assert "\n" not in str(calendar["X-WR-CALNAME"])
    assert calendar.decoded("REFRESH-INTERVAL") == timedelta(hours=6)
    assert not [event.errors for event in calendar.events if event.errors]
    return [{key: plain(event.decoded(key)) for key in event} for event in calendar.events]


def plain(value: Any) -> Any:
    return value.decode() if isinstance(value, bytes) else value


def test_a_cup_has_its_deadline_and_its_start_in_utc(cup: Cup, settings: Settings) -> None:
    settings.SITE_URL = "https://arena.example.org"
    registration, start = events(f"/cups/{cup.slug}/calendar.ics")
    assert [event["UID"] for event in (registration, start)] == [
        f"cup-{cup.pk}-registration@arena.example.org",
        f"cup-{cup.pk}-start@arena.example.org",
    ]
    assert registration["DTSTART"] == cup.closes_at.replace(microsecond=0)
    assert start["DTSTART"] == cup.starts_at.replace(microsecond=0)
    assert start["SUMMARY"] == cup.title
    assert start["DESCRIPTION"].startswith("First line\nSecond line\n\nhttps://")
    assert start["URL"] == f"https://arena.example.org/cups/{cup.slug}/"
    assert "DTEND" not in start
    assert rb"X-WR-CALNAME:Cup\; a\, b \\ c" in Client().get(f"/cups/{cup.slug}/calendar.ics").content
    assert events(f"/cups/{cup.slug}/calendar.ics") == [registration, start], (
        "nothing depends on the time of the request"
    )


def test_an_event_lasts_as_long_as_the_cup_is_estimated(cup: Cup) -> None:
    CupSchedule.objects.create(cup=cup, rounds=0, basis="", computed=timezone.now(), round_s=[61, 59.5], full_s=9e9)
    _registration, start = events(f"/cups/{cup.slug}/calendar.ics")
    assert start["DTEND"] - start["DTSTART"] == timedelta(minutes=3)
    CupSchedule.objects.update(rounds=1, computed=cup.starts_at + timedelta(hours=2))
    _registration, start = events(f"/cups/{cup.slug}/calendar.ics")
    assert start["DTEND"] - start["DTSTART"] == timedelta(hours=2, minutes=3)


def test_changes_and_cancellations_update_the_same_event(cup: Cup) -> None:
    assert cup.organizer is not None
    before = events("/cups/calendar.ics")
    later = cup.starts_at + timedelta(days=1)
    change(cup.organizer, cup, CupChange(cup.title, cup.about, cup.closes_at, later, None))
    moved = events("/cups/calendar.ics")
    assert [event["UID"] for event in moved] == [event["UID"] for event in before]
    assert [(event["SEQUENCE"], event["STATUS"]) for event in moved] == [(1, "CONFIRMED")] * 2
    assert moved[1]["DTSTART"] == later.replace(microsecond=0)
    call_off(cup.organizer, cup, "No room.")
    canceled = events("/cups/calendar.ics")
    assert [(event["SEQUENCE"], event["STATUS"]) for event in canceled] == [(2, "CANCELLED")] * 2
    assert "No room." in canceled[1]["DESCRIPTION"]


def test_the_calendar_of_the_site_contains_listed_cups_that_have_not_ended(cup: Cup) -> None:
    hidden = new_cup("knockout", title="By link", listed=False, **DUEL)
    past = new_cup("knockout", title="Past", **DUEL)
    Cup.objects.filter(pk=past.pk).update(state="finished", ended=timezone.now(), entrants_hash="0" * 64)
    assert {event["UID"].split("@")[0] for event in events("/cups/calendar.ics")} == {
        f"cup-{cup.pk}-registration",
        f"cup-{cup.pk}-start",
    }
    assert len(events(f"/cups/{hidden.slug}/calendar.ics")) == 2
    assert Client().get("/cups/nothing/calendar.ics").status_code == 404


@pytest.mark.parametrize(
    "title", ["\x00\x07bell", "tab\tand\x7fdelete", "ö" * 80, "e\u0301🏆" * 20, "a\u2028b", ",;:\\n"]
)
def test_every_title_can_be_read_again_without_its_control_characters(cup: Cup, title: str) -> None:
    Cup.objects.filter(pk=cup.pk).update(title=title)
    kept = title.translate(dict.fromkeys([0, 7, 127])).replace("\u2028", "\n")
    assert events(f"/cups/{cup.slug}/calendar.ics")[1]["SUMMARY"] == kept
