"""Swiss cups: in every round, entrants with about as many match points meet, and no two meet twice if avoidable.

At two seats, a round is a perfect matching of least cost (Z. Galil, *Efficient algorithms for finding maximum matching
in graphs*, 1986), computed by rustworkx. The costs (``PairingCost``) are compared in their order: rematches, entrants
of one owner, the place of the bye, squared differences of match points, and the distance from the fold (the top half of
a score group against its bottom half). A rematch therefore only happens if every pairing of the round has one. Which of
several rounds of least cost is played is open: another version of rustworkx can choose another one.

At three to five seats, finding the best tables is NP-hard. Tables are folded from the standings and then improved by
swaps. ``least_rematches`` is a lower bound of what any pairing of the round could reach.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import product
from operator import add, sub
from typing import Final, NamedTuple

from bots.tournaments.rounds import History, PairingError, Round, Standing

MOST_SWEEPS: Final = 6
WINDOW: Final = 8
"""How far away, in tables, a swap looks for a better place."""


_Cost = tuple[int, int, int]
"""Of a table: rematches, entrants beyond the limit of their owner, and the squared spread of match points."""


class NoMatching(RuntimeError):
    """rustworkx, which computes the rounds at two seats, is not installed."""


class PairingCost(NamedTuple):
    """What a round at two seats costs, most important first.

    ``clashes`` are tables with two entrants of one owner, if the limit is one. ``bye`` is the number of places in the
    standings below the entrant with the bye. ``differences`` is the sum of the squared differences of match points.
    ``folds`` is the sum of the distances, in places, between the opponent and the ideal one of the better entrant.
    """

    rematches: int
    clashes: int
    bye: int
    differences: int
    folds: int


def swiss_round(history: History, among: Collection[int] | None = None) -> Round:
    """The next round of all entrants, or of those ``among`` who are left.

    Raises ``PairingError`` if there are too few entrants for a table, and ``NoMatching``.

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
    for entrant in everyone:
        new = len(everyone) - 1 - len(history.met[entrant] & everyone)
        short += max(0, history.seats - 1 - new)
    return -(-short // 2)


# --- Two seats -------------------------------------------------------------------------------------------------------


def _pairs(history: History, standings: Sequence[Standing]) -> Round:
    """The round of least cost. Its tables are in the order of the standings, the better entrant first."""
    try:
        import rustworkx  # of the extra [verify]: everything else works without it
    except ImportError as error:
        raise NoMatching("Swiss rounds at two seats need rustworkx.") from error
    order = [row.entrant for row in standings]
    size, odd = len(order), len(order) % 2
    edges = list(_edges(history, standings))
    top = max(cost for _place, _other, cost in edges) + 1
    graph = rustworkx.PyGraph[None, int](multigraph=False)
    graph.add_nodes_from([None] * (size + odd))
    graph.add_edges_from([(place, other, top - cost) for place, other, cost in edges])
    pairs = sorted((min(pair), max(pair)) for pair in rustworkx.max_weight_matching(graph, True, int))
    byes = tuple(order[place] for place, other in pairs if other == size)
    return Round(tuple((order[place], order[other]) for place, other in pairs if other < size), byes)


def _edges(history: History, standings: Sequence[Standing]) -> Iterator[tuple[int, int, int]]:
    """All pairs of places with their costs as integers, which compare like ``PairingCost``; the last node is the bye.

    One unit of a cost is more than a whole round of the costs after it.
    """
    order, points = [row.entrant for row in standings], [row.match_points for row in standings]
    targets, size, half = _folds(points), len(order), len(order) // 2
    difference = half * size + 1
    bye = difference * (half * (points[0] - points[-1]) ** 2 + 1)
    clash = bye * size
    rematch = clash * (half + 1)
    owners = history.entrants.owners if history.entrants.at_a_table < 2 else (None,) * len(history.entrants)
    for place, entrant in enumerate(order):
        met, owner, own, target = history.met[entrant], owners[entrant], points[place], targets[place]
        for other in range(place + 1, size):
            cost = difference * (own - points[other]) ** 2 + abs(target - other)
            two = order[other]
            if two in met:
                cost += rematch
            if owner is not None and owners[two] == owner:
                cost += clash
            yield place, other, cost
    if size % 2:
        fewest = min(history.byes[entrant] for entrant in order)
        for place, entrant in enumerate(order):
            if history.byes[entrant] == fewest:
                yield place, size, bye * (size - 1 - place)


def pairing_cost(history: History, round_: Round) -> PairingCost:
    """What ``round_`` costs after ``history``, where everyone else has left the cup."""
    standings = history.standings(round_.entrants)
    place = {row.entrant: number for number, row in enumerate(standings)}
    points = [row.match_points for row in standings]
    targets = _folds(points)
    pairs = [sorted((place[first], place[second])) for first, second in round_]
    return PairingCost(
        sum(map(history.rematches, round_)),
        sum(map(history.entrants.clashes, round_)),
        sum(len(place) - 1 - place[entrant] for entrant in round_.byes),
        sum((points[better] - points[worse]) ** 2 for better, worse in pairs),
        sum(abs(targets[better] - worse) for better, worse in pairs),
    )


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


def is_least(history: History, round_: Round, best: Round) -> bool:
    """Whether ``round_`` pairs the entrants of ``best``, a round of least cost, in order and at the same cost."""
    places = {row.entrant: place for place, row in enumerate(history.standings(best.entrants))}
    seated = [entrant for table in round_ for entrant in table] + list(round_.byes)
    if sorted(seated) != sorted(places) or any(len(table) != 2 for table in round_):
        return False
    tables = sorted((tuple(sorted(table, key=places.__getitem__)) for table in round_), key=lambda two: places[two[0]])
    byes = [history.byes[entrant] for entrant in round_.byes]
    return (
        list(round_) == tables
        and byes == [history.byes[entrant] for entrant in best.byes]
        and pairing_cost(history, round_) == pairing_cost(history, best)
    )


# --- Three to five seats ---------------------------------------------------------------------------------------------


def _tables(history: History, standings: Sequence[Standing]) -> Round:
    seats = history.seats
    order = [row.entrant for row in standings]
    points = {row.entrant: row.match_points for row in standings}
    lowest = sorted(order, key=lambda entrant: (history.byes[entrant], -order.index(entrant)))
    byes = frozenset(lowest[: len(order) % seats])
    playing = [entrant for entrant in order if entrant not in byes]
    tables = _fold([(entrant, points[entrant]) for entrant in playing], seats)
    _improve(tables, history, points)
    return Round(tuple(tuple(table) for table in tables), tuple(entrant for entrant in order if entrant in byes))


def _fold(playing: Sequence[tuple[int, int]], seats: int) -> list[list[int]]:
    """Tables of each score group, with one entrant of each of its parts; what is left over goes to the next group."""
    tables: list[list[int]] = []
    pool: list[int] = []
    for at, (entrant, points) in enumerate(playing):
        pool.append(entrant)
        last = at + 1 == len(playing) or playing[at + 1][1] != points
        count = len(pool) // seats
        if last and count:
            seated, pool = pool[: count * seats], pool[count * seats :]
            tables += [seated[number::count] for number in range(count)]
    return tables


def _improve(tables: list[list[int]], history: History, points: Mapping[int, int]) -> None:
    """Swap entrants of tables with rematches, or with several entrants of one owner, while that makes them fewer."""

    def cost(table: Sequence[int]) -> _Cost:
        spread = [points[entrant] for entrant in table]
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
            here, there = [*table], [*tables[other]]
            here[at], there[place] = there[place], here[at]
            after = cost(here), cost(there)
            gain = tuple(map(sub, map(add, *after), map(add, costs[number], costs[other])))
            if gain < (0, 0, 0) and (best is None or gain < best[0]):
                best = gain, other, here, there, after
    if best is None:
        return False
    _, other, tables[number], tables[other], (costs[number], costs[other]) = best
    return True
