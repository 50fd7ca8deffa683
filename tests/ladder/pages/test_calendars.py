from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st
from pytest_django import Settings

from ladder.cups.desk import CupChange, call_off, change
from ladder.models import Cup, CupForecast
from ladder.pages.calendars import LONGEST_LINE, escaped, folded
from tests.ladder.cups.cups import new_cup

DUEL = {"game": "edel-stein-reich-duel", "seats": 2}
CODES = {"\\\\": "\\", "\\;": ";", "\\,": ",", "\\n": "\n"}


@pytest.fixture
def cup(house: None) -> Cup:
    return new_cup("swiss", title="Cup; a, b \\ c", about="First line\nSecond line", **DUEL)


def events(path: str) -> list[dict[str, str]]:
    """The events of a calendar file, by property, read as RFC 5545 says."""
    answer = Client().get(path)
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "text/calendar; charset=utf-8"
    assert all(len(line) <= LONGEST_LINE for line in answer.content.split(b"\r\n"))
    lines = answer.content.replace(b"\r\n ", b"").decode().split("\r\n")
    assert (lines[0], lines[-2:]) == ("BEGIN:VCALENDAR", ["END:VCALENDAR", ""])
    found = list[dict[str, str]]()
    for line in lines:
        key, _, value = line.partition(":")
        if line == "BEGIN:VEVENT":
            found.append({})
        elif found:
            found[-1][key] = plain(value)
    return found


def plain(value: str) -> str:
    return re.sub(r"\\[\\;,n]", lambda code: CODES[code[0]], value)


def time(value: str) -> datetime:
    return datetime.strptime(value, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)


def test_a_cup_has_its_deadline_and_its_start_in_utc(cup: Cup, settings: Settings) -> None:
    settings.SITE_URL = "https://arena.example.org"
    registration, start = events(f"/cups/{cup.slug}/calendar.ics")
    assert [one["UID"] for one in (registration, start)] == [
        f"cup-{cup.pk}-registration@arena.example.org",
        f"cup-{cup.pk}-start@arena.example.org",
    ]
    assert time(registration["DTSTART"]) == cup.closes_at.replace(microsecond=0)
    assert time(start["DTSTART"]) == cup.starts_at.replace(microsecond=0)
    assert start["SUMMARY"] == cup.title
    assert start["DESCRIPTION"].startswith("First line\nSecond line\n\nhttps://")
    assert start["URL"] == f"https://arena.example.org/cups/{cup.slug}/"
    assert "DTEND" not in start
    assert events(f"/cups/{cup.slug}/calendar.ics") == [registration, start], (
        "nothing depends on the time of the request"
    )


def test_an_event_lasts_as_long_as_the_cup_is_estimated(cup: Cup) -> None:
    CupForecast.objects.create(cup=cup, rounds=0, basis="", computed=timezone.now(), round_s=[61, 59.5], full_s=9e9)
    _registration, start = events(f"/cups/{cup.slug}/calendar.ics")
    assert time(start["DTEND"]) - time(start["DTSTART"]) == timedelta(minutes=3)


def test_changes_and_cancellations_update_the_same_event(cup: Cup) -> None:
    assert cup.organizer is not None
    before = events("/cups/calendar.ics")
    later = cup.starts_at + timedelta(days=1)
    change(cup.organizer, cup, CupChange(cup.title, cup.about, cup.closes_at, later, None))
    moved = events("/cups/calendar.ics")
    assert [one["UID"] for one in moved] == [one["UID"] for one in before]
    assert [(one["SEQUENCE"], one["STATUS"]) for one in moved] == [("1", "CONFIRMED")] * 2
    assert time(moved[1]["DTSTART"]) == later.replace(microsecond=0)
    call_off(cup.organizer, cup, "No room.")
    canceled = events("/cups/calendar.ics")
    assert [(one["SEQUENCE"], one["STATUS"]) for one in canceled] == [("2", "CANCELLED")] * 2
    assert "No room." in canceled[1]["DESCRIPTION"]


def test_the_calendar_of_the_site_contains_listed_cups_that_have_not_ended(cup: Cup) -> None:
    hidden = new_cup("knockout", title="By link", listed=False, **DUEL)
    past = new_cup("knockout", title="Past", **DUEL)
    Cup.objects.filter(pk=past.pk).update(state="finished", ended=timezone.now(), entrants_hash="0" * 64)
    assert {one["UID"].split("@")[0] for one in events("/cups/calendar.ics")} == {
        f"cup-{cup.pk}-registration",
        f"cup-{cup.pk}-start",
    }
    assert len(events(f"/cups/{hidden.slug}/calendar.ics")) == 2
    assert Client().get("/cups/nothing/calendar.ics").status_code == 404


@given(st.text())
def test_every_text_can_be_read_again(text: str) -> None:
    read = plain(escaped(text))
    kept = "\n".join(text.splitlines())
    assert read == "".join(char for char in kept if char in "\n\t" or (char >= " " and char != "\x7f"))


@given(st.text(alphabet=st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]), max_size=300))
def test_lines_are_folded_between_characters(text: str) -> None:
    data = folded(f"SUMMARY:{text}")
    lines = data.removesuffix(b"\r\n").split(b"\r\n")
    assert all(len(line) <= LONGEST_LINE for line in lines)
    assert all(line.decode() for line in lines)
    assert data.replace(b"\r\n ", b"").decode() == f"SUMMARY:{text}\r\n"
