from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from esr_platform.accounts.errors import Refused, TooMany
from ladder.cups.creation import clean_title
from ladder.cups.desk import call_off
from ladder.models import Cup
from tests.build import DUEL, person, verified
from tests.ladder.cups.cups import new_cup

pytestmark = pytest.mark.usefixtures("house")


def refusal(**changed: Any) -> str:
    """The code with which a cup is refused."""
    with pytest.raises(Refused) as refused:
        new_cup(**{"format_": "swiss", **changed})
    return refused.value.code


def test_the_key_is_committed_when_the_cup_is_created_and_secret_until_it_ends() -> None:
    cup = new_cup("swiss")
    assert len(bytes(cup.key)) == 32
    assert len(cup.key_hash) == 64
    assert cup.public_key is None


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"seats": 7}, "unknown_format"),
        ({"game": "chess"}, "unknown_format"),
        ({"format_": "arena"}, "unknown_cup_format"),
        ({"capacity": 2}, "capacity"),
        ({"capacity": 10_000}, "capacity"),
        ({"format_": "round-robin", "capacity": 65}, "capacity"),
        ({"blocks": 0}, "blocks"),
        ({"game": DUEL, "seats": 2, "format_": "round-robin", "rounds": None, "capacity": 200}, "games"),
        ({"rounds": None}, "rounds"),
        ({"format_": "knockout", "rounds": 3}, "rounds"),
        ({"entries_per_user": 0}, "entries"),
        ({"repeat_days": 0}, "repeat_days"),
        ({"about": "a" * 1001}, "about"),
        ({"time_zone": "Middle-earth/Shire"}, "time_zone"),
    ],
)
def test_wrong_settings_of_a_cup_are_refused(changed: dict[str, Any], code: str) -> None:
    assert refusal(**changed) == code


def test_times_of_a_cup_must_be_ahead_and_in_order() -> None:
    now = timezone.now()
    for closes, starts, code in ((-1, 2, "too_early"), (3, 2, "start_early"), (1, 24 * 200, "too_late")):
        times = {"closes_at": now + timedelta(hours=closes), "starts_at": now + timedelta(hours=starts)}
        assert refusal(**times) == code


def test_a_title_is_used_once_and_an_organizer_has_a_limit(settings: Any) -> None:
    new_cup("swiss")
    assert refusal() == "title_taken"
    settings.MAX_OPEN_CUPS_PER_USER = 1
    with pytest.raises(TooMany):
        new_cup("knockout", organizer=Cup.objects.get().organizer)


def test_the_cups_of_an_organizer_have_a_limit_of_games_per_day(settings: Any) -> None:
    """A Swiss cup of 63 bots at 3 seats has 3 rounds of 21 tables, which play 6 games each."""
    settings.MAX_CUP_GAMES_PER_DAY = 3 * 21 * 6 + 20
    first = new_cup("swiss", capacity=63)
    assert refusal(format_="knockout", organizer=first.organizer) == "games_per_day"
    new_cup("swiss", organizer=verified("bea"), title="Other cup")
    small = new_cup("swiss", organizer=first.organizer, capacity=3, title="Small cup")
    assert refusal(format_="knockout", capacity=3, organizer=first.organizer) == "games_per_day"
    call_off(verified("olga"), small, "Too early.")
    new_cup("swiss", organizer=first.organizer, capacity=3, title="Another small cup")
    Cup.objects.update(created=timezone.now() - timedelta(hours=25))
    new_cup("knockout", organizer=first.organizer)


def test_users_without_a_verified_email_address_cannot_create_cups() -> None:
    assert refusal(organizer=person("ada")) == "email_not_verified"


@pytest.mark.parametrize(
    "title",
    [
        *("", " ", "-", "A" * 61, "Nazi cup", "C\u0443p", "Cup\u200b"),
        *("Steinreich", "Steinreich staff", "Staff, Steinreich", "STEINREICH-Staff"),
    ],
)
def test_unreadable_and_offensive_titles_are_refused(title: str) -> None:
    with pytest.raises(Refused) as refused:
        clean_title(title)
    assert refused.value.code == "title"


def test_open_cups_do_not_look_alike_and_slugs_stay_unique() -> None:
    first = new_cup("swiss", title="Spring Cup")
    assert first.slug == "spring-cup"
    assert refusal(title="SPRING-CUP") == "title_taken"
    call_off(verified("olga"), first, "Too early.")
    second = new_cup("swiss", title="Spring Cup", closes_at=first.closes_at, starts_at=first.starts_at)
    assert second.slug == f"spring-cup-{first.starts_at:%Y-%m-%d}"
    assert new_cup("swiss", title="New").slug.startswith("new-")


def test_the_url_of_a_cup_by_link_cannot_be_guessed() -> None:
    assert re.fullmatch(r"secret-cup-[0-9a-f]{16}", new_cup("swiss", title="Secret cup", listed=False).slug)


def test_a_description_has_lines_without_invisible_or_direction_changing_characters() -> None:
    cup = new_cup("swiss", about=" Bring your bots. \r\n\tAll are welcome.\n")
    assert cup.about == "Bring your bots.\n\tAll are welcome."
    for hidden in ("\u202e", "\u200b", "\u2066", "\x07", "\0", "\u2028"):
        with pytest.raises(Refused) as refused:
            new_cup("knockout", about=f"Bring your bots.\nAll are{hidden} welcome.")
        assert refused.value.code == "about"
