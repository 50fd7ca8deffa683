from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from ladder.cups.chances import OLD, forecast_due
from ladder.cups.desk import pause
from ladder.models import Cup, CupEntry, CupForecast, CupLedgerEntry
from tests.ladder.cups.cups import due, entered, house_bots, new_cup, play_round, played_out

pytestmark = pytest.mark.usefixtures("house")


def of(cup: Cup, rounds: int = 0) -> CupForecast:
    return CupForecast.objects.get(cup=cup, rounds=rounds)


def test_a_cup_with_too_few_entrants_has_no_chances() -> None:
    cup = new_cup("knockout")
    assert forecast_due() == 1
    assert (of(cup).best, of(cup).chances) == (None, [])


def test_chances_before_the_deadline_are_those_of_the_entered_bots() -> None:
    cup = entered(new_cup("knockout"), house_bots(most=4))
    forecast_due()
    first = of(cup)
    assert {entry for entry, _chance in first.chances} <= set(cup.entries.values_list("pk", flat=True))
    assert sum(chance for _entry, chance in first.chances) == pytest.approx(1)
    assert forecast_due() == 0
    entered(cup, house_bots(most=5))
    assert forecast_due() == 1
    assert of(cup).basis != first.basis


def test_chances_are_unknown_again_if_too_few_bots_are_left() -> None:
    cup = entered(new_cup("knockout"), house_bots(most=3))
    forecast_due()
    assert of(cup).best is not None
    CupEntry.objects.filter(pk=cup.entries.all()[0].pk).update(state=CupEntry.State.WITHDRAWN)
    forecast_due()
    assert (of(cup).best, of(cup).chances, of(cup).tables) == (None, [], [])


def test_a_forecast_before_the_start_is_renewed_when_it_is_old() -> None:
    entered(new_cup("swiss"), house_bots())
    forecast_due()
    CupForecast.objects.update(computed=timezone.now() - OLD - timedelta(seconds=1))
    assert forecast_due() == 1


def test_a_cup_without_a_forecast_does_not_stop_the_others() -> None:
    broken = due(entered(new_cup("swiss"), house_bots()))
    other = entered(new_cup("knockout"), house_bots())
    CupLedgerEntry.objects.filter(cup=broken, kind="entrants").update(document={})
    assert forecast_due() == 1
    assert of(other).simulations > 0
    assert not CupForecast.objects.filter(cup=broken).exists()


@pytest.mark.parametrize("format_", ["swiss", "round-robin", "knockout", "halving"])
def test_each_round_brings_a_forecast_until_the_cup_ends(format_: str) -> None:
    cup = due(entered(new_cup(format_), house_bots()))
    forecast_due()
    play_round(cup)
    assert forecast_due() == 1
    assert of(cup, 1).simulations > 0
    assert forecast_due() == 0
    played_out(cup)
    assert forecast_due() == 0


def test_the_final_ranks_are_stored_with_the_entries() -> None:
    cup = played_out(entered(new_cup("swiss"), house_bots()))
    standings = cup.ledger.get(kind="end").document["standings"]
    ranks = dict(cup.entries.values_list("number", "rank"))
    assert ranks == {entrant: rank for rank, entrant, _points in standings}


def test_actions_of_organizers_bring_no_further_forecast() -> None:
    cup = due(entered(new_cup("swiss"), house_bots()))
    organizer = cup.organizer
    assert organizer is not None
    forecast_due()
    pause(organizer, cup, paused=True, reason="The rules change.")
    assert forecast_due() == 0
