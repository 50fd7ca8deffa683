from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from ladder.cups.desk import pause
from ladder.cups.registration import withdraw
from ladder.cups.schedules import OLD, update_due
from ladder.models import Cup, CupEntry, CupSchedule
from tests.build import DUEL, block_on, finish_block
from tests.ladder.cups.cups import due, entered, house_bots, new_cup, play_round, played_out

pytestmark = pytest.mark.usefixtures("house")


def of(cup: Cup) -> CupSchedule:
    return CupSchedule.objects.get(cup=cup)


def test_a_cup_with_too_few_entrants_has_no_tables_and_no_duration() -> None:
    cup = entered(new_cup("knockout"), house_bots(most=3))
    assert update_due() == 1
    assert of(cup).tables
    CupEntry.objects.filter(pk=cup.entries.all()[0].pk).update(state=CupEntry.State.WITHDRAWN)
    assert update_due() == 1
    assert (of(cup).tables, of(cup).round_s) == ([], None)


def test_a_schedule_follows_the_entries() -> None:
    cup = entered(new_cup("swiss", rounds=2), house_bots(most=3))
    update_due()
    assert of(cup).tables == [1, 1]
    assert update_due() == 0
    entered(cup, house_bots(most=6))
    assert update_due() == 1
    assert of(cup).tables == [2, 2]


def test_the_schedule_is_computed_when_a_bot_enters_or_leaves(django_capture_on_commit_callbacks: Any) -> None:
    cup = new_cup("swiss", rounds=2)
    assert cup.organizer is not None
    with django_capture_on_commit_callbacks(execute=True):
        entered(cup, house_bots(most=6))
    assert of(cup).tables == [2, 2]
    with django_capture_on_commit_callbacks(execute=True):
        for entry in cup.entries.order_by("pk")[:3]:
            withdraw(cup.organizer, entry)
    assert of(cup).tables == [1, 1]
    assert update_due() == 0


def test_a_site_that_has_played_states_a_duration_of_the_entered_and_of_a_full_cup() -> None:
    cup = entered(new_cup("swiss", game=DUEL, seats=2, rounds=2, capacity=16), house_bots(DUEL, 2, most=4))
    update_due()
    assert (of(cup).round_s, of(cup).full_s) == (None, None)
    finish_block(block_on(cup.ladder))
    CupSchedule.objects.update(computed=timezone.now() - OLD - timedelta(seconds=1))
    assert update_due() == 1
    assert of(cup).round_s is not None
    assert of(cup).full_s > sum(of(cup).round_s) > 0


def test_a_cup_without_a_schedule_does_not_stop_the_others() -> None:
    broken = entered(new_cup("swiss"), house_bots())
    other = entered(new_cup("knockout"), house_bots())
    finish_block(block_on(broken.ladder))
    Cup.objects.filter(pk=broken.pk).update(format="round-robin", rounds=None, capacity=5000)  # too many at 4 seats
    assert update_due() == 1
    assert of(other).tables
    assert not CupSchedule.objects.filter(cup=broken).exists()


@pytest.mark.parametrize("format_", ["swiss", "round-robin", "knockout", "halving"])
def test_each_round_shortens_the_schedule_until_the_cup_ends(format_: str) -> None:
    cup = due(entered(new_cup(format_), house_bots()))
    update_due()
    before = of(cup).tables
    play_round(cup)
    assert update_due() == 1
    assert (of(cup).rounds, of(cup).tables) == (1, before[1:])
    assert update_due() == 0
    played_out(cup)
    assert update_due() == 0


def test_actions_of_organizers_do_not_change_a_schedule() -> None:
    cup = due(entered(new_cup("swiss"), house_bots()))
    assert cup.organizer is not None
    update_due()
    pause(cup.organizer, cup, paused=True, reason="The rules change.")
    assert update_due() == 0


def test_the_final_ranks_are_stored_with_the_entries() -> None:
    cup = played_out(entered(new_cup("swiss"), house_bots()))
    standings = cup.ledger.get(kind="end").document["standings"]
    ranks = dict(cup.entries.values_list("number", "rank"))
    assert ranks == {entrant: rank for rank, entrant, _points in standings}
