"""Two games that differ only in what one may not see look the same to one (views.md "Complete and closed").

The twin of a game is played from its record with other cards wherever they still lie face down, another seed, other
choices where they are still secret, and other notes on who was defaulted or has forfeited.
"""

from __future__ import annotations

from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from games import strict
from games.chance import ScriptedChance
from games.rules import FORFEIT_REASONS, Document, State
from tests.games.edel_stein_reich.tables import TABLES
from tests.games.twins import Play, game_with_plays, play_with_any_mark, sampled, seen

ACTIONS = ("money", "event", "gems")


def shuffled(cards: list[str], start: int, end: int, random: Random) -> list[str]:
    """``cards`` with those from ``start`` to before ``end`` in another order."""
    hidden = cards[start:end]
    random.shuffle(hidden)
    return [*cards[:start], *hidden, *cards[end:]]


def other_decks(state: State, random: Random) -> list[tuple[str, Any]]:
    """The chance steps so far, with the cards that nobody has seen yet in another order."""
    steps = [step for step in state.record["steps"] if "chance" in step]
    names = [step["chance"] for step in steps]
    view = state.view(None)
    script = []
    for place, (name, step) in enumerate(zip(names, steps, strict=True)):
        value = step[state.rules.chance_values[name]]
        last = name not in names[place + 1 :]
        if name == "event_deck" and last:
            value = shuffled(value, len(value) - view["event"]["stack"], len(value), random)
        elif name == "gem_deck":
            value = shuffled(value, dealt_of(view, last), len(value) - bool((view["aside"] or {}).get("top")), random)
        script.append((name, value))
    return script


def dealt_of(view: Document, last: bool) -> int:
    """How many cards of a gem deck have been dealt, of the one in play or of an earlier phase's."""
    if last:
        return len(view["gem_discards"]) + sum(player["gem_card"] is not None for player in view["players"])
    return int(view["rounds"] * view["seats"])


def hidden_action(state: State, plays: list[Play]) -> int | None:
    """Which play of a table of two is the action that lies hidden now."""
    view = state.view(None)
    active = view["active"]
    if active is None or not view["players"][active]["chosen"] or view["players"][active]["action"] is not None:
        return None
    return len(plays) - 1 - len(view["guesses"])


def twin_of(state: State, plays: list[Play], seat: int | None, random: Random) -> State:
    """A game that differs from ``state`` wherever ``seat`` cannot see it."""
    twin = state.rules.start(state.seats, ScriptedChance(random.randbytes(32), other_decks(state, random)))
    if random.random() < 0.5:
        twin.entries(None)
    at_once = state.decision_kind == "action" and state.seats > 2
    concealed = state.seats - len(state.pending) if at_once else 0
    hidden, shown = hidden_action(state, plays), state.view(None)["guesses"]
    for index, (who, move, default) in enumerate(plays):
        if who == seat:
            twin.play(who, move, default=default)
        elif index < len(plays) - concealed:
            new = random.choice([action for action in ACTIONS if action not in shown]) if index == hidden else move
            play_with_any_mark(twin, who, new, random)
    if at_once:
        choose_without_completing(twin, seat, random)
    if state.pending:
        for other in {*range(state.seats)} - {seat}:
            twin.forfeit(other, random.choice(FORFEIT_REASONS))
    return twin


def choose_without_completing(twin: State, seat: int | None, random: Random) -> None:
    """Some of the other seats choose, but never all who are still asked."""
    others = [other for other in twin.pending if other != seat]
    most = len(others) if seat in twin.pending else len(others) - 1
    for other in random.sample(others, random.randint(0, most)):
        play_with_any_mark(twin, other, twin.random_move(other, random), random)


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(TABLES), st.integers(0, 10**9), st.integers(0, 200), st.integers(-1, 4))
def test_hidden_information_affects_neither_views_nor_samples(
    at: tuple[str, int], number: int, moves: int, viewer: int
) -> None:
    slug, seats = at
    seat = viewer % seats if viewer >= 0 else None
    state, plays = game_with_plays(slug, seats, number, moves)
    twin = twin_of(state, plays, seat, Random(~number))
    assert twin.record != state.record
    assert strict.same(seen(twin, seat), seen(state, seat))
    if seat is not None:
        assert strict.same(sampled(twin, seat), sampled(state, seat))


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(TABLES), st.integers(0, 10**9), st.integers(0, 60))
def test_a_secret_choice_is_visible_to_its_seat_only(at: tuple[str, int], number: int, moves: int) -> None:
    slug, seats = at
    state, _ = game_with_plays(slug, seats, number, moves)
    while state.decision_kind != "action" or len(state.pending) == 1 < seats - 1:
        seat = state.pending[0]
        state.play(seat, state.default_move(seat))
    chooser = state.pending[0]
    twins = [state.copy() for _ in ACTIONS]
    for twin, action in zip(twins, ACTIONS, strict=True):
        twin.play(chooser, action)
    assert [twin.view(chooser)["you"]["action"] for twin in twins] == list(ACTIONS)
    for seat in [None, *range(seats)]:
        if seat != chooser:
            assert strict.same(seen(twins[0], seat), seen(twins[1], seat))
            assert strict.same(seen(twins[0], seat), seen(twins[2], seat))
