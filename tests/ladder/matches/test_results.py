from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from typing import Any

import jsonschema
import pytest
from django.db import DataError, transaction

from bots.runner.report import MatchReport, Strike
from games.record import verify
from games.registry import GAMES
from games.rules import Forfeit
from ladder.exports.documents import match_log_of, record_of
from ladder.ledger.rebuild import rerate
from ladder.matches.leases import give_back
from ladder.matches.results import WrongRecord, record_result
from ladder.models import LedgerEntry, Match, Membership, Result
from ladder.packing import unpack
from ladder.upkeep import sweep
from tests.build import FAILED, claimed, expire_lease, finish_others, finished, report_of, snapshot, variety_of


def test_a_result_holds_what_re_executing_its_record_gives(match: Match) -> None:
    result = finished(match, forfeits={2: "exit"})
    outcome = verify(unpack(bytes(result.packed_record))).outcome
    rows = list(result.seat_results.order_by("seat__index"))
    assert [row.rank for row in rows] == outcome["ranks"]
    assert [row.score for row in rows] == outcome["scores"]
    assert [(row.forfeit, row.evidence) for row in rows] == [("", ""), ("", ""), ("exit", "evidence: exit"), ("", "")]


def test_a_result_keeps_when_seats_gave_up_and_ranks_by_it(match: Match) -> None:
    result = finished(match, forfeits={0: Forfeit("exit", 40), 2: Forfeit("strikes", 12), 3: Forfeit("time", 40)})
    rows = list(result.seat_results.order_by("seat__index"))
    assert [row.rank for row in rows] == [2, 1, 4, 2]
    assert [row.forfeit_at for row in rows] == [40, None, 12, 40]
    assert rows[1].change > rows[0].change == rows[3].change > rows[2].change
    record = unpack(bytes(result.packed_record))
    assert [score.get("forfeit_at") for score in record["outcome"]["scores"]] == [40, None, 12, 40]


def test_a_result_from_before_steps_were_stored_is_a_tie(match: Match) -> None:
    result = finished(match, forfeits={0: "exit", 2: "strikes"})
    rows = list(result.seat_results.order_by("seat__index"))
    assert [row.rank for row in rows][::2] == [3, 3]
    assert [row.forfeit_at for row in rows] == [None] * 4


def test_a_step_that_nobody_reported_is_refused(match: Match) -> None:
    report = report_of(match, forfeits={0: Forfeit("exit", 40), 2: Forfeit("strikes", 12)})
    lease, (first, second) = claimed(match), report.forfeits
    for forfeits in ((first, replace(second, at=13)), (first, replace(second, at=None))):
        with pytest.raises(WrongRecord, match="failed re-execution"):
            record_result(lease, replace(report, forfeits=forfeits))


def test_a_finished_match_has_no_lease_and_one_finished_attempt_and_its_seed_opens_with_the_block(match: Match) -> None:
    finished(match)
    match = Match.objects.select_related("ladder", "block").get(pk=match.pk)
    assert (match.status, match.lease, match.reason) == ("finished", None, "")
    assert match.attempts.get().ending == "finished"
    assert (match.block.public_seed, record_of(match)) == (None, None)
    finish_others(match)
    match = Match.objects.select_related("ladder", "block").get(pk=match.pk)
    assert match.block.public_seed == bytes(match.block.seed).hex() == record_of(match)["seed"]
    assert match_log_of(match) is None


def test_entries_move_by_what_their_seats_show_and_the_sum_is_zero(match: Match) -> None:
    result = finished(match)
    rows = list(result.seat_results.select_related("seat__membership"))
    assert sum(row.change for row in rows) == 0
    for row in rows:
        membership = row.seat.membership
        assert (row.rating_before, row.rating_after) == (1_500_000, membership.rating)
        assert (membership.last_change, membership.games) == (row.change, 1)
    assert sum(Membership.objects.values_list("win_shares", flat=True)) == 60


def test_results_are_rated_in_the_order_in_which_they_come_in_without_gaps_after_the_seasons_start(
    match: Match,
) -> None:
    matches = list(Match.objects.select_related("ladder").order_by("-pk"))
    for game in matches:
        finished(game, variety=variety_of(game))
    season, *rows = LedgerEntry.objects.filter(ladder=match.ladder).order_by("number")
    assert (season.number, season.kind) == (1, "season")
    assert [row.number for row in rows] == list(range(2, len(matches) + 2))
    assert [row.result.match_id for row in rows] == [game.pk for game in matches]
    assert not any(rebuild.differences for rebuild in rerate(check=True))


def test_the_same_result_twice_counts_once(match: Match) -> None:
    lease = claimed(match)
    report = report_of(match)
    assert record_result(lease, report)
    before = snapshot()
    assert record_result(lease, report) is None
    assert snapshot() == before


def test_another_result_of_a_finished_match_changes_nothing(match: Match) -> None:
    lease = claimed(match)
    record_result(lease, report_of(match))
    before = snapshot()
    assert record_result(lease, report_of(match, variety=1)) is None
    assert snapshot() == before


def test_a_result_after_the_match_was_queued_again_changes_nothing(match: Match) -> None:
    late = claimed(match)
    expire_lease(match)
    sweep()
    before = snapshot()
    assert record_result(late, report_of(match)) is None
    assert snapshot() == before


def test_a_result_while_somebody_else_plays_changes_nothing(match: Match) -> None:
    late = claimed(match)
    expire_lease(match)
    sweep()
    other = claimed(match)
    before = snapshot()
    assert record_result(late, report_of(match)) is None
    assert snapshot() == before
    assert record_result(other, report_of(match, variety=1))
    assert record_result(late, report_of(match)) is None
    assert Result.objects.get().attempt.token == other.token


def test_a_late_result_while_another_match_of_the_block_runs_changes_nothing(match: Match) -> None:
    late = claimed(match)
    expire_lease(match)
    sweep()
    other = Match.objects.filter(block=match.block).exclude(pk=match.pk).select_related("ladder")[0]
    running = claimed(other)
    before = snapshot()
    assert record_result(late, report_of(match)) is None
    assert snapshot() == before
    assert record_result(running, report_of(other))


def test_a_result_of_a_void_match_changes_nothing(match: Match) -> None:
    for _ in range(3):
        late = claimed(match)
        give_back(late, FAILED, "broken")
    before = snapshot()
    assert record_result(late, report_of(match)) is None
    assert snapshot() == before


def test_a_result_just_after_the_lease_ran_out_counts_while_nobody_has_taken_the_match(match: Match) -> None:
    lease = claimed(match)
    expire_lease(match)
    assert record_result(lease, report_of(match))
    assert sweep() == 0


def _with(report: MatchReport, **changes: Any) -> MatchReport:
    record = deepcopy(report.record)
    record.update(changes)
    return replace(report, record=record)


def test_a_winner_that_only_the_worker_claims_is_refused(match: Match) -> None:
    report = report_of(match)
    outcome = deepcopy(report.record["outcome"])
    outcome["ranks"] = outcome["ranks"][1:] + outcome["ranks"][:1]
    lease = claimed(match)
    before = snapshot()
    with pytest.raises(WrongRecord, match="failed re-execution"):
        record_result(lease, _with(report, outcome=outcome))
    assert snapshot() == before


def test_the_record_of_another_deal_is_refused(match: Match) -> None:
    other = Match.objects.exclude(block=match.block).select_related("ladder")[0]
    with pytest.raises(WrongRecord, match="the seed of the record"):
        record_result(claimed(match), report_of(other))


def test_what_is_said_of_a_refused_record_tells_nothing_of_the_deal(match: Match) -> None:
    report = report_of(match)
    deck = next(step["cards"] for step in report.record["steps"] if step.get("chance") == "event_deck")
    steps = [{**step, "cards": deck[::-1]} if step.get("cards") == deck else step for step in report.record["steps"]]
    with pytest.raises(WrongRecord) as refusal:
        record_result(claimed(match), _with(report, steps=steps))
    assert str(refusal.value) == "the record failed re-execution at step 1"
    assert deck[0] in str(refusal.value.__cause__)


def test_a_bot_cannot_veto_its_result_by_what_it_writes(match: Match) -> None:
    report = report_of(match, forfeits={0: "exit"})
    seat = replace(report.seats[0], strikes=(Strike(1, "malformed", "a\0b", "", 10, 10),), stderr_tail="a\0b")
    forfeit = replace(report.forfeits[0], evidence="it said \0")
    result = record_result(claimed(match), replace(report, seats=(seat, *report.seats[1:]), forfeits=(forfeit,)))
    assert result is not None
    result.refresh_from_db()
    assert result.report["seats"][0]["strikes"][0]["detail"] == "a\\x00b"
    assert result.seat_results.get(seat__index=0).evidence == "it said \\x00"


def test_a_record_that_breaks_off_is_refused(match: Match) -> None:
    report = report_of(match)
    with pytest.raises(WrongRecord):
        record_result(claimed(match), _with(report, steps=report.record["steps"][:-1]))
    with pytest.raises(WrongRecord):
        record_result(claimed_again(match), _with(report, steps=report.record["steps"][:-1], outcome=None))


def claimed_again(match: Match) -> Any:
    expire_lease(match)
    sweep()
    return claimed(match)


def test_a_forfeit_in_the_scores_that_nobody_reported_is_refused(match: Match) -> None:
    report = replace(report_of(match, forfeits={1: "strikes"}), forfeits=())
    with pytest.raises(WrongRecord, match="failed re-execution"):
        record_result(claimed(match), report)


def test_a_seat_that_is_reported_to_forfeit_twice_is_refused(match: Match) -> None:
    report = report_of(match, forfeits={1: "strikes"})
    with pytest.raises(WrongRecord, match="two forfeits"):
        record_result(claimed(match), replace(report, forfeits=report.forfeits * 2))


def test_a_refused_result_leaves_no_gap_in_the_ledger(match: Match) -> None:
    first, second = Match.objects.select_related("ladder").order_by("pk")[:2]
    late = claimed(first)
    expire_lease(first)
    sweep()
    assert record_result(late, report_of(first)) is None
    assert finished(second).ledger_entries.get().number == 2, "number 1 is the season's start"


def test_void_matches_leave_their_deal_behind_when_their_block_has_ended(match: Match) -> None:
    for _ in range(3):
        give_back(claimed(match), FAILED, "broken")
    match = Match.objects.select_related("ladder", "block").get(pk=match.pk)
    assert match_log_of(match) is None
    finish_others(match)
    match = Match.objects.select_related("ladder", "block").get(pk=match.pk)
    log = match_log_of(match)
    assert (log["format"], log["status"], log["seed"]) == ("match-log/1", "void", bytes(match.block.seed).hex())
    assert log["reason"] == match.reason
    assert log["steps"][0]["chance"] == "age_order"
    jsonschema.validate(log, GAMES["edel-stein-reich"].schema("match-log"))


def test_the_stored_record_is_a_sixth_of_its_json(match: Match) -> None:
    result = finished(match)
    assert len(bytes(result.packed_record)) < 1700


def test_nothing_of_a_result_is_left_if_rating_it_fails(match: Match) -> None:
    lease = claimed(match)
    Membership.objects.update(rating=2**63 - 1)
    before = snapshot()
    with pytest.raises((OverflowError, DataError)), transaction.atomic():
        record_result(lease, report_of(match))
    assert snapshot() == before
