"""Draw the next blocks of a ladder: the first bot by its turn, and its opponents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random

from bots.tournaments.seatings import seatings
from ladder.pairings.candidates import Candidate, most_at_one_table
from ladder.pairings.opponents import Field
from ladder.pairings.turns import DrawQueues, DrawReason, turn_of


@dataclass(frozen=True)
class DrawnBlock:
    """A block: its memberships in the order of its first seating, the ``first`` one drawn, and its turn."""

    memberships: tuple[int, ...]
    first: int
    turn: DrawReason


def drawn(
    candidates: Iterable[Candidate], seats: int, count: int, number: int, random: Random, at_once: Sequence[int] = ()
) -> list[DrawnBlock]:
    """Return ``count`` blocks of ``seats`` bots, beginning with block ``number``; none if there are too few candidates.

    Memberships in ``at_once`` always get a seat, in the first blocks, even if this needs more than ``count`` blocks.
    They do not take the turns of the longest wait. Equal candidates, in any order, and an equal ``random`` give equal
    blocks.
    """
    everybody = list(candidates)
    if most_at_one_table(everybody) < seats:
        return []
    turns, field, games = DrawQueues(everybody, random), Field(everybody), len(seatings(seats))
    waiting, blocks = list(at_once), list[DrawnBlock]()
    while waiting or len(blocks) < count:
        turn = turn_of(number + len(blocks))
        if waiting and turn is not DrawReason.LONGEST_WAIT:
            first, turn = turns.standing[waiting[0]], DrawReason.NEW_VERSION
        else:
            first, turn = turns.next(turn)
        table = field.table(first, seats, random)
        turns.seated(table, games)
        blocks.append(DrawnBlock(tuple(candidate.membership for candidate in table), first.membership, turn))
        waiting = [membership for membership in waiting if membership not in blocks[-1].memberships]
    return blocks
