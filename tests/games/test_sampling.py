"""Sampled states: they agree with the knowledge of one seat, and nothing else influences them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from itertools import combinations, permutations
from math import factorial, prod
from random import Random
from typing import Any

import pytest
from scipy.stats import chisquare

from games import strict
from games.chance import ChanceError, ScriptedChance
from games.record import RecordError, replay, verify
from games.registry import GAMES
from games.rules import IllegalMove, Move, State
from games.sampling import Sampler, sample, uniform
from tests.games.edel_stein_reich import tempers as gem_tempers
from tests.games.play import TABLES, VOLUNTARY, move_once, played, seed_of
from tests.games.suites import SUITES, sound

every_table = pytest.mark.parametrize(("slug", "seats"), TABLES)
HAND = 5
"""The number of bottles that are dealt to each seat."""

ORDERED = 3
"""The order of a stack with at most this number of hidden cards is compared."""

RARE_GEMS = {"barter", "cancelled", "counter_gift", "drawn", "reshuffle", "void"}
RARE = {
    ("edel-stein-reich", 3): {*RARE_GEMS, "aside"},
    ("edel-stein-reich", 4): {*RARE_GEMS, "aside"},
    ("edel-stein-reich", 5): {*RARE_GEMS, "free_choice"} - {"reshuffle"},
    ("edel-stein-reich-duel", 2): {"barter", "counter_gift", "drawn", "reshuffle", "hidden", "missed"},
    **{
        ("die-weinhaendler", seats): {"covered", "empty stack", "last_round", "one card", "asked"}
        for seats in (3, 4, 5)
    },
}
"""Cases that must occur among the sampled positions."""


def tempered(slug: str, seats: int, temper: str, number: int, defaults: float = 0.0) -> Iterator[State]:
    """Yield the same state before every move of a game that is played with a temper, and once more at its end."""
    state, random = GAMES[slug].new(seats, seed_of(number)), Random(f"{temper} {number}")
    yield state
    while state.pending:
        seat = random.choice(state.pending)
        if defaults and random.random() < defaults:
            state.play(seat, state.default_move(seat), default=random.choice(VOLUNTARY))
        else:
            state.play(seat, SUITES[slug].tempers[temper].choose(state, seat, random))
        yield state


def position(slug: str, seats: int, temper: str, number: int, moves: int) -> State:
    """Return a game after a number of moves."""
    for count, state in enumerate(tempered(slug, seats, temper, number)):
        if count == moves:
            return state
    raise AssertionError("the game is shorter")


def sampler(state: State, seat: int) -> Sampler:
    """Return the sampler of what ``seat`` receives as JSON."""
    return Sampler(json.loads(json.dumps(state.view(seat))), json.loads(json.dumps(state.entries(seat))))


def play_out(state: State, random: Random) -> State:
    while state.pending:
        move_once(state, random)
    return state


def agrees(drawn: State, state: State, seat: int) -> bool:
    """Return whether ``seat`` sees the same in both states. pytest shows the differences."""
    assert strict.same(drawn.view(seat), state.view(seat))
    assert strict.same(drawn.entries(seat), state.entries(seat))
    if seat in state.pending:
        assert strict.same(drawn.decision(seat), state.decision(seat))
    return sound(drawn)


# --- Agreement -------------------------------------------------------------------------------------------------------


@every_table
def test_a_sample_agrees_with_all_that_its_seat_knows_and_can_be_played_and_recorded(slug: str, seats: int) -> None:
    cases: Counter[str] = Counter()
    for temper in SUITES[slug].tempers:
        random = Random(f"{slug} {seats} {temper}")
        for count, state in enumerate(tempered(slug, seats, temper, seats, defaults=0.05)):
            if state.pending and random.random() > 8 / (100 + count):
                continue
            for seat in random.sample(range(seats), 2):
                drawn = sampler(state, seat).sample(random)
                assert agrees(drawn, state, seat)
                cases.update(_cases(state, seat))
            end = play_out(drawn.copy(), random)
            assert strict.same(replay(end.record).outcome, end.outcome)
    assert not RARE[slug, seats] - cases.keys()


def _cases(state: State, seat: int) -> Iterator[str]:
    view = state.view(seat)
    for entry in state.entries(seat):
        if "event" in entry:
            yield entry["event"]["type"]
            yield "one card" if entry["event"].get("to_bottom", 0) is None else "event"
            yield entry["event"].get("why", "event")
    if state.rules.slug == "die-weinhaendler":
        yield "asked" if view["turn"] not in (seat, None) else "own turn"
        yield "stack" if view["stack"] else "empty stack"
        cells = [cell for player in view["players"] for cellar in player["cellars"] for cell in cellar]
        yield "covered" if any(cell["under"] for cell in cells) else "open"
    else:
        yield "hidden" if view["guesses"] and view["turn"] == seat else "open"


def test_every_seat_can_sample_at_the_first_decision_and_after_the_end() -> None:
    for slug, seats in TABLES:
        for moves in (0, None):
            state = played(slug, seats, 4, moves=moves)
            for seat in range(seats):
                assert agrees(sampler(state, seat).sample(Random(1)), state, seat)


@every_table
def test_a_sampled_state_is_another_world_in_which_the_seat_knows_the_same(slug: str, seats: int) -> None:
    random, others = Random(seats), 0
    for state in tempered(slug, seats, "any_move", 8):
        if random.random() > 0.1:
            continue
        seat = random.randrange(seats)
        world = sampler(state, seat).sample(random)
        again, first = sampler(world, seat).sample(Random(3)), sampler(state, seat).sample(Random(3))
        assert strict.same(again.record, first.record)
        others += not strict.same(world.steps_since(0), state.steps_since(0))
    assert others > 3


@every_table
def test_samples_of_one_generator_differ_also_in_later_chance_and_share_nothing(slug: str, seats: int) -> None:
    state = played(slug, seats, 1, moves=12)
    seat = state.pending[0]
    source, random = sampler(state, seat), Random(2)
    first, second = source.sample(random), source.sample(random)
    assert first.record["seed"] != second.record["seed"]
    assert first.record["steps"] != second.record["steps"]
    untouched = json.dumps([second.record, second.entries(seat)])
    play_out(first, Random(1))
    assert json.dumps([second.record, second.entries(seat)]) == untouched
    assert agrees(source.sample(random), state, seat)


def test_a_reshuffle_after_the_sample_comes_from_the_generator() -> None:
    state = position("edel-stein-reich-duel", 2, "blind", 1, 40)
    shuffles = set()
    for number in range(4):
        drawn = sampler(state, 0).sample(Random(number))
        for move in range(400):
            if "event_deck" in [step.get("chance") for step in drawn.steps_since(state.step_count)]:
                break
            seat = drawn.pending[0]
            drawn.play(seat, gem_tempers.blind(drawn, seat, Random(move)))
        shuffles.add(str([step for step in drawn.steps_since(state.step_count) if step.get("chance") == "event_deck"]))
    assert len(shuffles) == 4


def test_a_record_of_a_sample_is_replayed_but_not_verified_because_its_deal_has_no_seed() -> None:
    drawn = sampler(played("die-weinhaendler", 3, 1, moves=20), 1).sample(Random(1))
    record = play_out(drawn, Random(1)).record
    assert replay(record).record == record
    with pytest.raises(RecordError):
        verify(record)


def test_a_log_document_works_as_its_entries_do() -> None:
    state = played("die-weinhaendler", 4, 1, moves=20)
    whole = sample(state.view(2), state.log(2), Random(5))
    assert strict.same(whole.record, sample(state.view(2), state.entries(2), Random(5)).record)


# --- Errors ----------------------------------------------------------------------------------------------------------


def damaged(state: State, seat: int) -> Iterator[tuple[str, Any, Any]]:
    """Yield documents that do not fit together, with a word of the error."""
    view, entries, log = state.view(seat), state.entries(seat), state.log(seat)
    yield "spectator", state.view(None), state.entries(None)
    yield "not a view", {}, entries
    yield "not a view", [view], entries
    yield "unknown game", {**view, "game": "chess"}, entries
    yield "unknown game", {**view, "game": ["chess"]}, entries
    yield "seats", {**view, "seats": 9}, entries
    yield "does not match", {**view, "seat": 1 - seat}, entries
    yield "does not match", {**view, "seat": 7}, entries
    yield "does not match", {**view, "you": None}, entries
    yield "not a log", view, None
    yield "not a log", view, "entries"
    yield "not a log", view, [*entries, "entry"]
    yield "not a log", view, {**log, "entries": None}
    yield "format", view, state.record
    for key, other in {"game": "chess", "rules": "0", "seats": 6, "seat": 1 - seat}.items():
        yield f"^{key} of the log", view, {**log, key: other}
    for incomplete in ([], entries[1:], entries[:-1], entries[5:], entries[-6:], entries[:8] + entries[9:]):
        yield "does not match", view, incomplete
    yield "does not match", view, [*entries, entries[-1]]
    yield "does not match", view, [*entries[:-1], {"ply": "last"}, entries[-1]]
    for place, entry in enumerate(entries):
        for part in ("step", "event"):
            if part in entry:
                yield "does not match", view, [*entries[:place], {**entry, part: {}}, *entries[place + 1 :]]
                yield "does not match", view, [*entries[:place], {**entry, part: None}, *entries[place + 1 :]]
                yield "does not match", view, [*entries[:place], {**entry, "ply": -1}, *entries[place + 1 :]]


@every_table
def test_documents_that_do_not_fit_together_raise_and_the_error_says_what_to_pass(slug: str, seats: int) -> None:
    state = played(slug, seats, 3, moves=16)
    assert sampler(state, 0)
    for word, view, log in damaged(state, 0):
        with pytest.raises(ValueError, match=word):
            Sampler(view, log)


def test_an_older_view_or_another_game_does_not_match() -> None:
    state, older = played("die-weinhaendler", 3, 3, moves=16), played("die-weinhaendler", 3, 3, moves=15)
    with pytest.raises(ValueError, match="does not match"):
        Sampler(older.view(0), state.entries(0))
    with pytest.raises(ValueError, match="does not match"):
        Sampler(state.view(0), played("die-weinhaendler", 3, 4, moves=16).entries(0))
    with pytest.raises(ValueError, match="does not match"):
        Sampler(state.view(0), played("edel-stein-reich", 3, 3, moves=16).entries(0))


def test_a_game_without_knowledge_does_not_support_sampling(monkeypatch: pytest.MonkeyPatch) -> None:
    state = GAMES["die-weinhaendler"].new(3, seed_of(1))
    monkeypatch.setattr(GAMES["die-weinhaendler"], "knowledge", None)
    with pytest.raises(ValueError, match="knowledge"):
        sampler(state, 0)


# --- Secret choices --------------------------------------------------------------------------------------------------


def first_seat_takes_gems(state: State, seat: int, random: Random) -> Move:
    return "gems" if seat == 0 else uniform(state, seat, random)


def test_other_seats_choose_by_the_policy_if_the_seat_has_not_chosen_yet() -> None:
    state = GAMES["edel-stein-reich"].new(4, seed_of(1))
    state.play(2, "event")
    source, choices = sampler(state, 3), Counter[tuple[str, ...]]()
    for number in range(900):
        drawn = source.sample(Random(number), first_seat_takes_gems)
        assert drawn.pending == (3,)
        drawn.play(3, "money")
        choices[tuple(step["move"] for step in drawn.steps_since(state.step_count)[:4])] += 1
    assert {choice[0] for choice in choices} == {"gems"}
    assert len(choices) == 9
    assert chisquare(list(choices.values())).pvalue > 1e-6


def test_no_other_seat_has_chosen_if_the_seat_waits_for_the_others() -> None:
    state = GAMES["edel-stein-reich"].new(3, seed_of(1))
    state.play(0, "event")
    state.play(2, "money")
    drawn = sampler(state, 0).sample(Random(1))
    assert drawn.pending == (1, 2)
    assert drawn.view(0)["you"] == {"action": "event"}


def missed_once() -> State:
    state = GAMES["edel-stein-reich-duel"].new(2, seed_of(1))
    state.play(state.pending[0], "event")
    state.play(state.pending[0], "money")
    return state


def hidden_action(drawn: State) -> str:
    [move] = [step["move"] for step in drawn.steps_since(0) if step.get("decision") == "action"]
    assert isinstance(move, str)
    return move


def test_a_hidden_action_is_drawn_by_the_policy_among_those_that_the_guess_missed() -> None:
    state = missed_once()
    source, random = sampler(state, state.pending[0]), Random(1)
    even = Counter(hidden_action(source.sample(random)) for _ in range(1000))
    assert even.keys() == {"event", "gems"}
    assert chisquare(list(even.values())).pvalue > 1e-6

    def often_gems(state: State, seat: int, random: Random) -> Move:
        assert state.pending == (seat,)
        return random.choices(["money", "event", "gems"], [5, 1, 3])[0]

    biased = Counter(hidden_action(source.sample(random, often_gems)) for _ in range(1000))
    assert chisquare([biased["event"], biased["gems"]], [250, 750]).pvalue > 1e-6


def test_a_policy_that_contradicts_the_guess_leaves_all_other_actions() -> None:
    state = missed_once()
    source = sampler(state, state.pending[0])
    drawn = {hidden_action(source.sample(Random(number), lambda *_: "money")) for number in range(20)}
    assert drawn == {"event", "gems"}


def test_the_own_hidden_action_stays() -> None:
    state = missed_once()
    seat = 1 - state.pending[0]
    for number in range(5):
        drawn = sampler(state, seat).sample(Random(number), lambda *_: "gems")
        assert hidden_action(drawn) == "event"


def test_an_illegal_move_of_the_policy_raises() -> None:
    state = GAMES["edel-stein-reich"].new(3, seed_of(1))
    with pytest.raises(IllegalMove):
        sampler(state, 0).sample(Random(1), lambda *_: "pass")


# --- Uniformity ------------------------------------------------------------------------------------------------------


def world(state: State, seat: int, decks: dict[int, list[str]]) -> bool:
    """Return whether ``seat`` knows the same in the game of ``state`` with other decks at some steps."""
    steps = state.steps_since(0)
    values = state.rules.chance_values
    script = [
        (step["chance"], decks.get(ply, step[values[step["chance"]]]))
        for ply, step in enumerate(steps)
        if "chance" in step
    ]
    try:
        twin = state.rules.start(state.seats, ScriptedChance(bytes(32), script))
        for ply, step in enumerate(steps):
            if "seat" in step and "chance" not in step and ply >= twin.step_count:
                twin.play(step["seat"], step["move"])
    except (IllegalMove, LookupError, ChanceError):
        return False
    return strict.same(twin.view(seat), state.view(seat)) and strict.same(twin.entries(seat), state.entries(seat))


def fits(observed: Counter[Any], weights: dict[Any, int], draws: int) -> bool:
    """Return whether a sample has the distribution of ``weights``, by a chi-square test."""
    assert observed.keys() <= weights.keys(), "an impossible deal was drawn"
    total = sum(weights.values())
    expected = [draws * weight / total for weight in weights.values()]
    assert min(expected) > 5
    return bool(chisquare([observed[case] for case in weights], expected).pvalue > 1e-6)


def hidden_gem_orders(state: State) -> tuple[dict[int, list[str]], dict[int, tuple[int, int]]]:
    """Return the latest decks by step, and for each of them the part that no seat has seen."""
    view, decks = state.view(None), {}
    for ply, step in enumerate(state.steps_since(0)):
        if step.get("chance") in ("gem_deck", "event_deck"):
            decks[step["chance"]] = (ply, step["cards"])
    events, gems = decks["event_deck"][1], decks["gem_deck"][1]
    aside = view["aside"] or {"count": 0}
    hidden_gems = view["gem_stack"] + (10 * (3 - view["phase"]) if state.seats == 2 else max(0, aside["count"] - 1))
    end = len(gems) - (1 if aside["count"] else 0)
    return (
        dict(decks.values()),
        {
            decks["event_deck"][0]: (len(events) - view["event"]["stack"], len(events)),
            decks["gem_deck"][0]: (end - hidden_gems, end),
        },
    )


@pytest.mark.parametrize(
    ("slug", "seats", "temper", "number", "moves", "orders"),
    [
        ("edel-stein-reich-duel", 2, "any_move", 5, 125, 84),
        ("edel-stein-reich-duel", 2, "any_move", 0, 112, 60),
        ("edel-stein-reich", 4, "any_move", 4, 173, 30),
        ("edel-stein-reich", 4, "blind", 1, 149, 120),
        ("edel-stein-reich", 5, "blind", 10, 148, 24),
    ],
)
def test_all_orders_of_the_hidden_gem_and_event_cards_have_the_same_probability(
    slug: str, seats: int, temper: str, number: int, moves: int, orders: int
) -> None:
    state = position(slug, seats, temper, number, moves)
    seat = state.pending[0]
    decks, hidden = hidden_gem_orders(state)
    (first, (start, stop)), (second, (begin, end)) = sorted(hidden.items())
    weights = {
        (one, two): 1
        for one in set(permutations(decks[first][start:stop]))
        for two in set(permutations(decks[second][begin:end]))
    }
    assert len(weights) == orders
    for one, two in weights:
        other = {
            first: [*decks[first][:start], *one, *decks[first][stop:]],
            second: [*decks[second][:begin], *two, *decks[second][end:]],
        }
        assert slug.endswith("duel") or world(state, seat, other)
    source, random, draws = sampler(state, seat), Random(orders), 20 * orders
    observed: Counter[Any] = Counter()
    for _ in range(draws):
        drawn = source.sample(random).steps_since(0)
        observed[tuple(drawn[first]["cards"][start:stop]), tuple(drawn[second]["cards"][begin:end])] += 1
    assert fits(observed, weights, draws)


def deals(state: State, seat: int) -> dict[Any, int]:
    """Return all deals that agree with what ``seat`` knows, with the number of orders of the deck that give each.

    They are found from the real one by exchanges of two cards, each of which is checked by a replay of the game.
    """
    starter, deck = state.steps_since(0)[:2]
    hidden = hidden_in_stack(state)
    own = (seat - starter["seat"]) % state.seats
    places = [place for place in range(HAND * state.seats) if place % state.seats != own]
    places += range(len(deck["cards"]) - hidden, len(deck["cards"]))
    checked = {deal(deck["cards"], state.seats, hidden): True}
    found = [deck["cards"]]
    for cards in found:
        for one, two in combinations(places, 2):
            other = list(cards)
            other[one], other[two] = other[two], other[one]
            key = deal(other, state.seats, hidden)
            if key not in checked:
                checked[key] = world(state, seat, {1: other})
                if checked[key]:
                    found.append(other)
    return {
        key: prod(_orders(hand) for hand in key[0]) * (1 if hidden <= ORDERED else _orders(key[1]))
        for key, possible in checked.items()
        if possible
    }


def hidden_in_stack(state: State) -> int:
    view = state.view(None)
    return int(view["stack"]) - len(view["stack_bottom"])


def deal(cards: list[str], seats: int, hidden: int) -> tuple[tuple[tuple[str, ...], ...], tuple[str, ...]]:
    """Return the dealt hands, clockwise from the starter, and the hidden cards of the stack, a few in order."""
    hands = tuple(tuple(sorted(cards[place : HAND * seats : seats])) for place in range(seats))
    stack = cards[len(cards) - hidden :]
    return hands, tuple(stack if hidden <= ORDERED else sorted(stack))


def _orders(cards: tuple[str, ...]) -> int:
    """The number of different orders of ``cards``."""
    return factorial(len(cards)) // prod(factorial(copies) for copies in Counter(cards).values())


@pytest.mark.parametrize(
    ("temper", "number", "moves", "seat", "worlds"),
    [
        ("thrifty", 85, 65, 2, 12),
        ("thrifty", 85, 65, 1, 3),
        ("thrifty", 33, 54, 1, 3),
        ("thrifty", 51, 58, 0, 12),
        ("silent", 2, 41, 1, 6),
        ("thrifty", 12, 22, 2, 12),
        ("hoarding", 7, 7, 2, 13),
    ],
)
def test_all_orders_of_the_deck_of_bottles_that_agree_have_the_same_probability(
    temper: str, number: int, moves: int, seat: int, worlds: int
) -> None:
    state = position("die-weinhaendler", 3, temper, number, moves)
    weights = deals(state, seat)
    print(len(weights), sorted(weights.values()))
    hidden = hidden_in_stack(state)
    source, random, draws = sampler(state, seat), Random(worlds), 3000
    observed: Counter[Any] = Counter()
    for _ in range(draws):
        observed[deal(source.sample(random).steps_since(0)[1]["cards"], 3, hidden)] += 1
    assert fits(observed, weights, draws)
    assert len(weights) == worlds
