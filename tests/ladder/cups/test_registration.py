from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from bots.models import Bot
from esr_platform.accounts.errors import Refused, TooMany
from ladder.cups.registration import enter, withdraw
from ladder.models import Cup, CupEntry, CupLedgerEntry
from tests.build import DUEL, person, uploaded
from tests.ladder.cups.cups import due, entered, house_bots, new_cup

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
        ({"rounds": None}, "rounds"),
        ({"format_": "knockout", "rounds": 3}, "rounds"),
        ({"entries_per_user": 0}, "entries"),
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
    assert refusal() == "slug_taken"
    settings.MAX_OPEN_CUPS_PER_USER = 1
    with pytest.raises(TooMany):
        new_cup("knockout", organizer=Cup.objects.get().organizer)


def test_a_user_enters_own_bots_up_to_the_limits() -> None:
    ada = person("ada")
    bots = [uploaded(ada, name) for name in ("One", "Two")]
    cup = new_cup("swiss", game="edel-stein-reich-duel", seats=2)
    entry = enter(ada, cup, bots[0])
    assert enter(ada, cup, bots[0]) == entry
    with pytest.raises(Refused) as refused:
        enter(ada, cup, bots[1])
    assert refused.value.code == "entries_per_user"
    with pytest.raises(Refused) as refused:
        enter(person("bea"), cup, bots[0])
    assert refused.value.code == "not_your_bot"
    withdraw(ada, entry)
    assert enter(ada, cup, bots[1]).state == CupEntry.State.ENTERED


def test_a_full_cup_and_one_after_its_deadline_are_refused() -> None:
    bots = house_bots()
    cup = entered(new_cup("swiss", capacity=3), bots[:3])
    assert cup.organizer is not None
    with pytest.raises(Refused) as refused:
        enter(cup.organizer, cup, bots[3])
    assert refused.value.code == "full"
    Cup.objects.filter(pk=cup.pk).update(closes_at=cup.created, starts_at=cup.starts_at)
    with pytest.raises(Refused) as refused:
        enter(cup.organizer, cup, bots[0])
    assert refused.value.code == "registration_closed"


def test_a_bot_without_the_format_cannot_enter() -> None:
    ada = person("ada")
    bot = uploaded(ada)
    with pytest.raises(Refused) as refused:
        enter(ada, new_cup("swiss", seats=4), bot)
    assert refused.value.code == "not_playable"


def test_versions_and_owners_freeze_at_the_deadline() -> None:
    ada = person("ada")
    mine = [uploaded(ada, name) for name in ("One", "Two")]
    cup = new_cup("swiss", game=DUEL, seats=2, entries_per_user=2)
    due(entered(cup, [*mine, *house_bots(DUEL, 2)[:3]]))
    document = CupLedgerEntry.objects.get(cup=cup, kind="entrants").document
    owners = {one["bot"]: one["owner"] for one in document["entrants"]}
    assert owners[mine[0].pk] == owners[mine[1].pk] is not None
    assert [owner for bot, owner in owners.items() if bot not in {one.pk for one in mine}] == [None] * 3
    frozen = CupEntry.objects.filter(cup=cup).order_by("number")
    assert [entry.number for entry in frozen] == list(range(5))
    assert all(entry.version is not None and entry.version.active for entry in frozen)
    assert "key" not in document
    assert Bot.objects.filter(pk=mine[0].pk).exists()
