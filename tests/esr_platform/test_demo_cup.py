from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from ladder.models import Cup, Match
from tests.build import opened_house, person

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _local(settings: Settings) -> None:
    settings.ALLOWED_HOSTS = ["localhost"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("format_", "seats", "entrants", "games"),
    [("knockout", 2, 3, 4), ("round-robin", 2, 3, 6), ("swiss", 2, 2, 10), ("balanced", 3, 3, 6), ("halving", 2, 2, 2)],
)
def test_a_demo_cup_is_played_by_house_bots_and_verified(format_: str, seats: int, entrants: int, games: int) -> None:
    opened_house()
    out = StringIO()
    call_command("demo_cup", format=format_, entrants=entrants, stdout=out)
    cup = Cup.objects.get()
    assert cup.state == Cup.State.FINISHED
    assert cup.ladder.seats == seats
    assert Match.objects.filter(status="finished").count() >= games
    assert all(entry.bot.name in out.getvalue() for entry in cup.entries.all())
    assert "verified" in out.getvalue()


@pytest.mark.parametrize(
    ("wrong", "remedy"),
    [
        ({"entrants": 1}, "--entrants"),
        ({"format": "round-robin", "seats": 3}, "--format balanced"),
        ({"format": "balanced", "seats": 2}, "--format round-robin"),
        ({"seats": 9}, "--seats"),
    ],
)
def test_a_cup_that_cannot_be_played_is_refused_with_the_remedy(wrong: dict[str, object], remedy: str) -> None:
    opened_house()
    with pytest.raises(CommandError, match=remedy):
        call_command("demo_cup", **wrong)
    assert not Cup.objects.exists()


def test_a_site_with_real_accounts_is_left_alone() -> None:
    person("ada")
    with pytest.raises(CommandError, match="--anyway"):
        call_command("demo_cup")
