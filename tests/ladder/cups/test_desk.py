from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.utils import timezone

from bots.tournaments.tables import Ruling
from esr_platform.accounts.errors import Refused, TooMany
from esr_platform.accounts.models import User
from ladder.access import may_run, organizes
from ladder.cups import desk
from ladder.cups.desk import (
    CupChange,
    add_organizer,
    call_off,
    change,
    pause,
    remove,
    remove_organizer,
    reserve,
    rule,
)
from ladder.cups.progress import advance
from ladder.cups.registration import enter
from ladder.cups.verification import faults
from ladder.matches.leases import claim, give_back
from ladder.matches.schedule import fill
from ladder.matches.throughput import recent
from ladder.matches.traffic import traffic
from ladder.models import Attempt, Cup, CupEntry, CupLedgerEntry, CupRound, CupTable, Match
from tests.build import finished, make_void, person, staff
from tests.ladder.cups.cups import due, entered, house_bots, new_cup, play_round, played_out

pytestmark = pytest.mark.usefixtures("house")


def running(format_: str = "swiss", **more: Any) -> Cup:
    return due(entered(new_cup(format_, **more), house_bots()))


def organizer_of(cup: Cup) -> User:
    assert cup.organizer is not None
    return cup.organizer


def test_a_paused_cup_ends_its_round_and_begins_no_other() -> None:
    cup = running()
    pause(organizer_of(cup), cup, paused=True, reason="A bot is repaired.")
    play_round(cup)
    assert [round_.ended is not None for round_ in CupRound.objects.filter(cup=cup)] == [True]
    pause(organizer_of(cup), cup, paused=False)
    assert advance() == 1
    assert CupRound.objects.filter(cup=cup).count() == 2


@pytest.mark.parametrize("format_", ["swiss", "round-robin", "knockout", "halving"])
def test_a_cup_goes_on_without_a_disqualified_entrant_who_ranks_last(format_: str) -> None:
    cup = running(format_)
    entry = CupEntry.objects.get(cup=cup, number=0)
    remove(organizer_of(cup), entry, "It copied another bot.", disqualified=True)
    played_out(cup)
    assert cup.state == Cup.State.FINISHED
    assert list(faults(cup)) == []
    standings = CupLedgerEntry.objects.get(cup=cup, kind="end").document["standings"]
    entry.refresh_from_db()
    assert standings[-1][:2] == [entry.rank, 0]


def test_only_organizers_and_staff_use_the_desk() -> None:
    cup, stranger = running(), person("mallory")
    entry = CupEntry.objects.get(cup=cup, number=0)
    for act in (
        lambda: pause(stranger, cup, paused=True, reason="No reason."),
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


def test_a_ruling_in_a_running_round_does_not_reveal_the_points_of_its_games() -> None:
    cup = running()
    table, other = CupTable.objects.filter(round__cup=cup).order_by("index")[:2]
    for match in Match.objects.select_related("ladder", "block").filter(block__cup_table=table):
        finished(match, variety=match.seating)
    advance()
    table.refresh_from_db()
    assert table.points is not None
    for ruled in (table, other):
        rule(organizer_of(cup), ruled, Ruling.LOSS, "It used a forbidden library.", entrant=ruled.entrants[0])
    first, second = CupLedgerEntry.objects.filter(cup=cup, kind="ruling").values_list("document__points", flat=True)
    assert first == second != table.points
    assert not rule(organizer_of(cup), table, Ruling.LOSS, "It used a forbidden library.", entrant=table.entrants[0])
    assert list(faults(played_out(cup))) == []


def test_a_void_block_is_replaced_at_its_table_only() -> None:
    cup = running()
    table = CupTable.objects.filter(round__cup=cup).order_by("index")[0]
    others = {table.pk: table.blocks.count() for table in CupTable.objects.filter(round__cup=cup).exclude(pk=table.pk)}
    match = Match.objects.select_related("ladder", "block").filter(block__cup_table=table).order_by("pk")[0]
    make_void(match)
    play_round(cup)
    assert [block.number for block in table.blocks.order_by("pk")] == [1, 2]
    assert {table.pk: table.blocks.count() for table in CupTable.objects.filter(pk__in=others)} == others
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


def test_a_reason_is_one_line_without_invisible_or_direction_changing_characters() -> None:
    cup = running()
    for hidden in ("\u202e", "\u200b", "\u2066", "\x07", "\0", "a\u0301\u0301\u0301\u0301"):
        with pytest.raises(Refused) as refused:
            pause(organizer_of(cup), cup, paused=True, reason=f"The rules{hidden} change.")
        assert refused.value.code == "reason"
    assert pause(organizer_of(cup), cup, paused=True, reason="The rules\r\n change. ")
    assert CupLedgerEntry.objects.get(cup=cup, kind="paused").reason == "The rules change."


def test_a_ruling_waits_for_the_games_of_its_table_that_workers_play() -> None:
    cup = running()
    table = CupTable.objects.filter(round__cup=cup).order_by("index")[0]
    lease = claim(Match.objects.filter(block__cup_table=table).order_by("pk")[0].pk, "here")
    assert lease is not None
    rule(organizer_of(cup), table, Ruling.VOID, "Its deal leaked.")
    play_round(cup)
    assert CupRound.objects.get(cup=cup).ended is None
    give_back(lease, Attempt.Ending.FAILED, "the disk is full")
    play_round(cup)
    assert CupRound.objects.filter(cup=cup, ended=None, number=1).count() == 0


def test_the_same_ruling_twice_is_one_entry_of_the_ledger() -> None:
    cup = running()
    table = CupTable.objects.filter(round__cup=cup).order_by("index")[0]
    assert rule(organizer_of(cup), table, Ruling.BYE, "Its deal leaked.")
    assert not rule(organizer_of(cup), table, Ruling.BYE, "Its deal leaked.")
    assert CupLedgerEntry.objects.filter(cup=cup, kind="ruling").count() == 1
    assert rule(organizer_of(cup), table, Ruling.BYE, "Its deal was published.")


@pytest.mark.parametrize("format_", ["knockout", "halving"])
def test_no_ruling_changes_a_result_that_the_next_round_was_paired_from(format_: str) -> None:
    cup = running(format_)
    for _ in range(4):  # blocks that decide ties
        if CupRound.objects.filter(cup=cup).count() == 1:
            play_round(cup)
    assert CupRound.objects.filter(cup=cup).count() == 2
    table = CupTable.objects.filter(round__cup=cup, round__number=1).order_by("index")[0]
    with pytest.raises(Refused) as refused:
        rule(organizer_of(cup), table, Ruling.VOID, "Too late.")
    assert refused.value.code == "already_paired"


def test_pausing_and_resuming_are_in_the_ledger_once() -> None:
    cup = new_cup("swiss")
    assert pause(organizer_of(cup), cup, paused=True, reason="The rules change.")
    assert not pause(organizer_of(cup), cup, paused=True, reason="The rules change.")
    assert pause(organizer_of(cup), cup, paused=False)
    entries = CupLedgerEntry.objects.filter(cup=cup).values_list("kind", "reason", "author__username")
    assert list(entries) == [("paused", "The rules change.", "olga"), ("resumed", None, "olga")]


def test_a_disqualified_bot_cannot_enter_again() -> None:
    cup = new_cup("swiss")
    bots = house_bots()
    entry = enter(organizer_of(cup), cup, bots[0])
    assert remove(organizer_of(cup), entry, "It copies another bot.", disqualified=True)
    assert not remove(organizer_of(cup), entry, "It copies another bot.", disqualified=True)
    with pytest.raises(Refused) as refused:
        enter(organizer_of(cup), cup, bots[0])
    assert refused.value.code == "disqualified"
    played_out(entered(cup, bots[1:4]))
    assert list(faults(cup)) == []


def test_co_organizers_run_the_cup_and_only_the_main_organizer_chooses_them() -> None:
    cup, bea, carl = new_cup("swiss"), person("bea"), person("carl")
    assert add_organizer(organizer_of(cup), cup, "bea") == bea
    assert pause(bea, cup, paused=True, reason="The rules change.")
    for refused_call, code in (
        (lambda: add_organizer(bea, cup, "carl"), "not_main_organizer"),
        (lambda: add_organizer(organizer_of(cup), cup, "nobody"), "unknown_user"),
        (lambda: add_organizer(organizer_of(cup), cup, "olga"), "unknown_user"),
        (lambda: remove_organizer(carl, cup, bea.pk), "not_organizer"),
    ):
        with pytest.raises(Refused) as refused:
            refused_call()
        assert refused.value.code == code
    assert remove_organizer(bea, cup, bea.pk)
    assert not organizes(bea, cup)
    changes = CupLedgerEntry.objects.filter(cup=cup, kind="changed").values_list("document", flat=True)
    assert list(changes) == [
        {"fields": ["co_organizers"], "added": bea.pk, "author": organizer_of(cup).pk, "reason_hash": None},
        {"fields": ["co_organizers"], "removed": bea.pk, "author": bea.pk, "reason_hash": None},
    ]


def test_suspended_organizers_and_visitors_organize_nothing() -> None:
    cup = new_cup("swiss")
    organizer = organizer_of(cup)
    User.objects.filter(pk=organizer.pk).update(suspended=cup.created, suspension_reason="spam", is_active=False)
    with pytest.raises(Refused) as refused:
        call_off(organizer, cup, "No reason.")
    assert refused.value.code == "account_closed"
    Cup.objects.filter(pk=cup.pk).update(organizer=None)
    cup.refresh_from_db()
    assert not may_run(AnonymousUser(), cup)
    call_off(staff("root"), cup, "Its organizer has left.")


def test_a_cup_changes_only_before_its_registration_closes() -> None:
    cup = entered(new_cup("swiss"), house_bots()[:3])
    later = cup.starts_at + timedelta(hours=2)
    wanted = CupChange("A new title", "Bring your bots.", cup.closes_at, later, None)
    assert change(organizer_of(cup), cup, wanted) == ["about", "starts_at", "title"]
    assert change(organizer_of(cup), cup, wanted) == []
    entry = CupLedgerEntry.objects.get(cup=cup)
    fields = ["about", "starts_at", "title"]
    signed = {"author": organizer_of(cup).pk, "reason_hash": None}
    assert entry.document == {"fields": fields, "starts_at": later.isoformat(), **signed}
    with pytest.raises(Refused) as refused:
        change(organizer_of(cup), cup, replace(wanted, closes_at=later + timedelta(hours=1)))
    assert refused.value.code == "start_early"
    due(cup)
    with pytest.raises(Refused) as refused:
        change(organizer_of(cup), cup, wanted)
    assert refused.value.code == "registration_closed"


def test_only_site_admins_reserve_workers_and_some_are_left_to_others() -> None:
    cup, other, root = new_cup("swiss"), new_cup("knockout"), staff("root")
    reserve(root, cup, 70)
    for by, share, code in ((organizer_of(cup), 20, "not_staff"), (root, 30, "reserved_percent")):
        with pytest.raises(Refused) as refused:
            reserve(by, other, share)
        assert refused.value.code == code
    reserve(root, other, 20)
    reserve(root, cup, None)
    shares = CupLedgerEntry.objects.filter(kind="changed", author=root).order_by("pk")
    assert [entry.document["reserved_percent"] for entry in shares] == [70, 20, None]


def test_a_cup_has_its_reserved_share_of_the_workers_before_other_cups_and_ladders() -> None:
    cup, other = running("swiss", blocks=10), running("halving", blocks=10)
    fill()
    reserve(staff("root"), cup, 80)
    Match.objects.update(sent_at=None)
    cups = dict(Match.objects.values_list("pk", "block__cup_table__round__cup"))
    sent = [cups[match_id] for match_id in traffic(recent()).in_turn[:20]]
    assert (sent.count(cup.pk), sent.count(other.pk), sent.count(None)) == (16, 1, 3)


def test_a_cup_with_too_many_actions_can_still_be_resumed_left_and_canceled(monkeypatch: pytest.MonkeyPatch) -> None:
    cup, bea = new_cup("swiss"), person("bea")
    organizer = organizer_of(cup)
    add_organizer(organizer, cup, "bea")
    pause(organizer, cup, paused=True, reason="The rules change.")
    monkeypatch.setattr(desk, "MOST_ACTIONS", 2)
    with pytest.raises(Refused) as refused:
        change(organizer, cup, CupChange("Another title", "", cup.closes_at, cup.starts_at, None))
    assert refused.value.code == "too_many_actions"
    assert pause(organizer, cup, paused=False)
    assert remove_organizer(bea, cup, bea.pk)
    call_off(organizer, cup, "Too much has changed.")
    kinds = CupLedgerEntry.objects.filter(cup=cup).order_by("number").values_list("kind", flat=True)
    assert list(kinds) == ["changed", "paused", "resumed", "changed", "cancelled"]


def test_a_co_organizer_can_leave_an_ended_cup_whose_ledger_stays_as_it_is() -> None:
    cup, bea, carl = new_cup("swiss"), person("bea"), person("carl")
    for user in (bea, carl):
        add_organizer(organizer_of(cup), cup, user.username)
    call_off(organizer_of(cup), cup, "Too few bots.")
    before = CupLedgerEntry.objects.filter(cup=cup).count()
    with pytest.raises(Refused) as refused:
        remove_organizer(bea, cup, carl.pk)
    assert refused.value.code == "not_main_organizer"
    assert remove_organizer(bea, cup, bea.pk)
    assert remove_organizer(organizer_of(cup), cup, carl.pk)
    assert not cup.co_organizers.exists()
    assert CupLedgerEntry.objects.filter(cup=cup).count() == before


def test_a_user_adds_few_co_organizers_a_day() -> None:
    cup, bea = new_cup("swiss"), person("bea")
    organizer = organizer_of(cup)
    for _ in range(desk.MOST_ADDED_PER_DAY):
        add_organizer(organizer, cup, "bea")
        remove_organizer(organizer, cup, bea.pk)
    with pytest.raises(TooMany) as refused:
        add_organizer(organizer, cup, "bea")
    assert refused.value.retry_after_s
    CupLedgerEntry.objects.update(created=timezone.now() - timedelta(days=1))
    assert add_organizer(organizer, cup, "bea") == bea
