"""Creating a cup, and changing it before its registration closes."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.test import Client
from django.utils import timezone

from ladder.models import Cup
from tests.build import person, signed_in, verified
from tests.ladder.cups.cups import due, new_cup
from tests.page import page, parsed

pytestmark = pytest.mark.usefixtures("house")

NEW = "/cups/new/"


def local(time: datetime, zone: str = "UTC") -> str:
    return f"{time.astimezone(ZoneInfo(zone)):%Y-%m-%dT%H:%M}"


def fields(**changed: Any) -> dict[str, Any]:
    """The form of a Swiss cup whose registration closes tomorrow."""
    tomorrow = timezone.now() + timedelta(days=1)
    usual = {
        "title": "Club evening",
        "about": "",
        "game_format": "edel-stein-reich:3",
        "format": "swiss",
        "rounds": "4",
        "blocks": "2",
        "capacity": "24",
        "entries_per_user": "2",
        "at_a_table": "1",
        "visibility": "listed",
        "time_zone": "UTC",
        "closes_at": local(tomorrow),
        "starts_at": local(tomorrow + timedelta(hours=1)),
        "repeat_days": "",
    }
    return {**usual, **changed}


def test_visitors_sign_in_and_users_verify_their_email_address_first(client: Client) -> None:
    assert client.get(NEW).status_code == 302
    text = page(signed_in(person("ada")), NEW)
    assert "unverified" in text.notes
    assert not text.all("input", name="title")


def test_a_verified_user_creates_a_cup_with_times_in_a_time_zone() -> None:
    ada = signed_in(verified("ada"))
    assert [link for link in page(ada, "/cups/").links if link == NEW]
    start = (timezone.now() + timedelta(days=3)).replace(minute=30, second=0, microsecond=0)
    tokyo = local(start, "Asia/Tokyo")
    sent = fields(time_zone="Asia/Tokyo", closes_at=tokyo, starts_at=tokyo, repeat_days="7", visibility="link")
    response = ada.post(NEW, sent)
    cup = Cup.objects.get()
    assert response["Location"] == f"/cups/{cup.slug}/"
    assert (cup.starts_at, cup.closes_at, cup.time_zone) == (start, start, "Asia/Tokyo")
    assert (cup.ladder.game, cup.ladder.seats, cup.format, cup.rounds) == ("edel-stein-reich", 3, "swiss", 4)
    assert (cup.blocks, cup.capacity, cup.entries_per_user, cup.repeat_days, cup.listed) == (2, 24, 2, 7, False)
    assert cup.organizer is not None
    assert cup.organizer.username == "ada"
    assert "by-link" in page(ada, f"/cups/{cup.slug}/desk/").notes


def test_rounds_are_for_swiss_cups_only() -> None:
    signed_in(verified("ada")).post(NEW, fields(format="knockout"))
    assert Cup.objects.get().rounds is None


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"title": "Nazi cup"}, "title"),
        ({"title": "x" * 61}, "title"),
        ({"game_format": "edel-stein-reich:7"}, "game_format"),
        ({"format": "arena"}, "format"),
        ({"rounds": ""}, "rounds"),
        ({"capacity": "2"}, "capacity"),
        ({"format": "round-robin", "capacity": "500"}, "capacity"),
        ({"entries_per_user": "25"}, "entries_per_user"),
        ({"at_a_table": "4"}, "at_a_table"),
        ({"time_zone": "Mars/Base"}, "time_zone"),
        ({"closes_at": "2020-01-01T10:00"}, "closes_at"),
        ({"closes_at": "2027-03-28T02:30", "time_zone": "Europe/Berlin"}, "closes_at"),
        ({"starts_at": "2020-01-01T10:00"}, "starts_at"),
        ({"starts_at": "tomorrow"}, "starts_at"),
        ({"repeat_days": "400"}, "repeat_days"),
    ],
)
def test_errors_are_next_to_their_fields_and_nothing_is_lost(changed: dict[str, str], field: str) -> None:
    response = signed_in(verified("ada")).post(NEW, fields(**{"about": "Bring your bots.", **changed}))
    assert response.status_code == 422
    text = parsed(response)
    assert text.errors == {field}
    assert text.one("textarea", name="about").text == "Bring your bots."
    assert not Cup.objects.exists()


def test_an_organizer_changes_texts_and_times_before_the_deadline() -> None:
    cup = new_cup("swiss", time_zone="Asia/Tokyo")
    assert cup.organizer is not None
    organizer, address = signed_in(cup.organizer), f"/cups/{cup.slug}/desk/settings/"
    shown = {
        field["name"]: field.attributes.get("value", "") for field in page(organizer, address).all("input", name=True)
    }
    assert shown["starts_at"] == local(cup.starts_at, "Asia/Tokyo")
    sent = {name: shown[name] for name in ("closes_at", "starts_at", "repeat_days")}
    assert organizer.post(address, {**sent, "title": "Summer cup", "about": ""}).status_code == 302
    before, now = cup.starts_at, Cup.objects.get()
    assert (now.title, now.starts_at, now.slug) == ("Summer cup", before, cup.slug)
    assert cup.ledger.get().document["fields"] == ["title"]
    later = {**sent, "starts_at": local(before + timedelta(days=1), "Asia/Tokyo")}
    organizer.post(address, {**later, "title": "Summer cup", "about": ""})
    moved = page(organizer, f"/cups/{cup.slug}/ledger/").all("tr", data_kind="changed")[0]
    assert f"{before:%H:%M} UTC" in moved.text
    assert parsed(organizer.post(address, {**sent, "title": "", "about": ""})).errors == {"title"}
    assert signed_in(person("mallory")).get(address).status_code == 403
    due(cup)
    assert parsed(organizer.post(address, {**sent, "title": "Autumn cup", "about": ""})).errors == {""}
