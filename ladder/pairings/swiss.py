"""Swiss cups: in every round, entrants with about as many match points meet, and no two meet twice if avoidable.

At two seats, a round is a perfect matching of least cost (Z. Galil, *Efficient algorithms for finding maximum matching
in graphs*, 1986), computed by rustworkx. The costs are compared in this order: rematches, entrants of one owner,
squared differences of match points, and the distance from the fold (the top half of a score group against its bottom
half). A rematch therefore only happens if every pairing of the round has one.

At three to five seats, finding the best tables is NP-hard. Tables are folded from the standings and then improved by
swaps. ``least_rematches`` is a lower bound of what any pairing of the round could reach.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from operator import add, sub
from typing import Final

import rustworkx

from ladder.pairings.rounds import History, PairingError, Round, Standing

NEIGHBORS: Final = 12
"""By place in the standings, how many opponents below a place, and around its fold, the first matching considers."""

MOST_SWEEPS: Final = 6
WINDOW: Final = 8
"""How far away, in tables, a swap looks for a better place."""


_Cost = tuple[int, int, int]
"""Of a table: rematches, entrants beyond the limit of their owner, and the squared spread of match points."""


@dataclass(frozen=True)
class _Costs:
    """Costs that integers compare lexicographically, for ``size`` entrants with at most ``points`` match points."""

    size: int
    points: int

    @property
    def fold(self) -> int:
        return 1

    @property
    def difference(self) -> int:
        return self.fold * self.size * self.size

    @property
    def clash(self) -> int:
        return self.difference * (self.points + 1) ** 2 * self.size

    @property
    def rematch(self) -> int:
        return self.clash * self.size


def swiss_round(history: History, among: Collection[int] | None = None) -> Round:
    """The next round of all entrants, or of those ``among`` who are left.

    Raises ``PairingError`` if there are too few entrants for a table.

    The byes go to the lowest entrants in the standings among those with the fewest byes.
    """
    standings, seats = history.standings(among), history.seats
    size = len(standings)
    if size < max(2, seats):
        text = f"A Swiss cup at {seats} seats needs at least {seats} entrants, not {size}. Add entrants."
        raise PairingError(text, "too_few_entrants")
    return _pairs(history, standings) if seats == 2 else _tables(history, standings)


def least_rematches(history: History, playing: Collection[int]) -> int:
    """A lower bound for the pairs of ``playing`` that meet again in the next round.

    Each entrant needs ``seats - 1`` opponents. If it has met all others but ``n``, at least ``seats - 1 - n`` of them
    are rematches, and each rematch has two entrants.
    """
    short, everyone = 0, frozenset(playing)
    for one in everyone:
        new = len(everyone) - 1 - len(history.met[one] & everyone)
        short += max(0, history.seats - 1 - new)
    return -(-short // 2)


# --- Two seats -------------------------------------------------------------------------------------------------------


def _pairs(history: History, standings: Sequence[Standing]) -> Round:
    order = [row.entrant for row in standings]
    points = [row.match_points for row in standings]
    costs = _Costs(len(order), max(points, default=0))
    targets = _folds(points)
    near = {
        (place, other)
        for place in range(len(order))
        for middle in (place + 1, targets[place])
        for other in range(max(0, middle - NEIGHBORS // 2), min(len(order), middle + NEIGHBORS))
        if place < other and order[other] not in history.met[order[place]]
    }
    far = {pair for pair in combinations(range(len(order)), 2) if order[pair[1]] not in history.met[order[pair[0]]]}
    for pairs in (near, far, set(combinations(range(len(order)), 2))):
        found = _matching(history, order, points, targets, pairs, costs)
        if found is not None:
            return found
    raise AssertionError("a complete graph has a perfect matching")


def _folds(points: Sequence[int]) -> list[int]:
    """By place, the place of the ideal opponent: half a score group below or above."""
    targets = list(range(len(points)))
    start = 0
    while start < len(points):
        end = start
        while end < len(points) and points[end] == points[start]:
            end += 1
        half = (end - start) // 2
        for place in range(start, end):
            targets[place] = place + half if place < start + half else place - half
        start = end
    return targets


def _matching(
    history: History,
    order: Sequence[int],
    points: Sequence[int],
    targets: Sequence[int],
    pairs: Iterable[tuple[int, int]],
    costs: _Costs,
) -> Round | None:
    """The best round that uses ``pairs`` of places, or ``None`` if they have no perfect matching."""
    edges: list[tuple[int, int, int]] = []
    for place, other in sorted(pairs):
        one, two = order[place], order[other]
        edges.append(
            (
                place,
                other,
                costs.rematch * (two in history.met[one])
                + costs.clash * history.entrants.clashes((one, two))
                + costs.difference * (points[place] - points[other]) ** 2
                + costs.fold * abs(targets[place] - other),
            )
        )
    odd = len(order) % 2
    if odd:
        fewest = min(history.byes[one] for one in order)
        for place, one in enumerate(order):
            if history.byes[one] == fewest:
                edges.append((place, len(order), costs.clash // costs.size * (len(order) - 1 - place)))
    graph = rustworkx.PyGraph[None, int](multigraph=False)
    graph.add_nodes_from([None] * (len(order) + odd))
    top = max((cost for _, _, cost in edges), default=0) + 1
    graph.add_edges_from([(place, other, top - cost) for place, other, cost in edges])
    matched = rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=int)
    if len(matched) * 2 < len(order) + odd:
        return None
    tables = sorted(tuple(sorted(pair)) for pair in matched)
    byes = tuple(order[place] for place, other in tables if other == len(order))
    return Round(tuple((order[place], order[other]) for place, other in tables if other < len(order)), byes)


# --- Three to five seats ---------------------------------------------------------------------------------------------


def _tables(history: History, standings: Sequence[Standing]) -> Round:
    seats = history.seats
    order = [row.entrant for row in standings]
    points = {row.entrant: row.match_points for row in standings}
    lowest = sorted(order, key=lambda one: (history.byes[one], -order.index(one)))
    byes = frozenset(lowest[: len(order) % seats])
    playing = [one for one in order if one not in byes]
    tables = _fold([(one, points[one]) for one in playing], seats)
    _improve(tables, history, points)
    return Round(tuple(tuple(table) for table in tables), tuple(one for one in order if one in byes))


def _fold(playing: Sequence[tuple[int, int]], seats: int) -> list[list[int]]:
    """Tables of each score group, with one entrant of each of its parts; what is left over goes to the next group."""
    tables: list[list[int]] = []
    pool: list[int] = []
    for at, (one, points) in enumerate(playing):
        pool.append(one)
        last = at + 1 == len(playing) or playing[at + 1][1] != points
        count = len(pool) // seats
        if last and count:
            seated, pool = pool[: count * seats], pool[count * seats :]
            tables += [seated[number::count] for number in range(count)]
    return tables


def _improve(tables: list[list[int]], history: History, points: Mapping[int, int]) -> None:
    """Swap entrants of tables with rematches, or with several entrants of one owner, while that makes them fewer."""

    def cost(table: Sequence[int]) -> _Cost:
        spread = [points[one] for one in table]
        return history.rematches(tuple(table)), history.entrants.clashes(table), (max(spread) - min(spread)) ** 2

    costs = [cost(table) for table in tables]
    for window in (WINDOW, len(tables)):
        for _ in range(MOST_SWEEPS):
            bad = [number for number in range(len(tables)) if costs[number][:2] > (0, 0)]
            swapped = [_swap(tables, costs, number, window, cost) for number in bad if costs[number][:2] > (0, 0)]
            if not any(swapped):
                break


def _swap(
    tables: list[list[int]], costs: list[_Cost], number: int, window: int, cost: Callable[[Sequence[int]], _Cost]
) -> bool:
    """Make the best swap between table ``number`` and another one. Returns whether it made the costs less."""
    table, best = tables[number], None
    for other in range(max(0, number - window), min(len(tables), number + window + 1)):
        if other == number:
            continue
        for at, place in product(range(len(table)), repeat=2):
            mine, theirs = [*table], [*tables[other]]
            mine[at], theirs[place] = theirs[place], mine[at]
            after = cost(mine), cost(theirs)
            gain = tuple(map(sub, map(add, *after), map(add, costs[number], costs[other])))
            if gain < (0, 0, 0) and (best is None or gain < best[0]):
                best = gain, other, mine, theirs, after
    if best is None:
        return False
    _, other, tables[number], tables[other], (costs[number], costs[other]) = best
    return True
