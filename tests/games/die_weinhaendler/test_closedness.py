"""Two games that differ only in cards that one may not see look the same to one (views.md "Complete and closed").

The twin of a game is played from its record with other cards wherever nobody has seen them yet, in the other hands
and in the stack, another seed, and other notes on who was defaulted or has forfeited.
"""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games import strict
from games.chance import ScriptedChance
from games.rules import FORFEIT_REASONS, Document, State
from tests.games.comparison import Temper
from tests.games.die_weinhaendler.tables import TABLES
from tests.games.die_weinhaendler.tempers import TEMPERS
from tests.games.play import played
from tests.games.twins import play_with_any_mark, sampled, seen

HAND = 5


def unseen_places(state: State, seat: int | None) -> list[int]:
    """The positions in the deck of the cards that ``seat`` has not seen: of the other hands, and of the stack."""
    starter, deck = (step for step in state.record["steps"][:2])
    places = []
    for other in {*range(state.seats)} - {seat}:
        unknown = Counter(state.view(other)["you"]["hand"]) - Counter(state.view(None)["players"][other]["known"])
        first = (other - starter["seat"]) % state.seats
        for place in range(first, HAND * state.seats, state.seats):
            code = deck["cards"][place]
            if unknown[code]:
                unknown[code] -= 1
                places.append(place)
        assert not unknown.total(), "what was not dealt has been seen"
    view, size = state.view(None), len(deck["cards"])
    return [*places, *range(size - view["stack"] + len(view["stack_bottom"]), size)]


def with_other_cards(state: State, seat: int | None, random: Random) -> State:
    """A new game in which the cards that ``seat`` has not seen stand in another order."""
    starter, deck = (step for step in state.record["steps"][:2])
    places, cards = unseen_places(state, seat), list(deck["cards"])
    for place, other in zip(places, random.sample(places, len(places)), strict=True):
        cards[place] = deck["cards"][other]
    script = [("starter", starter["seat"]), ("deck", cards)]
    return state.rules.start(state.seats, ScriptedChance(random.randbytes(32), script))


def follow(twin: State, steps: list[Document], seat: int | None, random: Random) -> bool:
    """Make the same moves; False where another hand has no choice and so the twin goes on by itself."""
    made = 2
    while made < len(steps):
        step = steps[made]
        if step["seat"] == seat:
            twin.play(step["seat"], step["move"], default=step.get("default"))
        else:
            play_with_any_mark(twin, step["seat"], step["move"], random)
        made += len(twin.steps_since(made))
    return made == len(steps)


def twin_of(state: State, seat: int | None, random: Random) -> State:
    """A game that differs from ``state`` wherever ``seat`` cannot see it."""
    steps = state.record["steps"]
    for _ in range(20):
        twin = with_other_cards(state, seat, random)
        if random.random() < 0.5:
            twin.entries(None)
        if follow(twin, steps, seat, random):
            break
    else:
        twin = state.copy()
    if state.pending:
        for other in {*range(state.seats)} - {seat}:
            twin.forfeit(other, random.choice(FORFEIT_REASONS))
    return twin


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from(TABLES), st.integers(0, 10**9), st.integers(0, 120), st.integers(-1, 4), st.sampled_from([0, 0.2])
)
def test_hidden_information_affects_neither_views_nor_samples(
    at: tuple[str, int], number: int, moves: int, viewer: int, defaults: float
) -> None:
    slug, seats = at
    seat = viewer % seats if viewer >= 0 else None
    state = played(slug, seats, number, moves=moves, defaults=defaults)
    twin = twin_of(state, seat, Random(~number))
    assert strict.same(seen(twin, seat), seen(state, seat))
    if seat is not None:
        assert strict.same(sampled(twin, seat), sampled(state, seat))


@pytest.mark.parametrize(("slug", "seats"), TABLES)
@pytest.mark.parametrize("temper", [TEMPERS["lavish"], TEMPERS["circling"], TEMPERS["passing"]])
def test_a_twin_of_every_moment_of_a_game_has_other_cards_and_shows_nothing(
    slug: str, seats: int, temper: Temper
) -> None:
    random, other_hands = Random(seats), 0
    state = played(slug, seats, seats, moves=0)
    while state.pending:
        seat = random.choice([None, *range(seats)])
        twin = twin_of(state, seat, random)
        assert strict.same(seen(twin, seat), seen(state, seat))
        other_hands += any(twin.view(own)["you"] != state.view(own)["you"] for own in range(seats))
        asked = state.pending[0]
        state.play(asked, temper.choose(state, asked, random))
    assert other_hands > 5
