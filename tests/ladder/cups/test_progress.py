from __future__ import annotations

import gzip
import json
from collections import Counter
from datetime import datetime, timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import caches
from django.core.management import call_command
from django.db import IntegrityError, transaction
from django.utils import timezone

from bots.models import Bot, BotVersion
from bots.tournaments.tables import Ruling
from bots.uploads.storage import uploads
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.models import User
from ladder.corrections import void as correct
from ladder.cups.desk import rule
from ladder.cups.progress import advance
from ladder.cups.registration import leave
from ladder.cups.verification import faults
from ladder.exports.json_lines import game_pieces
from ladder.exports.tables import export
from ladder.ledger.integrity import integrity_report
from ladder.ledger.rebuild import rerate
from ladder.matches.leases import MOST_FAILURES, give_back
from ladder.matches.play import play
from ladder.members.suspensions import suspend
from ladder.models import (
    Attempt,
    Block,
    Cup,
    CupEntry,
    CupLedgerEntry,
    CupRound,
    CupTable,
    Ladder,
    Match,
    SeasonStatistics,
)
from ladder.season_statistics import gather
from ladder.seasons import close, finish_closing
from ladder.upkeep import sweep
from tests.build import DUEL, HONEST, claimed, finished, person, signed_in, snapshot, staff, uploaded
from tests.ladder.cups.cups import due, entered, house_bots, new_cup, play_round, played_out

pytestmark = pytest.mark.usefixtures("house")


def lately() -> datetime:
    return timezone.now() - timedelta(milliseconds=1)


def leaving(entry: CupEntry, how: str) -> None:
    """Take the bot of ``entry`` out of play, as owners, staff or failures do."""
    if how == "retired":
        Bot.objects.filter(pk=entry.bot_id).update(retired=lately())
    elif how == "suspended":
        suspend(entry.bot, staff("eve"), "It attacks the sandbox.")
    elif how == "paused":
        Bot.objects.filter(pk=entry.bot_id).update(paused=lately(), pause_reason="three forfeits in a row")
    else:
        BotVersion.objects.filter(pk=entry.version_id).update(archive="")


def organizer(cup: Cup) -> User:
    assert cup.organizer is not None
    return cup.organizer


def void(match: Match) -> None:
    """Let all attempts at ``match`` fail."""
    for _ in range(MOST_FAILURES):
        give_back(claimed(match), Attempt.Ending.FAILED, "the disk is full")


FORMATS = ["swiss", "round-robin", "knockout", "halving"]


@pytest.mark.parametrize(
    ("format_", "game", "seats"),
    [
        *((format_, "edel-stein-reich", seats) for format_ in FORMATS for seats in (3, 4)),
        ("double-elimination", DUEL, 2),
        ("gauntlet", DUEL, 2),
    ],
)
def test_a_cup_is_played_to_its_end_and_can_be_verified(format_: str, game: str, seats: int) -> None:
    cup = played_out(entered(new_cup(format_, game=game, seats=seats), house_bots(game, seats)))
    assert cup.state == Cup.State.FINISHED
    assert list(faults(cup)) == []
    assert cup.public_key is not None


def test_every_block_of_every_table_has_its_own_deal_and_those_of_a_round_open_together() -> None:
    cup = due(entered(new_cup("swiss", blocks=2), house_bots()))
    blocks = Block.objects.filter(cup_table__round__cup=cup)
    tables = len({block.cup_table_id for block in blocks})
    assert tables > 1
    assert blocks.count() == len({block.commitment for block in blocks}) == 2 * tables
    assert {block.number for block in blocks} == {1, 2}
    last = Match.objects.filter(block__in=blocks).order_by("pk").last()
    assert last is not None
    for match in Match.objects.filter(block__in=blocks).exclude(pk=last.pk).select_related("ladder", "block"):
        finished(match, variety=match.seating)
    advance()
    assert not Block.objects.filter(pk__in=blocks, ended__isnull=False).exists()
    play_round(cup)
    assert not Block.objects.filter(cup_table__round__number=1, cup_table__round__cup=cup, ended=None).exists()


def test_calling_advance_again_changes_nothing() -> None:
    cup = due(entered(new_cup("knockout"), house_bots()))
    before = CupLedgerEntry.objects.filter(cup=cup).count(), CupRound.objects.count(), Block.objects.count()
    assert advance() == 0
    assert (CupLedgerEntry.objects.filter(cup=cup).count(), CupRound.objects.count(), Block.objects.count()) == before


def test_a_cup_with_too_few_entrants_is_canceled_with_a_reason() -> None:
    cup = due(entered(new_cup("swiss"), house_bots()[:2]))
    assert cup.state == Cup.State.CANCELLED
    assert cup.reason


@pytest.mark.parametrize("format_", ["swiss", "round-robin", "knockout", "halving"])
def test_a_cup_of_which_too_few_entrants_are_left_at_its_start_is_canceled(format_: str) -> None:
    bots = house_bots(DUEL, 2)[:2]
    starts_at = timezone.now() + timedelta(hours=2)
    cup = due(entered(new_cup(format_, game=DUEL, seats=2, starts_at=starts_at), bots), starts_at)
    assert cup.state == Cup.State.READY
    leaving(CupEntry.objects.get(cup=cup, bot=bots[0]), "retired")
    due(cup)
    assert (cup.state, bool(cup.reason)) == (Cup.State.CANCELLED, True)
    assert set(cup.ledger.values_list("kind", flat=True)) == {"entrants", "left", "cancelled"}
    assert list(faults(cup)) == []


def test_a_bot_that_is_paused_at_the_deadline_is_rejected() -> None:
    bots = house_bots()
    cup = entered(new_cup("swiss"), bots)
    Bot.objects.filter(pk=bots[0].pk).update(paused=cup.created, pause_reason="three forfeits in a row")
    due(cup)
    rejected = CupEntry.objects.get(cup=cup, bot=bots[0])
    assert (rejected.state, rejected.number, bool(rejected.reason)) == ("rejected", None, True)
    assert cup.state == Cup.State.RUNNING


def test_no_two_blocks_of_two_cups_have_the_same_deal() -> None:
    """In a knockout, ties are decided by further blocks."""
    for format_, blocks in (("swiss", 2), ("knockout", 1)):
        played_out(entered(new_cup(format_, blocks=blocks), house_bots()))
    seeds = [bytes(seed) for seed in Block.objects.values_list("seed", flat=True)]
    assert len(set(seeds)) == len(seeds) > 12


def test_the_database_refuses_two_blocks_with_one_number_at_a_table() -> None:
    cup = due(entered(new_cup("swiss", blocks=2), house_bots()))
    second = Block.objects.filter(cup_table__round__cup=cup, number=2)[0]
    for changed in ({"number": 1}, {"number": None}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Block.objects.filter(pk=second.pk).update(**changed)


def test_the_end_of_a_block_advances_its_own_cup_only() -> None:
    cups = [due(entered(new_cup(format_), house_bots())) for format_ in ("knockout", "halving")]
    for match in Match.objects.select_related("ladder", "block").filter(status="queued").order_by("pk"):
        finished(match, variety=match.pk)
    last = Match.objects.filter(block__cup_table__round__cup=cups[0]).latest("pk")
    assert advance(after=last.pk) > 0
    assert [CupRound.objects.filter(cup=cup).count() for cup in cups] == [2, 1]
    assert advance(after=last.pk) == 0


def test_matches_of_a_cup_have_pages_and_documents() -> None:
    cup = played_out(entered(new_cup("knockout"), house_bots()))
    match = Match.objects.filter(block__cup_table__round__cup=cup).order_by("pk")[0]
    client = signed_in(None)
    assert client.get(f"/matches/{match.pk}/").status_code == 200
    document = client.get(f"/api/v1/matches/{match.pk}").json()
    assert (document["purpose"], document["rated"], document["open"]) == ("cup", False, True)
    assert client.get(f"/api/v1/matches/{match.pk}/record").status_code == 200


def test_results_of_a_round_are_hidden_until_it_has_ended() -> None:
    """``test_hidden_cup_results`` reads all endpoints."""
    cup = due(entered(new_cup("swiss"), house_bots()))
    match = Match.objects.filter(block__cup_table__round__cup=cup).select_related("ladder", "block").order_by("pk")[0]
    finished(match)
    client = signed_in(None)
    assert b"data-hidden-result" in client.get(f"/matches/{match.pk}/").content
    document = client.get(f"/api/v1/matches/{match.pk}").json()
    assert (document["status"], document["players"][0]["rank"], document["deal"]["seed"]) == ("finished", None, None)
    assert client.get(f"/api/v1/matches/{match.pk}/record").status_code == 404
    play_round(cup)
    page = client.get(f"/matches/{match.pk}/").content.decode()
    assert "data-hidden-result" not in page
    assert f"/cups/{cup.slug}/rounds/1/" in page
    Cup.objects.filter(pk=cup.pk).update(listed=False)
    caches["pages"].clear()  # strangers share the page for seconds
    assert cup.slug not in client.get(f"/matches/{match.pk}/").content.decode()
    assert client.get(f"/api/v1/matches/{match.pk}").json()["players"][0]["rank"] is not None


def test_a_cup_changes_no_rating_and_violates_no_statement_of_the_integrity_report() -> None:
    cup = due(entered(new_cup("swiss"), house_bots()))
    before = snapshot()
    for match in list(Match.objects.filter(block__cup_table__round__cup=cup).select_related("ladder", "block"))[:6]:
        finished(match)
    assert integrity_report(cup.ladder).violations == []
    played_out(cup)
    assert integrity_report(cup.ladder).violations == []
    assert [rebuild.differences for rebuild in rerate(check=True)] == [[]] * Ladder.objects.count()
    after = snapshot()
    unchanged = ("Membership", "LedgerEntry", "Season", "DealSeries", "Ladder", "LastSeat")
    assert {name: after[name] for name in unchanged} == {name: before[name] for name in unchanged}


def test_a_cup_outlives_the_season_of_its_ladder_and_its_matches_are_in_all_downloads(tmp_path: Path) -> None:
    cup = due(entered(new_cup("swiss"), house_bots()))
    close(cup.ladder.seasons.get(closed=None))
    finish_closing()
    Ladder.objects.filter(pk=cup.ladder_id).update(open=False)
    played_out(cup)
    assert (cup.state, list(faults(cup))) == (Cup.State.FINISHED, [])
    played = set(Match.objects.filter(block__cup_table__round__cup=cup).values_list("pk", flat=True))
    Block.objects.update(ended=timezone.now() - timedelta(hours=1))
    pieces = b"".join(game_pieces(cup.ladder, None, 1000, lambda: True))
    lines = [json.loads(line) for line in gzip.decompress(pieces).splitlines()]
    assert {(line["match"], line["purpose"], line["rated"]) for line in lines} == {(pk, "cup", False) for pk in played}
    assert export(tmp_path)["matches"] == len(played)
    out = StringIO()
    call_command("verify", ladder=cup.ladder.slug, processes=1, stdout=out)
    assert f"{len(played)} games" in out.getvalue()
    assert SeasonStatistics.objects.count() == 0 and gather() == 0


def test_open_cups_in_which_nothing_is_due_need_one_query(django_assert_max_num_queries: Any) -> None:
    for format_ in FORMATS[:3]:
        due(entered(new_cup(format_), house_bots()))
    with django_assert_max_num_queries(1):
        assert advance() == 0


def test_site_staff_cannot_void_the_result_of_a_cup_match() -> None:
    cup = played_out(entered(new_cup("swiss", rounds=1), house_bots()))
    match = Match.objects.filter(block__cup_table__round__cup=cup)[0]
    with pytest.raises(Refused) as refused:
        correct(match.pk, "It was decided by chance.", staff("eve"))
    assert refused.value.code == "match_of_a_cup"
    assert list(faults(cup)) == []


# --- Entrants who leave ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("format_", "how"),
    [("swiss", "retired"), ("round-robin", "suspended"), ("knockout", "paused"), ("halving", "without code")],
)
def test_a_bot_that_cannot_play_any_more_leaves_the_cup_and_its_table_is_a_walkover(format_: str, how: str) -> None:
    cup = due(entered(new_cup(format_, game=DUEL, seats=2), [uploaded(person("ada")), *house_bots(DUEL, 2)[:3]]))
    entry = CupEntry.objects.get(cup=cup, bot__owner__username="ada")
    table = next(table for table in CupTable.objects.filter(round__cup=cup) if entry.number in table.entrants)
    leaving(entry, how)
    sweep()
    advance()
    entry.refresh_from_db()
    table.refresh_from_db()
    assert (entry.state, bool(entry.reason)) == ("withdrawn", True)
    place = table.entrants.index(entry.number)
    assert (table.decided, table.gone, table.points[place], table.points[1 - place] > 0) == (True, [place], 0, True)
    assert not Match.objects.filter(block__cup_table=table, status__in=Match.PENDING).exists()
    played_out(cup)
    written = CupLedgerEntry.objects.filter(cup=cup, kind="left").values_list("document__entrant", "author")
    assert list(written) == [(entry.number, None)]
    assert cup.state == Cup.State.FINISHED
    assert list(faults(cup)) == []


@pytest.mark.parametrize("able", ["random", "another"])
def test_a_substitute_plays_for_an_entrant_who_leaves_a_table_of_three(able: str) -> None:
    """A complete block counts, the incomplete one is replaced, and a game that runs is played to its end."""
    cup = due(entered(new_cup("round-robin", blocks=2), house_bots()))
    table = CupTable.objects.filter(round__cup=cup)[0]
    entry = CupEntry.objects.get(cup=cup, number=table.entrants[1])
    first, second = Block.objects.filter(cup_table=table).order_by("pk")
    for match in first.matches.order_by("pk").select_related("ladder", "block"):
        finished(match, variety=match.seating)
    running = second.matches.order_by("pk")[0]
    lease = claimed(running)
    leaving(entry, "paused")
    if able == "another":
        BotVersion.objects.filter(bot__house_name="random").update(active=False)
    advance()
    assert set(second.matches.values_list("status", flat=True)) == {"running", "cancelled"}
    assert not CupTable.objects.get(pk=table.pk).decided
    give_back(lease, Attempt.Ending.FAILED, "the disk is full")
    advance()
    assert set(second.matches.values_list("status", flat=True)) == {"cancelled"}
    third = Block.objects.filter(cup_table=table).order_by("pk").last()
    assert third is not None and third.pk != second.pk
    seated = Counter(third.matches.all()[0].seats.values_list("version__bot__house_name", flat=True))
    others = CupEntry.objects.filter(cup=cup, number__in=table.entrants).exclude(pk=entry.pk)
    (substitute,) = (seated - Counter(others.values_list("bot__house_name", flat=True))).elements()
    assert (substitute == "random") == (able == "random")
    play_round(cup)
    table.refresh_from_db()
    assert (table.decided, table.gone, min(table.points)) == (True, [1], table.points[1])
    assert list(faults(played_out(cup))) == []


def test_a_table_waits_while_no_house_bot_can_play_for_an_entrant_who_has_left() -> None:
    formats = {"edel-stein-reich": [3]}
    bots = [uploaded(person(name), name, formats=formats) for name in ("ada", "bob", "cid", "dan")]
    cup = due(entered(new_cup("round-robin"), bots))
    (table,) = CupTable.objects.filter(round__cup=cup)
    house = list(BotVersion.objects.filter(bot__owner=None, active=True).values_list("pk", flat=True))
    able = BotVersion.objects.filter(pk__in=house)
    able.update(active=False)
    leaving(CupEntry.objects.get(cup=cup, number=table.entrants[1]), "paused")
    advance()
    queued = Match.objects.filter(block__cup_table=table, status="queued")
    assert not queued.exists()
    able.update(active=True)
    advance()
    assert queued.exists()
    assert played_out(cup).state == "finished"
    assert list(faults(cup)) == []


def test_only_the_first_reason_for_which_an_entrant_leaves_counts() -> None:
    cup = due(entered(new_cup("swiss"), house_bots()))
    entry = CupEntry.objects.filter(cup=cup)[0]
    assert leave(cup, entry, CupEntry.State.WITHDRAWN, "No time.")
    assert not leave(cup, entry, CupEntry.State.DISQUALIFIED, "Too late.")
    entry.refresh_from_db()
    assert (entry.state, entry.reason) == ("withdrawn", "No time.")
    assert CupLedgerEntry.objects.filter(cup=cup, kind="left").count() == 1


@pytest.mark.parametrize(
    ("how", "state"), [("retired", "withdrawn"), ("suspended", "withdrawn"), ("paused", "entered")]
)
def test_before_the_deadline_a_bot_that_is_gone_is_withdrawn_and_a_paused_one_can_return(how: str, state: str) -> None:
    cup = entered(new_cup("swiss", game=DUEL, seats=2), [uploaded(person("ada")), *house_bots(DUEL, 2)[:4]])
    entry = CupEntry.objects.get(cup=cup, bot__owner__username="ada")
    leaving(entry, how)
    advance()
    entry.refresh_from_db()
    assert (entry.state, bool(entry.reason)) == (state, state == "withdrawn")
    assert not CupLedgerEntry.objects.filter(cup=cup).exists()


def test_an_entrant_whose_stored_code_is_lost_leaves_after_a_void_game(sandbox_launcher: object) -> None:
    lost = uploaded(person("ada"), source=b"# Lost: no other test unpacks this file.\n" + HONEST)
    cup = due(entered(new_cup("swiss", game=DUEL, seats=2), [lost, *house_bots(DUEL, 2)[:3]]))
    entry = CupEntry.objects.select_related("version").get(cup=cup, bot=lost)
    assert entry.version is not None
    uploads().delete(entry.version.archive)
    matches = Match.objects.filter(seats__version=entry.version, block__cup_table__round__cup=cup)
    while matches.filter(status="queued").exists():
        matches.filter(status="queued").update(due_at=lately())
        Attempt.objects.update(ended=lately() - timedelta(hours=1))
        play(matches.filter(status="queued").order_by("pk")[0].pk)
    assert set(matches.values_list("status", flat=True)) == {"void"}
    advance()
    entry.refresh_from_db()
    assert (entry.state, bool(entry.reason)) == ("withdrawn", True)
    played_out(cup)
    assert cup.state == Cup.State.FINISHED
    assert list(faults(cup)) == []


# --- Rounds ----------------------------------------------------------------------------------------------------------


def test_a_round_remains_closed_while_a_game_of_a_ruled_table_is_running() -> None:
    cup = due(entered(new_cup("swiss"), house_bots()))
    table = CupTable.objects.filter(round__cup=cup).order_by("index")[0]
    running = Match.objects.filter(block__cup_table=table).order_by("pk")[0]
    lease = claimed(running)
    rule(organizer(cup), table, Ruling.VOID, "The sandbox failed.")
    play_round(cup)
    assert not CupTable.objects.filter(round__cup=cup, decided=False).exists()
    assert CupRound.objects.get(cup=cup).ended is None
    assert not Block.objects.filter(cup_table__round__cup=cup, ended__isnull=False).exists()
    give_back(lease, Attempt.Ending.FAILED, "the disk is full")
    advance()
    assert CupRound.objects.filter(cup=cup, ended__isnull=False).count() == 1


def test_a_void_block_gets_a_new_deal_at_its_table_only_until_the_table_is_void() -> None:
    cup = due(entered(new_cup("swiss", rounds=1), house_bots()))
    first, *others = CupTable.objects.filter(round__cup=cup).order_by("index")
    for number in range(1, 4):
        blocks = Block.objects.filter(cup_table=first).order_by("pk")
        assert [block.number for block in blocks] == list(range(1, number + 1))
        assert len({block.commitment for block in blocks}) == number
        void(Match.objects.filter(block=blocks.last())[0])
        advance()
    assert [Block.objects.filter(cup_table=table).count() for table in others] == [1] * len(others)
    first.refresh_from_db()
    assert (first.decided, first.points) == (True, None)
    played_out(cup)
    assert list(faults(cup)) == []


def test_a_cup_that_fails_does_not_stop_the_others() -> None:
    broken = due(entered(new_cup("swiss"), house_bots()))
    other = entered(new_cup("knockout"), house_bots())
    Cup.objects.filter(pk=broken.pk).update(format="unknown")
    for match in Match.objects.filter(block__cup_table__round__cup=broken).select_related("ladder", "block"):
        finished(match, variety=match.seating)
    Cup.objects.filter(pk=other.pk).update(closes_at=lately(), starts_at=lately())
    with pytest.raises(KeyError):
        advance()
    other.refresh_from_db()
    assert other.state == Cup.State.RUNNING
