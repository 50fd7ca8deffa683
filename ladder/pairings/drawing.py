"""The next blocks of a ladder: whose turn it is, and with whom."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from random import Random

from ladder.pairings.candidates import Candidate, most_at_one_table
from ladder.pairings.opponents import Field
from ladder.pairings.seatings import seatings
from ladder.pairings.turns import Turn, Turns, turn_of


@dataclass(frozen=True)
class Drawn:
    """A block: its entries in the order of its first seating, and the one ``first`` drawn, in its turn."""

    entries: tuple[int, ...]
    first: int
    turn: Turn


def drawn(candidates: Iterable[Candidate], seats: int, count: int, number: int, random: Random) -> list[Drawn]:
    """The ``count`` blocks of ``seats`` from ``number`` on; none if too few may sit at one table.

    The same candidates, in whatever order, and the same ``random`` give the same blocks.
    """
    everybody = list(candidates)
    if count <= 0 or most_at_one_table(everybody) < seats:
        return []
    turns, field, games = Turns(everybody, random), Field(everybody), len(seatings(seats))
    blocks = []
    for at in range(number, number + count):
        first, turn = turns.next(turn_of(at))
        table = field.table(first, seats, random)
        turns.seated(table, games)
        blocks.append(Drawn(tuple(one.entry for one in table), first.entry, turn))
    return blocks
