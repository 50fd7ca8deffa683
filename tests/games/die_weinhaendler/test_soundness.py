"""Play of every temper, defaults and forfeits: no card is ever lost, and every record is the game again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from games import strict
from games.record import replay, verify
from games.registry import GAMES
from games.rules import FORFEIT_REASONS, State
from tests.games.die_weinhaendler.tables import TABLES
from tests.games.die_weinhaendler.tempers import TEMPERS
from tests.games.playing import VOLUNTARY


def faults(state: State) -> Iterator[str]:
    """What does not hold now; empty when the table is sound."""
    view, deck = state.view(None), Counter(state.record["steps"][1]["cards"])
    hands = [Counter(state.view(seat)["you"]["hand"]) for seat in range(state.seats)]
    seen: Counter[str] = Counter(view["display"])
    for seat, player in enumerate(view["players"]):
        seen += hands[seat] + Counter(player["bid"])
        for cell in (cell for cellar in player["cellars"] for cell in cellar):
            seen += Counter([cell["card"]] + [cell["under"]] * (cell["under"] is not None))
        if player["hand"] != hands[seat].total() or not Counter(player["known"]) <= hands[seat]:
            yield f"the hand of {seat} is not what is said of it"
        if any(len(cellar) > 15 for cellar in player["cellars"]):
            yield f"{seat} has a cellar of more than 15 cells"
    if not seen <= deck or (deck - seen).total() != view["stack"]:
        yield f"cards lost or doubled: {deck - seen}, {seen - deck}"
    totals = [player["total"] for player in view["players"] if player["total"] is not None]
    if len(set(totals)) < len(totals):
        yield "two bids are equal"


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(TABLES),
    st.binary(min_size=32, max_size=32),
    st.integers(0, 2**32),
    st.sampled_from(sorted(TEMPERS)),
    st.sampled_from([0, 0, 0.3]),
    st.integers(0, 60),
)
def test_nothing_is_lost_at_any_step_and_the_record_is_the_game_again(
    at: tuple[str, int], seed: bytes, number: int, temper: str, defaults: float, forfeit_after: int
) -> None:
    slug, seats = at
    state, random, gone = GAMES[slug].new(seats, seed), Random(number), set[int]()
    moves = 0
    while state.pending:
        gone |= {seat for seat in range(seats) if moves == forfeit_after and random.random() < 0.2}
        seat = state.pending[0]
        if seat in gone or random.random() < defaults:
            reason = "forfeit" if seat in gone else random.choice(VOLUNTARY)
            state.play(seat, state.default_move(seat), default=reason)
        else:
            state.play(seat, TEMPERS[temper].choose(state, seat, random))
        moves += 1
        assert list(faults(state)) == []
    for seat in gone:
        state.forfeit(seat, random.choice(FORFEIT_REASONS))
    record = state.record
    assert strict.same(verify(record).record, record)
    assert strict.same(replay(record).outcome, state.outcome)
    check_ranks(state, gone)


def check_ranks(state: State, gone: set[int]) -> None:
    """Finishers by points; whoever has forfeited shares the rank behind them."""
    outcome = state.outcome
    assert outcome is not None
    points = [score["points"] for score in outcome["scores"]]
    finishers = [own for seat, own in enumerate(points) if seat not in gone]
    for seat, rank in enumerate(outcome["ranks"]):
        ahead = finishers if seat in gone else [own for own in finishers if own > points[seat]]
        assert rank == 1 + len(ahead)
        assert ("forfeit" in outcome["scores"][seat]) is (seat in gone)
