from __future__ import annotations

import pytest

from esr_platform.accounts.errors import Refused
from esr_platform.accounts.models import User
from ladder.cups.desk import Ruling, call_off, pause, remove, rule
from ladder.cups.progress import advance
from ladder.cups.verification import faults
from ladder.models import Cup, CupEntry, CupLedgerEntry, CupRound, CupTable, Match
from tests.build import make_void, person
from tests.ladder.cups.cups import due, entered, house_bots, new_cup, play_round, played_out

pytestmark = pytest.mark.usefixtures("house")


def running(format_: str = "swiss") -> Cup:
    return due(entered(new_cup(format_), house_bots()))


def organizer_of(cup: Cup) -> User:
    assert cup.organizer is not None
    return cup.organizer


def test_a_paused_cup_ends_its_round_and_begins_no_other() -> None:
    cup = running()
    pause(organizer_of(cup), cup, paused=True)
    play_round(cup)
    assert [one.ended is not None for one in CupRound.objects.filter(cup=cup)] == [True]
    pause(organizer_of(cup), cup, paused=False)
    assert advance() == 1
    assert CupRound.objects.filter(cup=cup).count() == 2


@pytest.mark.parametrize("format_", ["swiss", "round-robin", "knockout", "halving"])
def test_a_cup_goes_on_without_a_disqualified_entrant(format_: str) -> None:
    cup = running(format_)
    entry = CupEntry.objects.get(cup=cup, number=0)
    remove(organizer_of(cup), entry, "It copied another bot.", disqualified=True)
    played_out(cup)
    assert cup.state == Cup.State.FINISHED
    assert list(faults(cup)) == []
    standings = CupLedgerEntry.objects.get(cup=cup, kind="end").document["standings"]
    assert standings[0][1] != 0


def test_only_organizers_and_staff_use_the_desk() -> None:
    cup, stranger = running(), person("mallory")
    entry = CupEntry.objects.get(cup=cup, number=0)
    for act in (
        lambda: pause(stranger, cup, paused=True),
        lambda: remove(stranger, entry, "No reason."),
        lambda: call_off(stranger, cup, "No reason."),
        lambda: rule(stranger, CupTable.objects.all()[0], Ruling.VOID, "No reason."),
    ):
        with pytest.raises(Refused) as refused:
            act()
        assert refused.value.code == "not_organizer"


def test_a_ruling_replaces_a_result_in_the_ledger_and_no_record() -> None:
    cup = running()
    play_round(cup)
    table = CupTable.objects.filter(round__cup=cup, round__number=1).order_by("index")[0]
    matches = list(Match.objects.filter(block__cup_table=table).values_list("pk", "status"))
    winner = table.entrants[table.points.index(max(table.points))]
    rule(organizer_of(cup), table, Ruling.LOSS, "It used a forbidden library.", entrant=winner)
    ruling = CupLedgerEntry.objects.get(cup=cup, kind="ruling")
    assert ruling.document["points"][table.entrants.index(winner)] == 0
    assert ruling.author == cup.organizer
    assert list(Match.objects.filter(block__cup_table=table).values_list("pk", "status")) == matches
    played_out(cup)
    assert list(faults(cup)) == []


def test_a_void_block_is_replaced_by_the_next_deal_for_its_table_only() -> None:
    cup = running()
    table = CupTable.objects.filter(round__cup=cup).order_by("index")[0]
    others = {one.pk: one.blocks.count() for one in CupTable.objects.filter(round__cup=cup).exclude(pk=table.pk)}
    match = Match.objects.select_related("ladder", "block").filter(block__cup_table=table).order_by("pk")[0]
    make_void(match)
    play_round(cup)
    assert [block.cup_deal.number for block in table.blocks.order_by("pk")] == [1, 2]
    assert {one.pk: one.blocks.count() for one in CupTable.objects.filter(pk__in=others)} == others
    played_out(cup)
    assert list(faults(cup)) == []


def test_a_canceled_cup_names_its_reason_and_plays_no_more_games() -> None:
    cup = running()
    call_off(organizer_of(cup), cup, "The room is closed.")
    cup.refresh_from_db()
    assert (cup.state, cup.reason) == (Cup.State.CANCELLED, "The room is closed.")
    matches = Match.objects.filter(block__cup_table__round__cup=cup)
    assert not matches.filter(status="queued").exists()
    assert advance() == 1
    assert not matches.filter(block__ended=None).exists()


def test_every_decision_needs_a_reason() -> None:
    cup = running()
    with pytest.raises(Refused) as refused:
        call_off(organizer_of(cup), cup, "  ")
    assert refused.value.code == "reason"
