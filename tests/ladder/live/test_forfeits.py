"""Who gave up earlier at a live table ranks below who gave up later, and leaving is never better than resigning."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import Any, Final

import pytest
from django.db import transaction

from games.rules import Document
from ladder.exports.documents import record_of
from ladder.ledger.rebuild import rerate_ladder
from ladder.live import actions
from ladder.live.end import finish
from ladder.live.hosted import ask_seat
from ladder.live.rights import rights_of
from ladder.models import LiveSeat, Match, SeatResult
from ladder.verification.ladders import verify_games
from tests.judge.verdicts import check
from tests.ladder.live.hosted import Fakes
from tests.ladder.live.people import (
    again,
    answer_any,
    ask_workers,
    beat_ago,
    check_ended,
    house,
    ladder_of,
    live_seat_at,
    look,
    miss,
    owing,
    people,
    seen,
    settle,
    table_for,
)
from tests.ladder.live.play import asked, game_of, pass_time, position, post, remote_bots, table_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("house")]

DUEL: Final = "edel-stein-reich-duel"
GEMS: Final = "edel-stein-reich"
WINE: Final = "die-weinhaendler"


def steps(match: Match) -> int:
    """The number of steps that are recorded so far."""
    return len(position(match).state().steps_since(0))


def leave(match: Match, seat: int) -> None:
    """Lose the connection at a decision, so that a substitute takes over the seat."""
    seen(match, seat, ago_s=40)
    miss(match, seat)


def answer_until(match: Match, seat: int) -> None:
    """Let people and workers answer until ``seat`` is asked."""
    for salt in range(200):
        ask_workers(match)
        if seat in owing(match):
            return
        answer_any(match, owing(match)[0], salt)
    raise AssertionError(f"seat {seat} is never asked")


def ended(match: Match) -> Document:
    """The outcome of a game that has ended, which record, result, ledger, re-execution and judge agree on."""
    record = check_ended(match)
    assert record is not None
    outcome: Document = record["outcome"]
    results = list(SeatResult.objects.filter(seat__match=match).order_by("seat__index"))
    assert [result.rank for result in results] == outcome["ranks"]
    assert [result.forfeit_at for result in results] == [score.get("forfeit_at") for score in outcome["scores"]]
    assert [fault for piece in verify_games(match.ladder, 1) for fault in piece.faults] == []
    changes = [result.change for result in results if result.change is not None]
    if changes:
        assert rerate_ladder(match.ladder_id, check=True, records=True).differences == []
        assert sorted(changes, reverse=True) == [results[seat].change for seat in by_rank(outcome)]
    return outcome


def by_rank(outcome: Document) -> list[int]:
    """The seats, best first."""
    return sorted(range(len(outcome["ranks"])), key=lambda seat: outcome["ranks"][seat])


def times(outcome: Document) -> list[int | None]:
    """By seat, after how many steps it gave up."""
    return [score.get("forfeit_at") for score in outcome["scores"]]


def change(match: Match, seat: int) -> int:
    """What the game added to the rating of ``seat``."""
    added = SeatResult.objects.get(seat__match=match, seat__index=seat).change
    assert added is not None
    return added


def duel(answers: int = 6) -> tuple[Match, int]:
    """A rated duel of two people after some answers, and the seat that is asked."""
    match = table_for(DUEL, people(2), rated=True)
    for salt in range(answers):
        answer_any(match, owing(match)[0], salt)
    return match, owing(match)[0]


# --- two players ---------------------------------------------------------------------------------------------------


def test_resigning_after_the_opponent_left_wins() -> None:
    match, gone = duel()
    stays = 1 - gone
    leave(match, gone)
    assert look(match, stays)["rights"]["resigning"] == "won"
    now = steps(match)
    actions.resign(match.pk, stays)
    outcome = ended(match)
    assert outcome["ranks"][stays] == 1 and outcome["ranks"][gone] == 2
    assert times(outcome)[stays] == now > (times(outcome)[gone] or 0)
    assert [score["forfeit"] for score in (outcome["scores"][gone], outcome["scores"][stays])] == [
        "abandoned",
        "resign",
    ]
    assert change(match, stays) > 0 > change(match, gone)


@pytest.mark.parametrize(("ago_s", "says"), [(0, "ended"), (59, "ended"), (61, "won")])
def test_resigning_wins_only_when_victory_could_be_claimed(ago_s: float, says: str) -> None:
    match, seat = duel()
    seen(match, 1 - seat, ago_s)
    beat_ago(match, 0)
    assert look(match, seat)["rights"]["resigning"] == says
    actions.resign(match.pk, seat)
    assert ended(match)["ranks"][seat] == (1 if says == "won" else 2)


def test_of_two_players_who_leave_the_first_loses() -> None:
    match, first = duel()
    leave(match, first)
    answer_until(match, 1 - first)
    answer_any(match, 1 - first)
    answer_until(match, 1 - first)
    leave(match, 1 - first)
    outcome = ended(match)
    assert outcome["ranks"][first] == 2 and outcome["ranks"][1 - first] == 1
    assert change(match, 1 - first) > 0 > change(match, first)


def test_a_player_who_left_and_then_resigns_forfeits_at_the_time_of_leaving() -> None:
    match, gone = duel()
    leave(match, gone)
    answer_until(match, 1 - gone)
    before = position(match).answered_at(gone)
    actions.resign(match.pk, gone)
    outcome = ended(match)
    assert times(outcome)[gone] == before < steps(match)
    assert outcome["scores"][gone]["forfeit"] == "resign"
    assert outcome["ranks"][gone] == 2


def test_a_player_who_returns_and_answers_has_not_forfeited() -> None:
    match, gone = duel()
    leave(match, gone)
    actions.return_to_seat(match.pk, gone)
    answer_until(match, gone)
    answer_any(match, gone)
    answer_until(match, 1 - gone)
    leave(match, 1 - gone)
    seen(match, 1 - gone, ago_s=61)
    actions.claim(match.pk, gone)
    outcome = ended(match)
    assert outcome["ranks"][gone] == 1
    assert times(outcome)[gone] is None


def test_a_claimed_victory_dates_the_forfeit_at_the_last_answer() -> None:
    match, gone = duel()
    before = position(match).answered_at(gone)
    seen(match, gone, ago_s=61)
    actions.claim(match.pk, 1 - gone)
    assert times(ended(match))[gone] == before


# --- what counts as an answer --------------------------------------------------------------------------------------


def test_a_player_who_leaves_before_the_first_answer_forfeits_at_step_0() -> None:
    match = table_for(GEMS, people(3), rated=True)
    leave(match, 0)
    answer_any(match, 1)
    answer_any(match, 2)
    now = steps(match)
    actions.resign(match.pk, 1)
    actions.resign(match.pk, 2)
    outcome = ended(match)
    assert times(outcome) == [0, now, now]
    assert outcome["ranks"] == [3, 1, 1]


def test_three_players_who_leave_before_the_first_answer_tie() -> None:
    match = table_for(GEMS, people(3), rated=True)
    for seat in range(3):
        leave(match, seat)
    outcome = ended(match)
    assert (times(outcome), outcome["ranks"]) == ([0, 0, 0], [1, 1, 1])
    assert [change(match, seat) for seat in range(3)] == [0, 0, 0]


def test_default_moves_and_moves_of_a_substitute_are_no_answers() -> None:
    match = table_for(GEMS, people(3), rated=True)
    answer_any(match, 0)
    assert position(match).answered_at(0) == steps(match)
    first = steps(match)
    seen(match, 0)
    for _ in range(2):
        answer_until(match, 0)
        seen(match, 0)
        miss(match, 0)
    assert live_seat_at(match, 0).kind == LiveSeat.Kind.SUBSTITUTE
    while not ask_workers(match):
        answer_any(match, owing(match)[0])
    assert position(match).answered_at(0) == first
    actions.return_to_seat(match.pk, 0)
    answer_until(match, 0)
    now = steps(match)
    answer_any(match, 0)
    assert position(match).answered_at(0) == now > first


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0)])
def test_the_order_of_answers_to_a_simultaneous_choice_does_not_matter(order: Sequence[int]) -> None:
    match = table_for(GEMS, people(3), rated=True)
    before = steps(match)
    for seat in order:
        answer_any(match, seat)
        assert position(match).answered_at(seat) == before
    assert steps(match) > before
    assert {position(match).answered_at(seat) for seat in order} == {before}


# --- more players --------------------------------------------------------------------------------------------------


def test_of_four_one_resigns_and_three_leave_and_the_last_to_leave_wins() -> None:
    match = table_for(GEMS, people(4), rated=True)
    for seat in (2, 0, 3):
        answer_until(match, seat)
        answer_any(match, seat)
        answer_until(match, seat)
        if seat == 2:
            actions.resign(match.pk, seat)
        else:
            leave(match, seat)
    answer_until(match, 1)
    answer_any(match, 1)
    answer_until(match, 1)
    leave(match, 1)
    outcome = ended(match)
    assert sorted(outcome["ranks"]) == [1, 2, 3, 4]
    given = times(outcome)
    assert by_rank(outcome) == sorted(range(4), key=lambda seat: -(given[seat] or 0))
    assert outcome["ranks"][1] == 1
    assert {score["forfeit"] for score in outcome["scores"]} == {"resign", "abandoned"}
    assert not any(key in score for score in outcome["scores"] for key in ("reason", "at"))


def test_the_first_player_who_resigned_ranks_last_despite_a_substitute() -> None:
    match = table_for(WINE, people(3), rated=True)
    answer_until(match, 0)
    actions.resign(match.pk, 0)
    answer_until(match, 1)
    answer_any(match, 1)
    answer_until(match, 1)
    assert look(match, 1)["rights"]["resigning"] == "ended"
    actions.resign(match.pk, 1)
    assert ended(match)["ranks"] == [3, 2, 1]


def test_the_last_person_to_resign_wins_where_all_others_have_left() -> None:
    match = table_for(GEMS, people(3), rated=True)
    for seat in (0, 1):
        leave(match, seat)
    answer_until(match, 2)
    assert look(match, 2)["rights"]["resigning"] == "won"
    actions.resign(match.pk, 2)
    assert ended(match)["ranks"] == [2, 2, 1]


def test_resigning_against_the_last_bot_loses_to_it() -> None:
    match = table_for(GEMS, [*people(2), *house("greedy")], rated=True, players="open")
    leave(match, 0)
    answer_until(match, 1)
    assert look(match, 1)["rights"]["resigning"] == "ended"
    actions.resign(match.pk, 1)
    assert ended(match)["ranks"] == [3, 2, 1]


def test_resigning_at_the_step_of_all_other_forfeits_ties_with_them() -> None:
    match = table_for(GEMS, people(3), rated=True)
    answer_any(match, 0)
    actions.resign(match.pk, 0)
    seen(match, 1, ago_s=61)
    beat_ago(match, 0)
    assert rights_of(position(match), 2)["resigning"] == "tied"
    actions.resign(match.pk, 2)
    outcome = ended(match)
    assert (outcome["ranks"], times(outcome)[1]) == ([1, 3, 1], 0)


# --- bots ----------------------------------------------------------------------------------------------------------


def strike(match: Match, seat: int) -> None:
    """Let the remote bot at ``seat`` answer once with an illegal move."""
    pass_time(match)
    post(match, seat, asked(match, seat)["id"], "steal")


def answer_well(match: Match, seat: int) -> None:
    """Let the remote bot at ``seat`` answer once with the default move."""
    pass_time(match)
    post(match, seat, asked(match, seat)["id"], position(match).state().default_move(seat))


def test_of_two_remote_bots_that_are_struck_out_the_later_one_wins() -> None:
    match = game_of(DUEL, 2)
    first = position(match).state().pending[0]
    while (state := position(match).state()).pending:
        seat = state.pending[0]
        if seat != first and not live_seat_at(match, first).forfeit:
            answer_well(match, seat)
        else:
            strike(match, seat)
    finish(match.pk)
    record = record_of(again(match))
    assert record is not None and check(record) == []
    assert [score["forfeit"] for score in record["outcome"]["scores"]] == ["strikes", "strikes"]
    assert record["outcome"]["ranks"][first] == 2 and record["outcome"]["ranks"][1 - first] == 1
    assert change(match, 1 - first) > 0 > change(match, first)


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_remote_bots_that_strike_out_in_one_choice_tie_in_any_order(order: Sequence[int]) -> None:
    match = table_of(ladder_of(GEMS, 3, "remote"), remote_bots(3), rated=False)
    while len(position(match).state().pending) == 3 and live_seat_at(match, 0).strikes < 2:
        for seat in order:
            (answer_well if seat == 1 else strike)(match, seat)
        while 0 < len(pending := position(match).state().pending) < 3:
            answer_well(match, pending[0])
    for seat in order:
        (answer_well if seat == 1 else strike)(match, seat)
    given = {live_seat_at(match, seat).forfeit_at for seat in (0, 2)}
    assert len(given) == 1 and None not in given
    assert live_seat_at(match, 1).forfeit_at is None


def test_a_hosted_bot_that_crashes_gave_up_at_that_decision() -> None:
    match = table_for(GEMS, [*people(2), *house("greedy")], rated=True, players="open")
    now = steps(match)

    def crash(message: Document) -> Any:
        raise SystemExit(1)

    settle(match)
    assert ask_seat(match.pk, 2, launcher=Fakes(crash))
    for seat in (0, 1):
        answer_any(match, seat)
    live_seat = live_seat_at(match, 2)
    assert (live_seat.forfeit, live_seat.forfeit_at) == ("exit", now)
    answer_until(match, 0)
    actions.resign(match.pk, 0)
    assert ended(match)["ranks"] == [2, 1, 3]


# --- games from before ---------------------------------------------------------------------------------------------


def test_a_game_in_which_a_player_resigned_before_steps_were_stored_ends_as_it_would_have_then() -> None:
    match = table_for(GEMS, people(3), rated=True)
    actions.resign(match.pk, 0)
    LiveSeat.objects.filter(table=match.pk, seat__index=0).update(forfeit_at=None)
    answer_until(match, 1)
    actions.resign(match.pk, 1)
    outcome = ended(match)
    assert outcome["ranks"] == [2, 2, 1]
    assert times(outcome) == [None, None, None]


# --- leaving is never better than resigning ------------------------------------------------------------------------


@dataclass
class Script:
    """Who gives up at which of their decisions, and how: ``resign``, ``vanish`` (offline) or ``idle`` (online).

    Others who have not given up when seat 0 does answer at least once more. If they never came back, nobody could know,
    and the one who resigned would have lost to a player who was not there any more.
    """

    fates: dict[int, tuple[int, str]]
    answers: dict[int, int] = field(default_factory=dict)
    since: set[int] | None = None

    def act(self, match: Match, seat: int) -> None:
        """Let the person at ``seat``, who is asked, do the next thing."""
        number, how = self.fates[seat]
        count = self.answers.get(seat, 0)
        if count < number or (self.since is not None and seat not in self.since):
            answer_any(match, seat, 7 * count + seat)
            self.answers[seat] = count + 1
            if self.since is not None:
                self.since.add(seat)
            return
        if seat == 0 and self.since is None:
            self.since = {0}
        if how == "resign":
            actions.resign(match.pk, seat)
        else:
            seen(match, seat, 40 if how == "vanish" else 0)
            miss(match, seat)

    def play(self, match: Match) -> Document:
        """Play until all people have given up, and return the outcome."""
        for _ in range(400):
            ask_workers(match)
            if again(match).status != Match.Status.RUNNING or position(match).table.over:
                return ended(match)
            waiting = owing(match)
            self.act(match, waiting[0])
        raise AssertionError("the game does not end")


class Undone(Exception):
    """Take back what a branch of the history has written."""


def undone(branch: Callable[[], Document]) -> Document:
    """The outcome of ``branch``, of which nothing remains."""
    outcome: Document = {}
    try:
        with transaction.atomic():
            outcome = branch()
            raise Undone
    except Undone:
        return outcome


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(("game", "persons", "bots"), [(DUEL, 2, 0), (GEMS, 3, 0), (GEMS, 2, 1), (WINE, 3, 0)])
def test_leaving_at_a_decision_is_never_better_than_resigning_there(
    game: str, persons: int, bots: int, seed: int
) -> None:
    versions = [*people(persons), *house("greedy")[:bots]]
    match = table_for(game, versions, rated=True, players="open" if bots else "people")
    random = Random(f"{game} {persons} {bots} {seed}")
    others = {seat: (random.randrange(6), random.choice(["resign", "vanish", "idle"])) for seat in range(1, persons)}
    number = random.randrange(5)
    ranks = {}
    for how in ("resign", "vanish", "idle"):
        outcome = undone(partial(Script({0: (number, how), **others}).play, match))
        ranks[how] = outcome["ranks"][0]
        left = "resign" if how == "resign" else "abandoned"
        assert outcome["scores"][0].get("forfeit") in (None, left), "all others may have given up before"
    assert ranks["vanish"] >= ranks["resign"] and ranks["idle"] >= ranks["resign"], others
