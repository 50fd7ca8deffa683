"""Real processes at one table of people at the same time: whoever was first counts, and everybody else by that."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from django.db.models import F

from ladder.ledger.rebuild import rerate
from ladder.models import Ladder, LedgerEntry, LiveSeat, Match, PlayedMove, Result
from tests.ladder.live.people import (
    LATE_S,
    again,
    answer_any,
    beat_ago,
    check_ended,
    check_occupants,
    house,
    live_seat_at,
    miss,
    owing,
    people,
    play_to_the_end,
    seen,
    settle,
    table_for,
)
from tests.ladder.live.play import run_out
from tests.services.races import Race, RaceServer

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("house")]

GEMS = "edel-stein-reich"
DUEL = "edel-stein-reich-duel"


@pytest.fixture
def race(race_server: RaceServer, tmp_path: Path) -> Race:
    return race_server.race_of("tests.ladder.live.racing_people", tmp_path)


def answers(match: Match, seat: int, *moves: str, decision: int = 1) -> tuple[str, dict[str, Any]]:
    return "answering_seat", {"match": match.pk, "seat": seat, "decision": decision, "moves": moves}


def use(match: Match, seat: int, right: str) -> tuple[str, dict[str, Any]]:
    return "using", {"match": match.pk, "seat": seat, "right": right}


def moves_of(match: Match, seat: int, decision: int) -> int:
    return PlayedMove.objects.filter(match=match, seat__index=seat, decision=decision).count()


def check_ratings() -> None:
    """Every ladder's numbers are what its ledger gives."""
    assert [rebuild.differences for rebuild in rerate(check=True)] == [[]] * Ladder.objects.count()


def check_running(match: Match) -> None:
    """Nothing is doubled or out of its place."""
    numbers = list(PlayedMove.objects.filter(match=match).order_by("number").values_list("number", flat=True))
    assert numbers == list(range(len(numbers)))
    check_occupants(match, len(numbers))


def test_of_answers_to_one_decision_one_is_played(race: Race) -> None:
    match = table_for(GEMS, people(3), rated=True)
    got = race(*[answers(match, 0, "gems", "money", "nonsense", "{")] * 2, *[answers(match, 0, "money", "gems")] * 2)
    verdicts = Counter(chain.from_iterable(got))
    assert verdicts["played"] == 1
    assert set(verdicts) <= {"played", "same", "answered", "refused"}
    assert moves_of(match, 0, 1) == PlayedMove.objects.count() == 1


def test_an_answer_and_the_deadline_never_both_have_the_decision(race: Race) -> None:
    match = table_for(GEMS, people(3), rated=True)
    for seat in range(3):
        run_out(match, seat, ago=LATE_S)
    beat_ago(match, 0)
    got = race(*[answers(match, seat, "gems") for seat in range(3)], *[("sweeping_tables", {"times": 3})] * 2)
    assert list(chain.from_iterable(got[:3])) == ["late"] * 3
    rows = PlayedMove.objects.filter(match=match, decision=1)
    assert sorted(rows.values_list("seat__index", "default")) == [(seat, "absent") for seat in range(3)]
    assert set(LiveSeat.objects.filter(table=match.pk).values_list("missed", "strikes", "kind")) == {(1, 0, "person")}
    check_running(match)


def test_a_seat_belongs_to_the_person_or_the_substitute_but_never_to_both(race: Race) -> None:
    match = table_for(GEMS, people(3), rated=True)
    seen(match, 0, ago_s=31)
    miss(match, 0)
    while not LiveSeat.objects.filter(table=match.pk, owes=True, kind="substitute").exists():
        answer_any(match, owing(match)[0])
    settle(match)
    beat_ago(match, 0)
    asked, moves = live_seat_at(match, 0).asked, PlayedMove.objects.count()
    *back, woken, other, _, _ = race(
        *[use(match, 0, "return")] * 3,
        *[("waking", {"match": match.pk, "rounds": 1})] * 2,
        ("sweeping_tables", {"times": 2}),
        ("noting", {"match": match.pk, "seats": [0, 1, 2], "times": 5}),
    )
    assert back == [True] * 3
    assert woken + other == moves_of(match, 0, asked)
    assert PlayedMove.objects.count() == moves + woken + other
    live_seat = live_seat_at(match, 0)
    assert (live_seat.kind, live_seat.returned) == ("person", True)
    assert live_seat.deadline is None or not woken + other or live_seat.asked > asked
    check_running(match)
    play_to_the_end(match)
    record = check_ended(match)
    assert record is not None and not LiveSeat.objects.filter(table=match.pk).exclude(forfeit="").exists()


def test_of_two_simultaneous_resignations_one_wins(race: Race) -> None:
    match = table_for(DUEL, people(2), rated=True)
    (active,) = owing(match)
    *resigned, verdict, _ = race(
        use(match, 0, "resign"),
        use(match, 1, "resign"),
        answers(match, active, "gems"),
        ("sweeping_tables", {"times": 3}),
    )
    assert Counter(resigned) == {True: 1, False: 1}
    assert verdict in (["played"], ["late"])
    record = check_ended(match)
    assert record is not None
    assert [score.get("forfeit") for score in record["outcome"]["scores"]].count("resign") == 1
    assert Result.objects.count() == LedgerEntry.objects.filter(kind="result").count() == 1
    check_ratings()


@pytest.mark.parametrize("rated", [False, True])
def test_everything_at_once_has_one_end(race: Race, rated: bool) -> None:
    """Answers, a deadline, people who resign, abort, claim and come back, workers and the sweeper."""
    match = table_for(GEMS, people(4), rated=rated)
    seen(match, 3, ago_s=31)
    miss(match, 3)
    beat_ago(match, 0)
    seen(match, 3, ago_s=70)
    run_out(match, 2, ago=LATE_S)
    seen(match, 2, ago_s=70)
    done = race(
        answers(match, 0, "gems", "money"),
        answers(match, 1, "gems", "money"),
        answers(match, 2, "money"),
        use(match, 3, "return"),
        use(match, 2, "resign"),
        use(match, 1, "abort"),
        use(match, 0, "claim"),
        use(match, 0, "abort"),
        ("waking", {"match": match.pk, "rounds": 2}),
        ("sweeping_tables", {"times": 3}),
    )
    assert None not in done
    check_running(match)
    for seat in range(4):
        assert moves_of(match, seat, 1) <= 1
    play_to_the_end(match)
    check_ended(match)
    ended = again(match)
    assert Result.objects.count() == (ended.status == "finished")
    assert LedgerEntry.objects.filter(kind="result").count() == (rated and ended.status == "finished")
    assert ended.block.ended is not None
    check_ratings()


def test_an_outage_is_forgiven_once_by_concurrent_processes(race: Race) -> None:
    match = table_for(GEMS, people(3), rated=True)
    back = timedelta(seconds=100)
    LiveSeat.objects.update(due_at=F("due_at") - back, deadline=F("deadline") - back)
    before = live_seat_at(match, 1).deadline
    beat_ago(match, 60)
    beats = ("beating", {"times": 5})
    *forgiven, verdicts, _ = race(beats, beats, beats, answers(match, 0, "gems"), ("sweeping_tables", {"times": 5}))
    assert sum(forgiven) <= 1 and verdicts == ["played"]
    after = live_seat_at(match, 1).deadline
    assert before is not None and after is not None
    assert timedelta(seconds=58) < after - before < timedelta(seconds=75)


@pytest.mark.slow
def test_a_person_with_two_tabs_and_a_bot_with_two_workers_play_one_game(race: Race) -> None:
    match = table_for(DUEL, [*people(1), *house("greedy")], rated=True, players="open")
    *tabs, first, other, _, _ = race(
        *[("playing_by_hand", {"match": match.pk, "seat": 0, "seed": seed}) for seed in range(2)],
        *[("asking_workers", {"match": match.pk})] * 2,
        ("sweeping_tables", {"times": 10}),
        ("beating", {"times": 10}),
    )
    asked = PlayedMove.objects.filter(decision__gte=1)
    assert sum(verdicts.get("played", 0) for verdicts in tabs) == asked.filter(seat__index=0).count()
    assert first + other == asked.filter(seat__index=1).count()
    assert set(chain.from_iterable(tabs)) <= {"played", "same", "answered"}
    check_ended(match)
    check_ratings()
