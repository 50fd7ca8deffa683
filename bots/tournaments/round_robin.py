"""Cups in which the pairings do not depend on results: everyone meets everyone equally often.

At two seats that is a round robin by the circle method (J. Kirkman, 1850). At more seats it is a balanced design: the
numbers of meetings of any two entrants differ by at most one. Where a Steiner system exists for up to 40 entrants, any
two meet exactly once. ``designs.json`` has all designs; ``python -m tools.designs`` finds them.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from itertools import combinations
from typing import Final

from bots.tournaments.rounds import PairingError, Round, Table

MOST_BALANCED: Final = 64
"""The most entrants of a balanced cup at three to five seats."""


def round_robin(places: Sequence[int], seats: int, tables: Sequence[Table] = ()) -> tuple[Round, ...]:
    """All rounds of a cup in which everyone meets everyone equally often.

    ``places`` has the entrant of each place in the design, a permutation that is drawn from the key of the cup.
    ``tables`` is the design; without it, :func:`design` is used. Raises ``PairingError`` for too few or too many
    entrants.
    """
    entrants = len(places)
    if entrants < max(2, seats):
        text = f"This format needs at least {max(2, seats)} entrants, not {entrants}. Add entrants."
        raise PairingError(text, "too_few_entrants")
    if seats == 2:
        return _circle(places)
    if entrants > MOST_BALANCED:
        text = f"This format has at most {MOST_BALANCED} entrants at {seats} seats, not {entrants}. Choose Swiss."
        raise PairingError(text, "too_many_entrants")
    return _in_rounds([tuple(places[place] for place in table) for table in tables or design(entrants, seats)])


def design(entrants: int, seats: int) -> tuple[Table, ...]:
    """The balanced design of ``entrants`` at ``seats`` seats. Raises ``KeyError`` if it does not exist."""
    (kind, tables), *_ = _designs()[str(seats)][str(entrants)].items()
    if kind == "exact":
        return tuple(map(tuple, tables))
    shifts = range(entrants)
    return tuple(tuple((place + shift) % entrants for place in table) for table in tables for shift in shifts)


def is_balanced(tables: Sequence[Table], entrants: int, seats: int) -> bool:
    """Whether any two of ``entrants`` meet equally often at ``tables``, up to one meeting."""
    if any(len(set(table)) != seats or not set(table) <= set(range(entrants)) for table in tables):
        return False
    meetings = Counter(pair for table in tables for pair in combinations(sorted(table), 2))
    counts = [meetings[pair] for pair in combinations(range(entrants), 2)]
    return max(counts) - min(counts) <= 1


@cache
def _designs() -> dict[str, dict[str, dict[str, list[list[int]]]]]:
    designs: dict[str, dict[str, dict[str, list[list[int]]]]] = json.loads(
        files("bots.tournaments").joinpath("designs.json").read_text(encoding="utf-8")
    )
    return designs


def _circle(order: Sequence[int]) -> tuple[Round, ...]:
    """One place stays, all others move on by one after each round; an odd place is a bye."""
    places: list[int | None] = [*order, None] if len(order) % 2 else [*order]
    half, rounds = len(places) // 2, list[Round]()
    for _ in range(len(places) - 1):
        pairs = list(zip(places[:half], reversed(places[half:]), strict=True))
        tables = [(first, other) for first, other in pairs if first is not None and other is not None]
        byes = [first if other is None else other for first, other in pairs if first is None or other is None]
        rounds.append(Round(tuple(tables), tuple(bye for bye in byes if bye is not None)))
        places = [places[0], places[-1], *places[1:-1]]
    return tuple(rounds)


def _in_rounds(tables: Sequence[Table]) -> tuple[Round, ...]:
    """Spread ``tables`` over rounds in which no one plays twice: each goes to the first round that has room for it.

    An entrant without a table in a round waits. That is not a bye: it brings no points.
    """
    rounds = list[list[Table]]()
    playing = list[set[int]]()
    for table in tables:
        number = next((number for number, busy in enumerate(playing) if busy.isdisjoint(table)), len(rounds))
        if number == len(rounds):
            rounds.append([])
            playing.append(set())
        rounds[number].append(table)
        playing[number].update(table)
    return tuple(Round(tuple(round_tables)) for round_tables in rounds)
