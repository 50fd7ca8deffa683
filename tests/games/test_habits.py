"""What games count of how seats play: held against the public events of their own logs, which nobody reads for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.record import replay
from games.registry import GAMES
from games.rules import Document, State
from tests.games.play import TABLES, played, sample_records

SAMPLES = sample_records()
JEWELS = {name: record for name, record in SAMPLES.items() if GAMES[record["game"]].statistics.price_unit}
WINES = {name: record for name, record in SAMPLES.items() if name not in JEWELS}
of_jewels = pytest.mark.parametrize("record", JEWELS.values(), ids=JEWELS)
of_wine = pytest.mark.parametrize("record", WINES.values(), ids=WINES)


def own_steps(record: Document, kind: str) -> Iterator[Document]:
    """The decisions of a kind that seats took themselves."""
    for step in record["steps"]:
        if step.get("decision") == kind and not step.get("forced") and "default" not in step:
            yield step


def by_seat(state: State, habit: str) -> list[list[int]]:
    """One habit by seat, ``[0, 0]`` where there was no occasion."""
    return [own.get(habit, [0, 0]) for own in GAMES[state.rules.slug].statistics.habits(state)]


@given(table=st.sampled_from(TABLES), number=st.integers(0, 10**6))
def test_every_habit_is_a_known_one_with_occasions(table: tuple[str, int], number: int) -> None:
    state = played(*table, number, defaults=0.1)
    columns = {column.key: column for column in GAMES[state.rules.slug].statistics.habit_columns}
    habits = GAMES[state.rules.slug].statistics.habits(state)
    assert len(habits) == state.seats
    for own in habits:
        assert own.keys() <= columns.keys()
        for key, (amount, occasions) in own.items():
            assert occasions > 0
            assert amount >= 0
            if columns[key].share:
                assert amount <= occasions


@pytest.mark.parametrize("slug", GAMES)
def test_habits_have_headings_and_say_what_they_count(slug: str) -> None:
    columns = GAMES[slug].statistics.habit_columns
    assert len({column.key for column in columns}) == len(columns) > 0
    assert all(column.group and column.heading and column.occasion for column in columns)
    assert all(column.meaning.endswith(".") for column in columns)
    groups = [column.group for column in columns]
    assert len(set(groups)) == sum(group != other for group, other in zip(groups, ["", *groups], strict=False))


@pytest.mark.parametrize(("slug", "seats"), TABLES)
def test_a_game_that_is_not_over_has_no_habits(slug: str, seats: int) -> None:
    with pytest.raises(ValueError, match="finished"):
        GAMES[slug].statistics.habits(GAMES[slug].new(seats, bytes(32)))


@of_jewels
def test_choices_are_those_that_the_seats_took_themselves(record: Document) -> None:
    state = replay(record)
    chosen = Counter((step["seat"], step["move"]) for step in own_steps(record, "action"))
    for action in ("money", "event", "gems"):
        assert [count[0] for count in by_seat(state, action)] == [chosen[seat, action] for seat in range(state.seats)]


@of_jewels
def test_barters_won_and_left_are_those_of_the_public_log(record: Document) -> None:
    state = replay(record)
    won, left, gems = Counter[int](), Counter[int](), Counter[int]()
    for entry in state.entries(None):
        event = entry.get("event", {})
        if event.get("why") in ("barter", "counter_gift"):
            won[event["from"]] += 1
            left[event["to"]] += 1
            gems[event["from"]] += sum(event["gems"])
    seats = range(state.seats)
    assert [count[0] for count in by_seat(state, "wins")] == [won[seat] for seat in seats]
    assert [count[0] for count in by_seat(state, "yields")] == [left[seat] for seat in seats]
    assert by_seat(state, "paid") == [[gems[seat], won[seat]] for seat in seats]
    assert [count[1] for count in by_seat(state, "got")] == [left[seat] for seat in seats]


@of_jewels
def test_opening_and_the_first_offer_are_the_steps_that_opened(record: Document) -> None:
    state = replay(record)
    asked, opened, gems = Counter[int](), Counter[int](), Counter[int]()
    for step in own_steps(record, "open_barter"):
        asked[step["seat"]] += 1
        if step["move"] != "decline":
            opened[step["seat"]] += 1
            gems[step["seat"]] += sum(step["move"]["offer"])
    seats = range(state.seats)
    assert by_seat(state, "opens") == [[opened[seat], asked[seat]] for seat in seats]
    assert by_seat(state, "first_offer") == [[gems[seat], opened[seat]] for seat in seats]


@of_jewels
def test_which_offer_is_accepted_counts_the_offers_of_both(record: Document) -> None:
    state = replay(record)
    expected, offers = [[0, 0] for _ in range(state.seats)], 0
    for step in record["steps"]:
        if step.get("decision") == "open_barter":
            offers = int(step["move"] != "decline")
        elif step.get("decision") == "answer_offer":
            offers += step["move"] != "accept"
            if step["move"] == "accept" and step in list(own_steps(record, "answer_offer")):
                expected[step["seat"]][0] += offers
                expected[step["seat"]][1] += 1
    assert by_seat(state, "accepted_at") == expected


@pytest.mark.parametrize("number", range(3))
def test_two_players_catch_each_other_as_the_log_says(number: int) -> None:
    state = played("edel-stein-reich-duel", 2, number)
    events = [entry["event"]["type"] for entry in state.entries(None) if "event" in entry]
    caught = sum(count[0] for key in ("first_caught", "second_caught") for count in by_seat(state, key))
    assert caught == events.count("caught") > 0
    hidden = by_seat(state, "unseen")
    assert sum(turns for _, turns in hidden) == 30
    assert sum(unseen for unseen, _ in hidden) == 30 - caught


@of_wine
def test_bids_and_bottles_are_those_of_the_public_log(record: Document) -> None:
    state = replay(record)
    events = [entry["event"] for entry in state.entries(None) if "event" in entry]
    laid = [event for event in events if event["type"] == "laid"]
    seats = range(state.seats)
    bottles = [sum(event["seat"] == seat for event in laid) for seat in seats]
    assert (
        [count[1] for count in by_seat(state, "empties")] == [count[1] for count in by_seat(state, "trios")] == bottles
    )
    assert [count[0] for count in by_seat(state, "laid")] == bottles
    took = Counter(event["moves"][0]["to"] for event in events if event["type"] == "exchange")
    assert [count[0] for count in by_seat(state, "takes_display")] == [took[seat] for seat in seats]
    cards = sum(
        len(step["move"]["cards"])
        for step in record["steps"]
        if isinstance(step.get("move"), dict) and "cards" in step["move"]
    )
    assert sum(count[0] for count in by_seat(state, "cards")) == cards
