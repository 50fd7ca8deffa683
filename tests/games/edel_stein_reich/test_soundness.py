"""Random legal play, defaults and forfeits: nothing is ever lost, and every record is the game again (M85)."""

from __future__ import annotations

from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from games import strict
from games.edel_stein_reich.state import EdelSteinReichState
from games.record import replay, verify
from games.registry import GAMES
from games.rules import FORFEIT_REASONS, State
from tests.games.edel_stein_reich.soundness import faults
from tests.games.edel_stein_reich.tables import TABLES
from tests.games.playing import VOLUNTARY

SEEDS = st.binary(min_size=32, max_size=32)
LEANINGS = st.sampled_from(["", "", "event", "gems", "money", "free_choice", "blind", "decline", "accept"])
"""A word that the seats prefer where it is legal, so that seldom situations come about."""


def play_one(state: State, random: Random, leaning: str, defaults: float, gone: set[int]) -> None:
    seat = random.choice(state.pending)
    legal: list[Any] = list(state.legal_moves(seat))
    if seat in gone:
        state.play(seat, legal[0], default="forfeit")
    elif random.random() < defaults:
        state.play(seat, state.default_move(seat), default=random.choice(VOLUNTARY))
    elif leaning in legal and random.random() < 0.8:
        state.play(seat, leaning)
    else:
        state.play(seat, state.random_move(seat, random))


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(TABLES), SEEDS, st.integers(0, 2**32), LEANINGS, st.sampled_from([0, 0, 0.3]), st.integers(0, 60)
)
def test_nothing_is_lost_at_any_step_and_the_record_is_the_game_again(
    at: tuple[str, int], seed: bytes, number: int, leaning: str, defaults: float, forfeit_after: int
) -> None:
    slug, seats = at
    state, random, gone = GAMES[slug].new(seats, seed), Random(number), set[int]()
    assert isinstance(state, EdelSteinReichState)
    moves = 0
    while state.pending:
        if moves == forfeit_after:
            gone |= {seat for seat in range(seats) if random.random() < 0.2}
        play_one(state, random, leaning, defaults, gone)
        moves += 1
        assert faults(state) == []
    for seat in gone:
        state.forfeit(seat, random.choice(FORFEIT_REASONS))
    record = state.record
    assert strict.same(verify(record).record, record)
    assert strict.same(replay(record).outcome, state.outcome)
    check_ranks(state, gone)


def check_ranks(state: State, gone: set[int]) -> None:
    """Finishers by money, gems, red, yellow, green, blue; whoever has forfeited shares the rank behind them."""
    outcome = state.outcome
    assert outcome is not None
    keys = [(score["money"], sum(score["gems"]), *score["gems"]) for score in outcome["scores"]]
    finishers = [key for seat, key in enumerate(keys) if seat not in gone]
    for seat, rank in enumerate(outcome["ranks"]):
        ahead = finishers if seat in gone else [key for key in finishers if key > keys[seat]]
        assert rank == 1 + len(ahead)
        assert ("forfeit" in outcome["scores"][seat]) is (seat in gone)
