"""Find balanced designs offline: ``python -m tools.designs`` writes ``bots/tournaments/designs.json``.

A design says which entrants of a cup share tables, so that all pairs meet equally often. For each number of seats
``k`` and of entrants ``v``, the file contains one of two kinds:

- *exact*: a Steiner system S(2, k, v). Every two entrants meet once. It is found as an exact cover of the orbits of
  pairs under a cyclic group (C. J. Colbourn, J. H. Dinitz, *Handbook of Combinatorial Designs*, 2006, II.3 and VII.2).
  Its tables are in an order that gives few rounds.
- *cyclic*: base tables of which all shifts modulo ``v`` are played. The meetings of any two differ by at most one.

The file is checked by ``tests/bots/tournaments/test_round_robin.py``, which knows nothing of this search.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from math import exp
from pathlib import Path
from random import Random
from typing import Final

TARGET: Final = Path(__file__).parents[1] / "bots" / "tournaments" / "designs.json"
MOST_ENTRANTS: Final = 64
MOST_EXACT: Final = 40
TRIES: Final = 40
STEPS: Final = 3000
MOST_NODES: Final = 2000
RESTARTS: Final = 8
MOST_CANDIDATES: Final = 400_000
MOST_MOVES: Final = 300_000

Table = tuple[int, ...]


# --- Exact designs ---------------------------------------------------------------------------------------------------


def may_exist(entrants: int, seats: int) -> bool:
    """Whether an S(2, seats, entrants) meets the two divisibility conditions."""
    pairs = entrants * (entrants - 1)
    return entrants > seats and (entrants - 1) % (seats - 1) == 0 and pairs % (seats * (seats - 1)) == 0


def steiner_triples(entrants: int, random: Random) -> list[Table]:
    """A Steiner triple system by hill climbing (D. R. Stinson, *Hill-climbing algorithms*, 1985)."""
    third: dict[tuple[int, int], int] = {}
    partners = [set(range(entrants)) - {entrant} for entrant in range(entrants)]
    live = {entrant for entrant in range(entrants) if partners[entrant]}
    while live:
        entrant = random.choice(sorted(live))
        other, another = random.sample(sorted(partners[entrant]), 2)
        pair = (min(other, another), max(other, another))
        if pair in third:
            old = third[pair]
            for pairs in combinations(sorted((*pair, old)), 2):
                del third[pairs]
                partners[pairs[0]].add(pairs[1])
                partners[pairs[1]].add(pairs[0])
                live.update(pairs)
        table = sorted((entrant, other, another))
        for left, right in combinations(table, 2):
            third[left, right] = next(iter(set(table) - {left, right}))
            partners[left].discard(right)
            partners[right].discard(left)
        live -= {point for point in live if not partners[point]}
    return sorted({tuple(sorted((*pair, last))) for pair, last in third.items()})


def exact(entrants: int, seats: int, random: Random) -> list[Table] | None:
    """An S(2, seats, entrants) with a cyclic group of symmetries, or ``None`` if the search finds none."""
    if seats == 3:
        return steiner_triples(entrants, random)
    for order in sorted({*range(3, entrants + 1)}, reverse=True):
        fixed = entrants % order
        if fixed <= 1 and (tables := _with_symmetry(entrants, seats, order, random)):
            return tables
    return None


def _with_symmetry(entrants: int, seats: int, order: int, random: Random) -> list[Table] | None:
    def shift(point: int, by: int) -> int:
        cycle, at = divmod(point, order)
        return point if (cycle + 1) * order > entrants else cycle * order + (at + by) % order

    def orbit(points: Sequence[int]) -> frozenset[Table]:
        return frozenset(tuple(sorted(shift(point, by) for point in points)) for by in range(order))

    pair_orbits: dict[Table, int] = {}
    numbered: dict[frozenset[Table], int] = {}
    for pair in combinations(range(entrants), 2):
        pair_orbits[pair] = numbered.setdefault(orbit(pair), len(numbered))
    candidates: dict[frozenset[Table], frozenset[int]] = {}
    for table in _representatives(entrants, seats, order):
        tables = orbit(table)
        if tables in candidates:
            continue
        pairs = Counter(pair for table in tables for pair in combinations(table, 2))
        if max(pairs.values()) == 1:
            candidates[tables] = frozenset(pair_orbits[pair] for pair in pairs)
    chosen = _exact_cover(len(numbered), list(candidates.items()), random)
    return None if chosen is None else sorted(table for tables in chosen for table in tables)


def _representatives(entrants: int, seats: int, order: int) -> Iterator[Table]:
    """Tables up to shifts: the first point is the first one of a cycle, or the fixed point."""
    firsts = [*range(0, entrants, order)]
    total = 0
    for first in firsts:
        for rest in combinations([point for point in range(entrants) if point != first], seats - 1):
            total += 1
            if total > MOST_CANDIDATES:
                return
            yield tuple(sorted((first, *rest)))


class _ExactCover:
    """A search for sets of tables that cover every orbit of pairs once (D. E. Knuth, *Dancing links*, 2000)."""

    def __init__(self, elements: int, sets: Sequence[frozenset[int]], random: Random) -> None:
        self._sets, self._nodes = sets, 0
        self._holding: list[list[int]] = [[] for _ in range(elements)]
        for number, covers in enumerate(sets):
            for element in covers:
                self._holding[element].append(number)
        for numbers in self._holding:
            random.shuffle(numbers)

    def search(self, uncovered: frozenset[int], alive: frozenset[int]) -> list[int] | None:
        """The numbers of the sets that cover ``uncovered``, or ``None`` after ``MOST_NODES`` steps."""
        if not uncovered:
            return []
        self._nodes += 1
        element = min(uncovered, key=lambda number: sum(other in alive for other in self._holding[number]))
        for number in self._holding[element]:
            if number in alive and self._nodes <= MOST_NODES:
                covers = self._sets[number]
                gone = {other for covered in covers for other in self._holding[covered]}
                rest = self.search(uncovered - covers, alive - gone)
                if rest is not None:
                    return [number, *rest]
        return None


def _exact_cover(
    elements: int, sets: list[tuple[frozenset[Table], frozenset[int]]], random: Random
) -> list[frozenset[Table]] | None:
    for _ in range(RESTARTS):
        cover = _ExactCover(elements, [covers for _, covers in sets], random)
        chosen = cover.search(frozenset(range(elements)), frozenset(range(len(sets))))
        if chosen is not None:
            return [sets[number][0] for number in chosen]
    return None


def in_few_rounds(tables: Sequence[Table], random: Random) -> list[Table]:
    """``tables`` in the order of as few rounds as a search finds, in each of which no one plays twice."""
    best, least = (
        _first_fit(tables),
        -(-len(tables) * len(tables[0]) // len({entrant for table in tables for entrant in table})),
    )
    while max(best) >= least and (fewer := _rounds_of(tables, max(best), random)) is not None:
        best = fewer
    return [table for _, table in sorted(zip(best, tables, strict=True))]


def _first_fit(tables: Sequence[Table]) -> list[int]:
    """By table, the first round with room for it."""
    playing, rounds = list[set[int]](), list[int]()
    for table in tables:
        number = next((number for number, busy in enumerate(playing) if busy.isdisjoint(table)), len(playing))
        playing[number:number] = [set()] * (number == len(playing))
        playing[number] = playing[number] | set(table)
        rounds.append(number)
    return rounds


def _rounds_of(tables: Sequence[Table], rounds: int, random: Random) -> list[int] | None:
    """The round of each table, by tabu search (A. Hertz, D. de Werra, 1987), or ``None`` after ``MOST_MOVES`` moves."""
    others = [
        [number for number, other in enumerate(tables) if other != table and set(table) & set(other)]
        for table in tables
    ]
    places = [random.randrange(rounds) for _ in tables]
    clashes = [Counter(places[other] for other in others[number]) for number, _ in enumerate(tables)]
    total, tabu = sum(clashes[number][place] for number, place in enumerate(places)) // 2, dict[tuple[int, int], int]()
    for move in range(MOST_MOVES):
        if not total:
            return places
        moves = [
            (clashes[number][to] - clashes[number][place], random.random(), number, to)
            for number, place in enumerate(places)
            if clashes[number][place]
            for to in range(rounds)
            if to != place and tabu.get((number, to), 0) <= move
        ]
        if moves:
            change, _, number, to = min(moves)
            tabu[number, places[number]] = move + 10 + random.randrange(10) + total // 2
            for other in others[number]:
                clashes[other][places[number]] -= 1
                clashes[other][to] += 1
            places[number], total = to, total + change
    return None


# --- Cyclic designs --------------------------------------------------------------------------------------------------


def cyclic(entrants: int, seats: int, random: Random) -> list[Table] | None:
    """Base tables of the smallest cyclic design in which any two meet, and meetings differ by at most one."""
    least = -(-(entrants - 1) // (seats * (seats - 1)))
    for count in range(least, least + 3):
        if tables := _cyclic(entrants, seats, count, random):
            return tables
    return None


class _Bases:
    """Base tables under change, with the number of times that each difference modulo ``entrants`` occurs."""

    def __init__(self, entrants: int, seats: int, count: int, random: Random) -> None:
        self._entrants, self._random = entrants, random
        meetings = count * seats * (seats - 1)
        self._low = meetings // (entrants - 1)
        self._high = self._low + (meetings % (entrants - 1) > 0)
        self.tables = [random.sample(range(entrants), seats) for _ in range(count)]
        self._counts = [0] * (entrants // 2 + 1)
        for table in self.tables:
            for first, other in combinations(table, 2):
                self._counts[self._difference(first, other)] += 1
        self.cost = self._cost(self._counts)

    def _difference(self, entrant: int, other: int) -> int:
        return min((entrant - other) % self._entrants, (other - entrant) % self._entrants)

    def _cost(self, counts: Sequence[int]) -> int:
        """The squared meetings beyond the bounds. Half of an even number of entrants meets twice by its difference."""
        met = [count * (1 + (2 * difference == self._entrants)) for difference, count in enumerate(counts)]
        return sum(max(0, self._low - meetings, meetings - self._high) ** 2 for meetings in met[1:])

    def change(self, heat: float) -> None:
        """Replace one point, if that is better or ``heat`` allows it (Metropolis)."""
        table, at = self._random.choice(self.tables), self._random.randrange(len(self.tables[0]))
        new = self._random.randrange(self._entrants)
        if new in table:
            return
        counts = list(self._counts)
        for other in table[:at] + table[at + 1 :]:
            counts[self._difference(table[at], other)] -= 1
            counts[self._difference(new, other)] += 1
        after = self._cost(counts)
        if after <= self.cost or self._random.random() < exp((self.cost - after) / heat):
            table[at], self._counts, self.cost = new, counts, after


def _cyclic(entrants: int, seats: int, count: int, random: Random) -> list[Table] | None:
    for _ in range(TRIES):
        bases = _Bases(entrants, seats, count, random)
        for step in range(STEPS):
            if bases.cost == 0:
                return sorted(tuple(sorted(table)) for table in bases.tables)
            bases.change(max(0.2, 1.5 * 0.999**step))
    return None


def main() -> int:
    random = Random(1)
    designs: dict[str, dict[str, dict[str, list[Table]]]] = {}
    for seats in (3, 4, 5):
        for entrants in range(seats, MOST_ENTRANTS + 1):
            kind, tables = "cyclic", None
            if entrants == seats:
                kind, tables = "exact", [tuple(range(seats))]
            elif entrants <= MOST_EXACT and may_exist(entrants, seats):
                kind, tables = "exact", exact(entrants, seats, random)
            if tables is not None:
                tables = in_few_rounds(tables, Random(1))
            else:
                kind, tables = "cyclic", cyclic(entrants, seats, random)
            print(seats, entrants, kind, tables and len(tables), flush=True)
            if tables is not None:
                designs.setdefault(str(seats), {})[str(entrants)] = {kind: tables}
    TARGET.write_text(json.dumps(designs, separators=(",", ":")) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
