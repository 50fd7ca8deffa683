"""Play of every temper, defaults and forfeits: nothing is ever lost, and every record is the game again."""

from __future__ import annotations

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from games import strict
from games.record import replay, verify
from games.registry import GAMES
from games.rules import FORFEIT_REASONS, State
from tests.games.play import TABLES, VOLUNTARY
from tests.games.suites import SUITES, sound


@settings(max_examples=120, deadline=None)
@given(
    st.sampled_from(TABLES),
    st.binary(min_size=32, max_size=32),
    st.integers(0, 2**32),
    st.sampled_from([0, 0, 0.3]),
    st.integers(0, 60),
)
def test_nothing_is_lost_at_any_step_and_the_record_is_the_game_again(
    at: tuple[str, int], seed: bytes, number: int, defaults: float, forfeit_after: int
) -> None:
    slug, seats = at
    state, random, gone = GAMES[slug].new(seats, seed), Random(number), set[int]()
    temper = random.choice(list(SUITES[slug].tempers.values()))
    moves = 0
    while state.pending:
        if moves == forfeit_after:
            gone |= {seat for seat in range(seats) if random.random() < 0.2}
        seat = random.choice(state.pending)
        if seat in gone or random.random() < defaults:
            reason = "forfeit" if seat in gone else random.choice(VOLUNTARY)
            state.play(seat, state.default_move(seat), default=reason)
        else:
            state.play(seat, temper.choose(state, seat, random))
        moves += 1
        assert sound(state)
    for seat in gone:
        state.forfeit(seat, random.choice(FORFEIT_REASONS))
    record = state.record
    assert strict.same(verify(record).record, record)
    assert strict.same(replay(record).outcome, state.outcome)
    check_ranks(state, gone)


def check_ranks(state: State, gone: set[int]) -> None:
    """Finishers rank by what decides the game; seats that have forfeited share the rank behind them."""
    outcome = state.outcome
    assert outcome is not None
    keys = [SUITES[state.rules.slug].rank_key(score) for score in outcome["scores"]]
    finishers = [key for seat, key in enumerate(keys) if seat not in gone]
    for seat, rank in enumerate(outcome["ranks"]):
        ahead = finishers if seat in gone else [key for key in finishers if key > keys[seat]]
        assert rank == 1 + len(ahead)
        assert ("forfeit" in outcome["scores"][seat]) is (seat in gone)
