"""What games count of their seats: held against the public events of their own logs, which nobody reads for it."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.record import replay
from games.registry import GAMES
from games.rules import Document, State
from games.statistics import Exchange
from tests.games.play import TABLES, played, sample_records

SAMPLES = sample_records()
every_sample = pytest.mark.parametrize("record", SAMPLES.values(), ids=SAMPLES)
tables = st.sampled_from(TABLES)
numbers = st.integers(0, 10**6)


def events(state: State, kind: str) -> list[Document]:
    """The public events of one kind."""
    public_events = [entry["event"] for entry in state.entries(None) if "event" in entry]
    return [event for event in public_events if event["type"] == kind]


def total(state: State, key: str) -> list[int]:
    """One figure over the whole game, by seat."""
    return [sum(own[key]) for own in GAMES[state.rules.slug].statistics.figures(state)]


def check_shape(state: State) -> None:
    game = GAMES[state.rules.slug]
    counted = game.statistics.figures(state)
    assert len(counted) == state.seats
    for own in counted:
        assert list(own) == [column.key for column in game.statistics.figure_columns]
        assert all(len(numbers) == len(game.statistics.stretches) for numbers in own.values())


def check_exchanges(state: State) -> None:
    for exchange in GAMES[state.rules.slug].statistics.exchanges(state):
        assert exchange.buyer != exchange.seller
        assert {exchange.buyer, exchange.seller} <= set(range(state.seats))
        assert exchange.price > 0
        assert exchange.good
        assert GAMES[state.rules.slug].statistics.price_unit


@given(table=tables, number=numbers)
def test_every_game_counts_every_figure_for_every_stretch_and_seat(table: tuple[str, int], number: int) -> None:
    state = played(*table, number, defaults=0.1)
    check_shape(state)
    check_exchanges(state)


@pytest.mark.parametrize("slug", GAMES)
def test_figures_have_headings_and_say_what_they_count(slug: str) -> None:
    columns = GAMES[slug].statistics.figure_columns
    assert len({column.key for column in columns}) == len(columns)
    assert all(column.heading and column.meaning.endswith(".") for column in columns)


@pytest.mark.parametrize(("slug", "seats"), TABLES)
def test_a_game_that_is_not_over_has_no_figures(slug: str, seats: int) -> None:
    state = GAMES[slug].new(seats, bytes(32))
    with pytest.raises(ValueError, match="finished"):
        GAMES[slug].statistics.figures(state)


@every_sample
def test_the_first_figure_adds_up_to_the_score_of_the_record(record: Document) -> None:
    state = replay(record)
    score = next(iter(record["outcome"]["scores"][0]))
    assert next(iter(GAMES[state.rules.slug].statistics.figures(state)[0])) == score
    assert total(state, score) == [score_row[score] for score_row in record["outcome"]["scores"]]


def jewels(record: Document) -> bool:
    return bool(GAMES[record["game"]].statistics.price_unit)


JEWELS = {name: record for name, record in SAMPLES.items() if jewels(record)}
WINES = {name: record for name, record in SAMPLES.items() if not jewels(record)}


@pytest.mark.parametrize("record", JEWELS.values(), ids=JEWELS)
def test_money_and_certificates_of_a_phase_are_those_of_its_scoring_and_its_actions(record: Document) -> None:
    state = replay(record)
    money = [[0] * 3 for _ in range(state.seats)]
    phase = 0
    for entry in state.entries(None):
        event: Any = entry.get("event", {"type": "step"})
        if event["type"] == "money":
            money[event["seat"]][phase] += event["amount"]
        if event["type"] == "scored":
            for row in event["rows"]:
                for seat in range(state.seats):
                    money[seat][phase] += row["share"][seat] + row["sole_bonus"][seat] + row["per_gem"][seat]
            phase += event["phase"] is not None
    figures = GAMES[state.rules.slug].statistics.figures(state)
    assert [own["money"] for own in figures] == money
    kept = Counter(event["seat"] for event in events(state, "kept") if event["card"] == "cert")
    assert total(state, "certificates") == [kept[seat] for seat in range(state.seats)]


def bartered(state: State) -> list[tuple[int, int, int]]:
    """Giver, receiver and gems of every barter, from the public log."""
    return [
        (event["from"], event["to"], sum(event["gems"]))
        for event in events(state, "gems_moved")
        if event["why"] in ("barter", "counter_gift")
    ]


@pytest.mark.parametrize("record", JEWELS.values(), ids=JEWELS)
def test_exchanges_are_the_barters_of_the_public_log(record: Document) -> None:
    state = replay(record)
    exchanges = GAMES[state.rules.slug].statistics.exchanges(state)
    assert [(exchange.buyer, exchange.seller, exchange.price) for exchange in exchanges] == bartered(state)


@given(table=st.sampled_from([table for table in TABLES if GAMES[table[0]].statistics.price_unit]), number=numbers)
def test_barters_won_and_gems_paid_are_the_exchanges_seen_from_the_seats(table: tuple[str, int], number: int) -> None:
    state = played(*table, number)
    exchanges = GAMES[state.rules.slug].statistics.exchanges(state)
    assert [(exchange.buyer, exchange.seller, exchange.price) for exchange in exchanges] == bartered(state)
    by_seat = range(state.seats)
    assert total(state, "barters_won") == [sum(exchange.buyer == seat for exchange in exchanges) for seat in by_seat]
    assert total(state, "gems_paid") == [
        sum(exchange.price for exchange in exchanges if exchange.buyer == seat) for seat in by_seat
    ]
    assert total(state, "barters_left") == [sum(exchange.seller == seat for exchange in exchanges) for seat in by_seat]
    received = [sum(exchange.price for exchange in exchanges if exchange.seller == seat) for seat in by_seat]
    assert total(state, "gems_received") == received


def test_the_good_of_an_exchange_is_the_action_that_both_had_chosen() -> None:
    state = replay(SAMPLES["edel-stein-reich-4:1"])
    goods = {exchange.good for exchange in GAMES[state.rules.slug].statistics.exchanges(state)}
    assert goods <= {"money", "event", "gems"}
    first = GAMES[state.rules.slug].statistics.exchanges(state)[0]
    before = next(ply for ply, step in enumerate(state.record["steps"]) if step.get("decision") == "open_barter")
    chosen = {step["seat"]: step["move"] for step in state.record["steps"][:before] if step.get("decision") == "action"}
    assert isinstance(first, Exchange)
    assert chosen[first.buyer] == chosen[first.seller] == first.good


@pytest.mark.parametrize("record", WINES.values(), ids=WINES)
def test_bottles_trios_and_bids_of_wine_are_those_of_the_public_log(record: Document) -> None:
    state = replay(record)
    laid, seats = events(state, "laid"), range(state.seats)
    assert total(state, "bottles") == [sum(event["seat"] == seat for event in laid) for seat in seats]
    assert total(state, "points") == [sum(e["points"] for e in laid if e["seat"] == seat) for seat in seats]
    exchanged = events(state, "exchange")
    took_display = Counter(event["moves"][0]["to"] for event in exchanged)
    took_a_bid = Counter(move["to"] for event in exchanged for move in event["moves"][1:-1])
    assert total(state, "highest_bids") == [took_display[seat] for seat in seats]
    assert total(state, "lower_bids") == [took_a_bid[seat] for seat in seats]
    rounds = {
        sum(numbers)
        for numbers in zip(*(total(state, k) for k in ("highest_bids", "lower_bids", "passes")), strict=True)
    }
    assert len(rounds) == 1


@pytest.mark.parametrize("record", WINES.values(), ids=WINES)
def test_wine_is_not_exchanged_between_two(record: Document) -> None:
    state = replay(record)
    assert GAMES[state.rules.slug].statistics.exchanges(state) == []
