"""Every game as numbers: moves as sequences of actions, what a seat is told as a vector. Nothing here knows a rule."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice, product
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games import strict
from games.learning import Chosen, Encoding
from games.registry import GAMES
from games.rules import Document, IllegalMove, State
from tests.games.play import TABLES, positions
from tests.games.trials import judgement, near

every_table = pytest.mark.parametrize(("slug", "seats"), TABLES)
any_table = st.sampled_from(TABLES)

MOST_ACTIONS = 2000
ABSURD = (None, True, 0, 1.5, "", "stop", [], {}, {"take": []}, {"offer": 1}, {"cards": "Y5"}, {"cell": 1, "card": 2})
FEW = 400
"""Up to this number of legal moves, all sequences are tested."""


def asked(slug: str, seats: int, number: int, every: int = 1) -> Iterator[tuple[State, int, Document]]:
    """Some decisions of a random game: the state, the seat, the document."""
    for state in islice(positions(slug, seats, number, defaults=0.1), 0, None, every):
        for seat in state.pending:
            yield state, seat, state.decision(seat)


def sequences(encoding: Encoding, decision: Document, chosen: Chosen = ()) -> Iterator[Chosen]:
    """Every way along the options to a whole move."""
    options = encoding.options(decision, chosen)
    if not options:
        yield chosen
    for action in options:
        yield from sequences(encoding, decision, (*chosen, action))


def wander(encoding: Encoding, decision: Document, random: Random) -> Chosen:
    """One way along the masks to a whole move."""
    chosen: Chosen = ()
    while any(mask := encoding.mask(decision, chosen)):
        chosen = (*chosen, random.choice([action for action, possible in enumerate(mask) if possible]))
    return chosen


@every_table
def test_actions_are_few_and_have_unique_names(slug: str, seats: int) -> None:
    encoding = GAMES[slug].encoding(seats)
    assert encoding.seats == seats
    assert 1 < len(encoding.actions) <= MOST_ACTIONS
    assert len(set(encoding.actions)) == len(encoding.actions)


@pytest.mark.parametrize("slug", GAMES)
def test_there_is_no_encoding_for_another_number_of_seats(slug: str) -> None:
    for seats in {-1, 0, 1, *range(12)} - set(GAMES[slug].seat_counts):
        with pytest.raises(ValueError, match="seats"):
            GAMES[slug].encoding(seats)


@every_table
def test_every_legal_move_has_one_sequence_and_every_sequence_is_a_legal_move(slug: str, seats: int) -> None:
    encoding = GAMES[slug].encoding(seats)
    for state, seat, decision in asked(slug, seats, 31):
        legal = state.legal_moves(seat)
        if len(legal) > FEW:
            continue
        encoded = list(sequences(encoding, decision))
        assert len(set(encoded)) == len(encoded) == len(legal)
        for move in legal:
            sequence = encoding.sequence(decision, move)
            assert sequence in encoded
            assert strict.same(encoding.move(decision, sequence), move)


@settings(max_examples=60, deadline=None)
@given(any_table, st.integers(0, 10**9), st.integers(0, 10**9))
def test_any_move_survives_there_and_back(at: tuple[str, int], number: int, draw: int) -> None:
    encoding, random = GAMES[at[0]].encoding(at[1]), Random(draw)
    for state, seat, decision in asked(*at, number, every=7):
        move = state.random_move(seat, random)
        assert strict.same(encoding.move(decision, encoding.sequence(decision, move)), move)


@settings(max_examples=60, deadline=None)
@given(any_table, st.integers(0, 10**9), st.integers(0, 10**9))
def test_following_the_masks_gives_a_legal_move(at: tuple[str, int], number: int, draw: int) -> None:
    encoding, random = GAMES[at[0]].encoding(at[1]), Random(draw)
    for state, seat, decision in asked(*at, number, every=7):
        sequence = wander(encoding, decision, random)
        move = encoding.move(decision, sequence)
        assert strict.same(state.check(seat, move), move)
        assert encoding.sequence(decision, move) == sequence


@settings(max_examples=40, deadline=None)
@given(any_table, st.integers(0, 10**9), st.integers(0, 10**9), st.data())
def test_a_decision_alone_says_which_moves_the_rules_allow(
    at: tuple[str, int], number: int, draw: int, data: st.DataObject
) -> None:
    encoding, random = GAMES[at[0]].encoding(at[1]), Random(draw)
    for state, seat, decision in asked(*at, number, every=11):
        drawn = state.random_move(seat, random)
        assert encoding.allows(decision, drawn)
        for move in (data.draw(near(drawn)), *ABSURD):
            assert encoding.allows(decision, move) is not isinstance(judgement(state, seat, move), IllegalMove), move


@every_table
def test_options_are_ascending_and_the_mask_says_the_same(slug: str, seats: int) -> None:
    encoding, random = GAMES[slug].encoding(seats), Random(1)
    for _, _, decision in asked(slug, seats, 32, every=3):
        sequence = wander(encoding, decision, random)
        for length in range(len(sequence) + 1):
            options = encoding.options(decision, sequence[:length])
            assert options == sorted(set(options))
            assert bool(options) is (length < len(sequence))
            assert [
                action for action, possible in enumerate(encoding.mask(decision, sequence[:length])) if possible
            ] == options
        assert len(encoding.options(decision, ())) > 0


@every_table
def test_incomplete_and_illegal_sequences_are_refused(slug: str, seats: int) -> None:
    encoding, random = GAMES[slug].encoding(seats), Random(2)
    for _, _, decision in asked(slug, seats, 33, every=9):
        sequence = wander(encoding, decision, random)
        with pytest.raises(ValueError, match="not a complete move"):
            encoding.move(decision, sequence[:-1])
        with pytest.raises(ValueError, match="cannot follow"):
            encoding.move(decision, (*sequence, sequence[-1]))
        wrong = next(action for action, possible in enumerate(encoding.mask(decision, ())) if not possible)
        for action in (wrong, -1, len(encoding.actions)):
            with pytest.raises(ValueError, match="cannot follow"):
                encoding.move(decision, (action,))


@every_table
def test_an_observation_has_its_sections_in_order_and_within_their_bounds(slug: str, seats: int) -> None:
    encoding, random = GAMES[slug].encoding(seats), Random(3)
    highs = encoding.highs
    assert len({section.name for section in encoding.sections}) == len(encoding.sections)
    for state in islice(positions(slug, seats, 34), 0, None, 5):
        for seat in range(seats):
            decision = state.decision(seat) if seat in state.pending else None
            sequence = wander(encoding, decision, random) if decision else ()
            for length in range(max(1, len(sequence))):
                numbers = encoding.observation(state.view(seat), decision, sequence[:length])
                assert len(numbers) == encoding.size == len(highs)
                assert all(
                    type(number) is float and 0 <= number <= high for number, high in zip(numbers, highs, strict=True)
                )


@every_table
def test_sections_have_the_sizes_they_say(slug: str, seats: int) -> None:
    encoding = GAMES[slug].encoding(seats)
    whole = encoding.sections
    state = GAMES[slug].new(seats, bytes(32))
    for section in whole:
        encoding.sections = (section,)
        assert len(encoding.observation(state.view(0), None)) == section.size == encoding.size
        assert section.meaning
    assert sum(section.size for section in whole) == len(GAMES[slug].encoding(seats).observation(state.view(0), None))


@every_table
def test_being_asked_and_every_action_chosen_show_in_the_observation(slug: str, seats: int) -> None:
    encoding, random = GAMES[slug].encoding(seats), Random(4)
    for state, seat, decision in asked(slug, seats, 35, every=4):
        view, sequence = state.view(seat), wander(encoding, decision, random)
        seen = [encoding.observation(view, None)]
        seen += [encoding.observation(view, decision, sequence[:length]) for length in range(len(sequence))]
        assert len(set(map(tuple, seen))) == len(seen)


@every_table
def test_equal_documents_give_equal_observations(slug: str, seats: int) -> None:
    encoding = GAMES[slug].encoding(seats)
    for state, seat, decision in asked(slug, seats, 36, every=9):
        view, again = state.view(seat), json.loads(json.dumps([state.view(seat), decision]))
        assert encoding.observation(view, decision) == encoding.observation(*again)


@every_table
def test_observations_depend_on_relative_seats_only(slug: str, seats: int) -> None:
    """The first positions of one deal differ by seat; the numbers of all seats have the same places."""
    encoding = GAMES[slug].encoding(seats)
    state = GAMES[slug].new(seats, bytes(32))
    views = [state.view(seat) for seat in range(seats)]
    for own, other in product(range(seats), repeat=2):
        turned = turn(views[own], other - own)
        assert encoding.observation(turned, None) == encoding.observation(views[own], None)


def turn(view: Document, by: int) -> Document:
    """The same table with every player ``by`` seats further."""
    seats = view["seats"]

    def moved(seat: int | None) -> int | None:
        return None if seat is None else (seat + by) % seats

    turned = {
        **view,
        "seat": moved(view["seat"]),
        "players": view["players"][-by % seats :] + view["players"][: -by % seats],
    }
    for key in ("turn", "start", "active"):
        if key in view:
            turned[key] = moved(view[key])
    if "age_order" in view:
        turned["age_order"] = [moved(seat) for seat in view["age_order"]]
    return turned


@every_table
def test_a_spectator_has_no_observation(slug: str, seats: int) -> None:
    state = GAMES[slug].new(seats, bytes(32))
    with pytest.raises(ValueError, match="spectator"):
        GAMES[slug].encoding(seats).observation(state.view(None), None)


@every_table
def test_a_score_is_a_number_that_orders_like_the_ranks(slug: str, seats: int) -> None:
    *_, state = positions(slug, seats, 37)
    assert state.outcome is not None
    scores = [GAMES[slug].encoding(seats).score(score) for score in state.outcome["scores"]]
    best = max(range(seats), key=scores.__getitem__)
    assert min(state.outcome["ranks"]) == 1
    assert all(scores[best] >= score for score in scores)
    assert state.outcome["ranks"][best] == 1 or scores.count(scores[best]) > 1
