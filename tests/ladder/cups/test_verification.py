from __future__ import annotations

from collections.abc import Callable
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from bots.tournaments.ledger import START, chained
from ladder.cups.desk import call_off, pause
from ladder.cups.progress import advance
from ladder.cups.verification import faults
from ladder.models import Block, Cup, CupEntry, CupLedgerEntry, CupRound, CupTable, SeatResult
from tests.ladder.cups.cups import due, entered, house_bots, new_cup, play_round, played_out

pytestmark = pytest.mark.usefixtures("house")


def rechained(cup: Cup) -> None:
    """Give every entry the hash of its changed document, as a forger would."""
    previous = START
    for entry in CupLedgerEntry.objects.filter(cup=cup).order_by("number"):
        previous = chained(previous, cup.pk, entry.number, entry.kind, entry.document)
        CupLedgerEntry.objects.filter(pk=entry.pk).update(hash=previous)


def changed(cup: Cup, kind: str, change: Callable[[dict], None]) -> None:  # type: ignore[type-arg]
    entry = CupLedgerEntry.objects.filter(cup=cup, kind=kind).order_by("number")[0]
    change(entry.document)
    CupLedgerEntry.objects.filter(pk=entry.pk).update(document=entry.document)


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        ("entrants", lambda document: document["entrants"].reverse()),
        ("entrants", lambda document: document.update(key_hash="0" * 64)),
        ("round", lambda document: document["tables"].reverse()),
        ("results", lambda document: document["blocks"][0][0].update(commitment="0" * 64)),
        ("results", lambda document: document["points"][0].reverse()),
        ("end", lambda document: document["standings"].reverse()),
        ("end", lambda document: document.update(key="00" * 32)),
    ],
)
def test_a_forged_ledger_is_found_even_with_new_hashes(
    kind: str,
    change: Callable[[dict], None],  # type: ignore[type-arg]
) -> None:
    cup = played_out(entered(new_cup("swiss", rounds=2), house_bots()))
    assert list(faults(cup)) == []
    changed(cup, kind, change)
    assert list(faults(cup)) != []
    rechained(cup)
    assert list(faults(cup)) != []


def test_a_changed_reason_is_found_and_a_removed_one_is_accepted() -> None:
    cup = new_cup("swiss", rounds=1)
    assert cup.organizer is not None
    pause(cup.organizer, cup, paused=True, reason="The rules change.")
    pause(cup.organizer, cup, paused=False)
    played_out(entered(cup, house_bots()))
    assert list(faults(cup)) == []
    paused = CupLedgerEntry.objects.filter(cup=cup, kind="paused")
    paused.update(reason="The room is closed.")
    assert any("entry 1" in fault for fault in faults(cup))
    paused.update(reason=None, salt=None)
    assert list(faults(cup)) == []


def test_a_changed_deal_or_result_of_a_game_is_found() -> None:
    cup = played_out(entered(new_cup("swiss", rounds=1), house_bots()))
    block = Block.objects.filter(cup_table__round__cup=cup).order_by("pk")[0]
    Block.objects.filter(pk=block.pk).update(seed=bytes(32))
    assert any("table 1: the deal of block 1" in fault for fault in faults(cup))
    row = SeatResult.objects.filter(seat__match__block__cup_table__round__cup=cup, rank=1)[0]
    SeatResult.objects.filter(pk=row.pk).update(rank=3)
    assert any("table" in fault for fault in faults(cup))


@pytest.mark.parametrize(
    "change",
    [
        lambda cup: Cup.objects.filter(pk=cup.pk).update(at_a_table=2),
        lambda cup: CupEntry.objects.filter(cup=cup, number=0).update(owner_number=5),
        lambda cup: CupEntry.objects.filter(cup=cup, number=0).update(state=CupEntry.State.WITHDRAWN),
        lambda cup: CupEntry.objects.filter(cup=cup, rank=1).update(rank=2),
        lambda cup: CupTable.objects.filter(round__cup=cup, index=0).update(points=[0, 0, 0]),
        lambda cup: CupTable.objects.filter(round__cup=cup, index=0).update(entrants=[2, 1, 0]),
        lambda cup: CupTable.objects.filter(round__cup=cup, index=0).update(ruled=True),
        lambda cup: CupRound.objects.filter(cup=cup, number=2).update(byes=[0]),
    ],
)
def test_a_changed_row_is_found(change: Callable[[Cup], int]) -> None:
    cup = played_out(entered(new_cup("swiss", rounds=2), house_bots()))
    assert list(faults(cup)) == []
    assert change(cup)
    cup.refresh_from_db()
    assert list(faults(cup)) != []


@pytest.mark.parametrize(
    "change",
    [
        lambda cup: changed(cup, "round", lambda document: document.update(round=7)),
        lambda cup: changed(cup, "results", lambda document: document["points"].pop()),
        lambda cup: changed(cup, "results", lambda document: document.pop("blocks")),
        lambda cup: CupTable.objects.filter(round__cup=cup, index=0).update(points=[0, 0]),
        lambda cup: CupTable.objects.filter(round__cup=cup, index=0).update(entrants=[90, 91, 92]),
        lambda cup: CupEntry.objects.filter(cup=cup, number=1).update(number=70),
    ],
)
def test_a_malformed_entry_or_row_is_a_fault(change: Callable[[Cup], object]) -> None:
    cup = played_out(entered(new_cup("swiss", rounds=1), house_bots()))
    change(cup)
    cup.refresh_from_db()
    assert list(faults(cup)) != []


def test_a_canceled_cup_is_verified_up_to_its_last_round() -> None:
    cup = due(entered(new_cup("swiss", rounds=2), house_bots()))
    play_round(cup)
    assert cup.organizer is not None
    call_off(cup.organizer, cup, "The room is closed.")
    advance()
    cup.refresh_from_db()
    call_command("verify", "--cup", cup.slug, stdout=StringIO())
    changed(cup, "results", lambda document: document["points"][0].reverse())
    rechained(cup)
    assert any("Round 1, table 1" in fault for fault in faults(cup))


def test_the_command_verifies_a_finished_cup_only() -> None:
    cup = due(entered(new_cup("swiss", rounds=1), house_bots()))
    with pytest.raises(CommandError) as unfinished:
        call_command("verify", "--cup", cup.slug)
    assert unfinished.value.returncode == 2
    played_out(cup)
    out = StringIO()
    call_command("verify", "--cup", cup.slug, stdout=out)
    assert "verified" in out.getvalue()
    row = SeatResult.objects.filter(seat__match__block__cup_table__round__cup=cup, rank=1)[0]
    SeatResult.objects.filter(pk=row.pk).update(rank=3)
    with pytest.raises(CommandError):
        call_command("verify", "--cup", cup.slug, stdout=out)
    assert f"match {row.seat.match_id}" in out.getvalue()
    SeatResult.objects.filter(pk=row.pk).update(rank=1)
    CupLedgerEntry.objects.filter(cup=cup, number=1).update(hash="0" * 64)
    with pytest.raises(CommandError) as broken:
        call_command("verify", "--cup", cup.slug, stdout=out)
    assert broken.value.returncode == 1
