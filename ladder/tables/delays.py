"""How long the platform waits with what it plays itself, so that nobody learns from the time who was not asked.

A forced move of a veiled kind (``Game.veiled``) and a move for a seat that has forfeited come as late as that seat's
own moves do. Pure but for chance, which the caller gives.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from random import Random
from typing import Final, NamedTuple

ENOUGH: Final = 5
"""So many times of one seat at one kind of decision make its habit; with fewer, those of the whole table are taken."""

PLAUSIBLE_MS: Final = (150, 250, 350, 450, 600, 800, 1100, 1500)
"""What moves of programs take where nobody has made one yet."""

PLAUSIBLE_BY_HAND_MS: Final = (1200, 1800, 2500, 3200, 4000, 5000, 6500, 8000)
"""The same of people: nobody reads, thinks and clicks within a second."""

MOST_AMONG_PEOPLE_MS: Final = 15_000
"""Who takes longer was asked, as everybody may know; who does not may have been asked or not."""

HURRY_MS: Final = 5000
"""Of a person who has left everybody at the table knows that: what is played for them comes soon."""

_SPREAD: Final = (0.8, 1.25)
"""No two delays are equal, as no two thoughts are."""


class Pace(NamedTuple):
    """How long one decision took, from when it was told to when its answer was there; and whether of a person."""

    seat: int
    kind: str
    took_ms: int
    by_hand: bool = False


def among_people(limit_ms: int) -> int:
    """The longest delay at a table with people, whose clocks begin at ``limit_ms``: nobody is to wait for nobody."""
    return min(limit_ms, MOST_AMONG_PEOPLE_MS)


def hurried(paces: Sequence[Pace], most_ms: int) -> list[Pace]:
    """``paces`` without the long thoughts: none takes more than ``most_ms``.

    Whoever has thought for a minute and then loses by forfeit must not keep the others waiting a minute for every move.
    """
    return [pace._replace(took_ms=min(pace.took_ms, most_ms)) for pace in paces]


def delay_ms(
    paces: Sequence[Pace], seat: int, kind: str, random: Random, *, by_hand: bool = False, most_ms: float = inf
) -> int:
    """Milliseconds that ``seat`` could take for a decision of ``kind``, by what was seen at this table so far.

    Where a person sits people are looked at alone, and where a program does, programs. Longer thoughts than ``most_ms``
    are spread below it: were they cut there, it would be seen that nobody thought.
    """
    alike = [pace for pace in paces if pace.kind == kind and pace.by_hand == by_hand]
    own = [pace.took_ms for pace in alike if pace.seat == seat]
    times = own if len(own) >= ENOUGH else [pace.took_ms for pace in alike]
    took_ms = random.choice(times or (PLAUSIBLE_BY_HAND_MS if by_hand else PLAUSIBLE_MS))
    return int(min(took_ms, most_ms / _SPREAD[1]) * random.uniform(*_SPREAD))
