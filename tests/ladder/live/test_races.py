"""Real processes at one live table at the same time, on the database of the test run."""

from __future__ import annotations

from collections import Counter
from itertools import chain
from pathlib import Path

import pytest

from bots.models import Bot
from games.record import verify
from ladder.exports.documents import match_log_of, record_of
from ladder.live.answers import GRACE
from ladder.live.end import finish, void
from ladder.models import Attempt, LedgerEntry, LiveSeat, Match, Membership, PlayedMove, Result, Season, Table
from ladder.upkeep import sweep
from tests.build import staff
from tests.ladder.live.play import at_random, bot_at, live_ladder, play_out, position, remote_bots, run_out, table_of
from tests.ladder.matches.test_races import check_accounts
from tests.services.races import Race, RaceServer

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def race(race_server: RaceServer, tmp_path: Path) -> Race:
    return race_server.race_of("tests.ladder.races", tmp_path)


@pytest.fixture
def match() -> Match:
    """A game in which the three seats are asked at once."""
    return table_of(live_ladder("edel-stein-reich", 3), remote_bots(3))


def again(match: Match) -> Match:
    return Match.objects.select_related("ladder", "block").get(pk=match.pk)


def answers(match: Match, seat: int, *moves: str) -> tuple[str, dict[str, object]]:
    return "answering", {"match": match.pk, "bot": bot_at(match, seat), "decision": 1, "moves": moves}


def test_of_answers_to_one_decision_one_is_played_and_the_others_are_judged_by_it(race: Race, match: Match) -> None:
    got = race(*[answers(match, 0, "gems", "money", "{")] * 2, *[answers(match, 0, "money", "gems", "{")] * 2)
    verdicts = Counter(chain.from_iterable(got))
    assert (verdicts["played"], verdicts["same"], verdicts["answered"]) == (1, 3, 8)
    assert PlayedMove.objects.count() == 1


def test_a_wrong_answer_from_several_processes_is_one_strike(race: Race, match: Match) -> None:
    got = race(*[answers(match, 0, "nonsense")] * 4)
    assert got == [["refused"]] * 4
    assert LiveSeat.objects.get(seat__match=match, seat__index=0).strikes == 1


@pytest.mark.slow
def test_all_seats_can_answer_concurrently_through_a_whole_game(race: Race, match: Match) -> None:
    """Each seat's process asks and answers, two sweepers look on, and no move is lost, doubled or out of its place."""
    players = [("playing_live", {"match": match.pk, "bot": bot_at(match, seat), "seed": seat}) for seat in range(3)]
    verdicts = race(*players, *[("sweeping_tables", {"times": 20})] * 2)[:3]
    assert [counts["played"] == counts["same"] for counts in verdicts] == [True] * 3
    asked = list(LiveSeat.objects.order_by("seat__index").values_list("asked", flat=True))
    assert [counts["played"] for counts in verdicts] == asked
    rows = PlayedMove.objects.filter(match=match)
    assert list(rows.values_list("number", flat=True)) == list(range(sum(asked))) == list(range(rows.count()))
    assert Table.objects.get().over or Result.objects.exists()
    record = position(match).state().record
    assert verify(record).outcome == record["outcome"] is not None


def test_the_result_of_a_live_game_is_recorded_once(race: Race, match: Match) -> None:
    play_out(match, at_random(1))
    got = race(*[("finishing", {"matches": [match.pk]})] * 3, ("sweeping_tables", {"times": 3}))
    assert sum(map(len, got[:3])) <= 1
    assert Result.objects.count() == LedgerEntry.objects.filter(kind="result").count() == 1
    assert list(Membership.objects.values_list("games", flat=True)) == [1, 1, 1]
    assert record_of(again(match)) == position(match).state().record
    check_accounts()


def test_an_answer_and_the_sweeper_never_both_have_the_decision(race: Race, match: Match) -> None:
    for seat in range(3):
        run_out(match, seat, ago=GRACE.total_seconds() + 1)
    got = race(*[answers(match, seat, "gems") for seat in range(3)], *[("sweeping_tables", {"times": 3})] * 2)
    assert [verdict in (["late"], ["refused"]) for verdict in got[:3]] == [True] * 3
    rows = PlayedMove.objects.filter(match=match, decision=1)
    assert sorted(rows.values_list("seat__index", "default")) == [(0, "late"), (1, "late"), (2, "late")]
    assert set(LiveSeat.objects.values_list("strikes", flat=True)) == {1}


def test_a_game_that_staff_end_while_answers_come_is_void_with_the_moves_that_came_before(
    race: Race, match: Match
) -> None:
    by = staff("eva")
    withdrawn, *verdicts = race(
        ("withdrawing", {"matches": [match.pk], "by": by.pk}), *[answers(match, seat, "gems") for seat in range(3)]
    )
    assert withdrawn == [match.pk]
    assert set(chain.from_iterable(verdicts)) <= {"played", "late"}
    assert again(match).status == "void"
    assert not LiveSeat.objects.filter(owes=True).exists()
    log = match_log_of(again(match))
    played = Counter(chain.from_iterable(verdicts))["played"]
    assert PlayedMove.objects.count() == played
    assert log is not None and log["steps"] == position(match).state().record["steps"]


def test_a_season_closes_after_its_last_live_game_and_its_keys_stay_secret_as_long_as_any_is_played(
    race: Race, match: Match
) -> None:
    ladder, bots = match.ladder, [bot_at(match, seat) for seat in range(3)]
    casual = table_of(ladder, list(Bot.objects.filter(pk__in=bots)), rated=False)
    first = ladder.seasons.get()
    play_out(match, at_random(1))
    opening = {"ladder": ladder.pk, "bots": bots, "rated": True, "times": 4}
    closed, *_, early, begun = race(
        ("closing", {"seasons": [first.pk]}),
        ("finishing", {"matches": [match.pk]}),
        *[("sweeping", {"times": 5})] * 2,
        ("watching_keys", {"times": 50}),
        ("opening_tables", opening),
    )
    assert (closed, early) == ([first.pk], [])
    of_first = Match.objects.filter(block__series__season=first, status="running").exclude(pk=casual.pk)
    assert set(of_first.values_list("pk", flat=True)) <= set(begun)
    first.refresh_from_db()
    assert first.closed is None or not (of_first.exists() or again(match).status == "running")
    for running in of_first:
        assert void(running.pk, "a race")
    sweep()
    finish(match.pk)
    sweep()
    assert Season.objects.get(pk=first.pk).closed is not None
    published = first.series.filter(kind="live", published__isnull=False)
    assert not published.exists(), "a casual game is played with a deal of it"
    assert void(casual.pk, "a race")
    sweep()
    assert published.exists()
    check_accounts()


def test_a_live_game_ends_once_in_a_race(race: Race, match: Match) -> None:
    by = staff("eva")
    play_out(match, at_random(2))
    arguments = {"matches": [match.pk]}
    finishers = race(
        *[("finishing", arguments)] * 2,
        *[("voiding_tables", arguments)] * 2,
        ("withdrawing", {**arguments, "by": by.pk}),
        ("sweeping_tables", {"times": 3}),
    )
    ended = again(match)
    assert sum(map(len, finishers[:5])) <= 1, "one of them, or the sweeper"
    assert Result.objects.count() == LedgerEntry.objects.filter(kind="result").count() == (ended.status == "finished")
    assert ended.status in ("finished", "void")
    assert (ended.lease, Attempt.objects.filter(ending="open").count()) == (None, 0)
    assert ended.block.ended is not None
    check_accounts()


def test_seats_that_all_run_out_of_time_at_once_forfeit_once_each_and_the_game_ends(race: Race) -> None:
    ladder = live_ladder("edel-stein-reich", 3)
    match = table_of(ladder, remote_bots(3))
    LiveSeat.objects.filter(table=match.pk).update(strikes=2)
    for seat in range(3):
        run_out(match, seat, ago=GRACE.total_seconds() + 1)
    verdicts = race(
        *[answers(match, seat, "gems", "money") for seat in range(3)], *[("sweeping_tables", {"times": 4})] * 2
    )
    assert set(chain.from_iterable(verdicts[:3])) == {"late"}
    finish(match.pk)
    ended = again(match)
    assert ended.status == "finished"
    assert set(LiveSeat.objects.values_list("forfeit", "strikes", "owes")) == {("strikes", 3, False)}
    rows = PlayedMove.objects.filter(match=match)
    assert rows.filter(decision=1, default="late").count() == 3
    assert set(rows.exclude(decision=1).values_list("decision", "default")) == {(None, "forfeit")}
    assert list(rows.values_list("number", flat=True)) == list(range(rows.count()))
    check_accounts()
