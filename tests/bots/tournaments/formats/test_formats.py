"""What all formats have in common."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from bots.tournaments import formats
from bots.tournaments.formats import FORMATS, Format, Plan
from bots.tournaments.formats.base import FormatError
from bots.tournaments.rounds import Entrants, PairingError, PlayedRound, Round
from ladder.models import Cup

TABLES = [(slug, seats) for slug, rules in FORMATS.items() for seats in rules.seat_counts]
every_table = pytest.mark.parametrize(("slug", "seats"), TABLES)


def plan(slug: str, seats: int, entrants: int) -> Plan:
    rounds = 4 if FORMATS[slug].has_chosen_rounds else None
    return Plan(slug, seats, Entrants((None,) * entrants), b"k" * 32, "hash", rounds)


def play(plan: Plan, random: Random) -> list[PlayedRound]:
    """A cup with random results, some of them void."""
    played = list[PlayedRound]()
    while (following := plan.next_round(played)) is not None:
        results = [random.choice([None, tuple(random.choices(range(9), k=plan.seats))]) for _ in following]
        played.append(PlayedRound(following, tuple(results)))
    return played


@every_table
@pytest.mark.parametrize("more", [0, 1, 2, 7])
def test_a_cup_ends_and_ranks_every_entrant_once_whatever_the_results(slug: str, seats: int, more: int) -> None:
    planned = plan(slug, seats, seats + more)
    for seed in range(5):
        rows = planned.standings(play(planned, Random(seed)))
        assert sorted(row.entrant for row in rows) == list(range(seats + more))
        assert [row.rank for row in rows] == list(range(1, seats + more + 1))


@every_table
def test_a_cup_ends_and_ranks_every_entrant_once_if_entrants_leave(slug: str, seats: int) -> None:
    planned, random = plan(slug, seats, seats + 7), Random(3)
    left, played = dict[int, str](), list[PlayedRound]()
    while (following := planned.next_round(played, left)) is not None:
        results = [tuple(random.choices(range(9), k=seats)) for _ in following]
        played.append(PlayedRound(following, tuple(results)))
        if len(left) < 4:
            left[random.choice(following.tables[0])] = random.choice(["withdrawn", "disqualified"])
    assert sorted(row.entrant for row in planned.standings(played, left)) == list(range(seats + 7))


@every_table
def test_numbers_of_tables_are_known_before_the_start(slug: str, seats: int) -> None:
    planned = plan(slug, seats, 13)
    known = FORMATS[slug].tie_places_by_round(seats, 13, planned.rounds)
    for seed in range(5):
        counts = [len(past.round.tables) for past in play(planned, Random(seed))]
        assert counts[: len(known)] == [len(tables) for tables in known]
        assert counts[len(known) :] in ([], [1]), "only a last table can depend on a result"
    assert all(0 <= value < seats for tables in known for value in tables)


@every_table
def test_equal_results_give_equal_rounds(slug: str, seats: int) -> None:
    assert play(plan(slug, seats, 11), Random(1)) == play(plan(slug, seats, 11), Random(1))


@pytest.mark.parametrize("slug", FORMATS)
def test_texts_and_slugs_fit_where_they_are_shown_and_stored(slug: str) -> None:
    rules = FORMATS[slug]
    assert len(slug) <= (Cup._meta.get_field("format").max_length or 0)
    assert rules.summary.startswith(rules.name)
    assert rules.summary.endswith(".")


def test_wrong_sizes_are_refused_by_every_format() -> None:
    for slug, rules in FORMATS.items():
        for entrants, seats, code in [
            (1, 2, "too_few_entrants"),
            (8, 9, "seats"),
            (rules.most_entrants(2) + 1, 2, "too_many_entrants"),
        ]:
            with pytest.raises(PairingError) as error:
                plan(slug, seats, entrants).next_round([])
            assert error.value.code == code


@pytest.mark.parametrize(
    ("round_", "problem"),
    [
        (Round(((0, 1), (1, 2))), "several tables"),
        (Round(((0, 0),)), "different entrants"),
        (Round(((0, 1, 2),)), "different entrants"),
        (Round(((0, 1),), (1,)), "bye"),
        (Round(((0, 9),)), "unknown"),
        (Round(((0, 1),)), "does not end"),
    ],
)
def test_a_faulty_format_is_named_before_its_round_is_played(
    round_: Round, problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Faulty(Format):
        slug, name, summary = "faulty", "Faulty", "Faulty."

        def next_round(self, *_: Any) -> Round:
            return round_

    monkeypatch.setattr(formats, "FORMATS", {**FORMATS, "faulty": Faulty()})
    with pytest.raises(FormatError, match=f"faulty .*{problem}"):
        formats.FORMATS["faulty"].tie_places_by_round(2, 4, None)
