"""Verifying a ladder finds whatever is not as it was stored, and says where."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db.models import F

from games.record import to_json
from games.rules import Forfeit
from ladder.models import Block, DealSeries, Ladder, LedgerEntry, Match, Result, Season, SeatResult
from ladder.packing import pack, unpack
from ladder.verification import ladders
from tests.build import block_on, finish_block, finish_game, games_of

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def played(ladder: Ladder) -> Ladder:
    """Two blocks, one with a forfeit and one with a game left."""
    finish_block(block_on(ladder))
    first, second, *_ = games_of(block_on(ladder))
    finish_game(first, 5, {1: Forfeit("exit", 12), 3: Forfeit("strikes", 30)})
    finish_game(second, 6)
    return ladder


def faults_of_games(ladder: Ladder, processes: int = 1) -> list[str]:
    return [fault for piece in ladders.verify_games(ladder, processes) for fault in piece.faults]


def faults_of_deals(ladder: Ladder) -> list[str]:
    season = Season.objects.get(ladder=ladder)
    return [fault for deal in ladders.verify_deals(season) for fault in deal.faults]


def result(ladder: Ladder) -> Result:
    return Result.objects.filter(match__ladder=ladder).earliest("pk")


def test_all_played_games_verify_by_re_execution(played: Ladder) -> None:
    assert faults_of_games(played) == []
    assert sum(piece.number for piece in ladders.verify_games(played, 1)) == ladders.count_games(played) == 6
    assert faults_of_deals(played) == []
    assert sum(deal.number for deal in ladders.verify_deals(Season.objects.get(ladder=played))) == 2


def test_several_processes_find_what_one_finds(played: Ladder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ladders, "GAMES_AT_ONCE", 2)
    SeatResult.objects.filter(result=result(played), seat__index=0).update(rank=F("rank") % 4 + 1)
    alone = faults_of_games(played)
    assert len(alone) == 1
    assert faults_of_games(played, 2) == alone


def change_rank(ladder: Ladder) -> None:
    SeatResult.objects.filter(result=result(ladder), seat__index=2).update(rank=F("rank") % 4 + 1)


def change_score(ladder: Ladder) -> None:
    SeatResult.objects.filter(result=result(ladder), seat__index=1).update(score={"money": 999, "gems": [0, 0, 0, 0]})


def change_forfeit(ladder: Ladder) -> None:
    SeatResult.objects.filter(forfeit="exit").update(forfeit="time")


def change_when_a_seat_gave_up(ladder: Ladder) -> None:
    SeatResult.objects.filter(forfeit="exit").update(forfeit_at=11)


def change_seats(ladder: Ladder) -> None:
    SeatResult.objects.filter(result=result(ladder), seat__index=3).delete()


def change_record(ladder: Ladder) -> None:
    row = result(ladder)
    Result.objects.filter(pk=row.pk).update(packed_record=bytes(row.packed_record)[:-1] + b"\x7f")


def change_to_another_game(ladder: Ladder) -> None:
    last = Result.objects.filter(match__ladder=ladder).latest("pk")
    Result.objects.filter(pk=result(ladder).pk).update(packed_record=last.packed_record)


def change_seed(ladder: Ladder) -> None:
    Block.objects.filter(pk=result(ladder).match.block_id).update(seed=bytes(32))


def change_form(ladder: Ladder) -> None:
    Result.objects.filter(pk=result(ladder).pk).update(packed_record=b"\x09nothing")


def lose_a_result(ladder: Ladder) -> None:
    Match.objects.filter(ladder=ladder, status="queued").update(status="finished", ended=F("created"))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (change_rank, "seat 2: the stored rank is"),
        (change_score, "seat 1: the stored score is {"),
        (change_forfeit, "seat 1: the stored forfeit is 'time'"),
        (change_when_a_seat_gave_up, "seat 1: the stored forfeit_at is 11"),
        (change_seats, "3 seats are stored"),
        (change_record, "re-execution of the record failed"),
        (change_to_another_game, "seed is "),
        (change_seed, "the commitment of the block"),
        (change_form, "stored in the form '09'"),
        (lose_a_result, "has no result"),
    ],
)
def test_every_change_of_a_game_is_found(
    played: Ladder, change: Callable[[Ladder], None], says: str, capsys: Any
) -> None:
    change(played)
    faults = faults_of_games(played)
    assert faults
    assert says in faults[0]
    assert faults[0].startswith("match ")
    with pytest.raises(CommandError, match=played.name):
        call_command("verify", "--ladder", played.slug, "--processes", "1")
    assert faults[0] in capsys.readouterr().out


def test_records_of_the_older_form_are_verified_too(played: Ladder) -> None:
    for row in Result.objects.all():
        record = unpack(bytes(row.packed_record))
        deflated = b"\x01" + zlib.compress(to_json(record).encode())
        Result.objects.filter(pk=row.pk).update(packed_record=deflated)
    assert faults_of_games(played) == []
    row = result(played)
    record = unpack(bytes(row.packed_record))
    record["outcome"]["ranks"] = [1, 1, 1, 1]
    Result.objects.filter(pk=row.pk).update(packed_record=b"\x01" + zlib.compress(to_json(record).encode()))
    assert "the outcome is" in faults_of_games(played)[0]
    Result.objects.filter(pk=row.pk).update(packed_record=b"\x01damaged")
    assert "the stored bytes are damaged" in faults_of_games(played)[0]


def test_packing_is_reproducible(played: Ladder) -> None:
    row = result(played)
    assert pack(unpack(bytes(row.packed_record))) == bytes(row.packed_record)


def swap_deals(ladder: Ladder) -> None:
    block, other = Block.objects.filter(ladder=ladder).order_by("number")
    Block.objects.filter(pk=block.pk).update(seed=other.seed, commitment=other.commitment)


def lose_a_deal(ladder: Ladder) -> None:
    Block.objects.filter(ladder=ladder, number=1).update(number=7)


def change_commitment(ladder: Ladder) -> None:
    Block.objects.filter(ladder=ladder, number=1).update(commitment="0" * 64)


def change_key(ladder: Ladder) -> None:
    DealSeries.objects.filter(season__ladder=ladder, kind="live").update(key=bytes(32))


def change_key_and_hash(ladder: Ladder) -> None:
    hashed = DealSeries.objects.filter(season__ladder=ladder, kind="test").get().key_hash
    DealSeries.objects.filter(season__ladder=ladder, kind="live").update(key_hash=hashed)


def count_wrongly(ladder: Ladder) -> None:
    DealSeries.objects.filter(season__ladder=ladder, kind="ladder").update(next_number=9)


def open_too_early(ladder: Ladder) -> None:
    Block.objects.filter(ladder=ladder, ended=None).update(ended=F("created"))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (swap_deals, "/1/1: the seed "),
        (lose_a_deal, "/1: found deal 2 instead of deal 1"),
        (change_commitment, "/1/1: the commitment "),
        (change_key, "the key does not match its published hash"),
        (change_key_and_hash, "the key hash differs from the one in the ledger"),
        (count_wrongly, "the last deal is 2 instead of 8"),
        (open_too_early, "is public, but the match has not ended"),
    ],
)
def test_every_change_of_a_season_is_found(
    played: Ladder, change: Callable[[Ladder], None], says: str, capsys: Any
) -> None:
    change(played)
    assert any(says in fault for fault in faults_of_deals(played))
    with pytest.raises(CommandError, match="season 1"):
        call_command("verify", "--season", f"{played.slug}/1")
    assert says in capsys.readouterr().out


def test_the_command_says_what_it_has_checked(played: Ladder, capsys: Any) -> None:
    call_command("verify", "--season", f"{played.slug}/1")
    call_command("verify", "--ladder", played.slug)
    season, ladder = capsys.readouterr().out.splitlines()
    assert season.startswith(f"{played}, season 1: verified; 2 deals ")
    assert ladder.startswith(f"{played}: verified; 6 games ")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--ladder", "nowhere"], "nowhere .*edel-stein-reich-3"),
        (["--season", "edel-stein-reich-4/9"], "Season 9 .*edel-stein-reich-4"),
        (["--season", "edel-stein-reich-4"], "edel-stein-reich-4/1"),
        ([], "--ladder --season"),
    ],
)
def test_the_command_says_what_there_is(ladder: Ladder, arguments: list[str], says: str) -> None:
    with pytest.raises(CommandError, match=says):
        call_command("verify", *arguments)


def test_the_hashes_of_the_keys_are_in_the_ledger_from_the_opening(ladder: Ladder) -> None:
    promised = LedgerEntry.objects.get(ladder=ladder, number=1).document["keys"]
    assert promised == dict(DealSeries.objects.filter(season__ladder=ladder).values_list("name", "key_hash"))
