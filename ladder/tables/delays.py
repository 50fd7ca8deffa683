"""How long the platform waits with what it plays itself, so that nobody learns from the time who was not asked.

A forced move of a veiled kind (``Game.veiled``) and a move for a seat that has forfeited come as late as that seat's
own moves do. Pure but for chance, which the caller gives.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Final, NamedTuple

ENOUGH: Final = 5
"""So many times of one seat at one kind of decision make its habit; with fewer, those of the whole table are taken."""

PLAUSIBLE_MS: Final = (150, 250, 350, 450, 600, 800, 1100, 1500)
"""What moves take where nobody has made one yet."""

_SPREAD: Final = (0.8, 1.25)
"""No two delays are equal, as no two thoughts are."""


class Pace(NamedTuple):
    """How long one decision took, from when it was told to when its answer was there."""

    seat: int
    kind: str
    took_ms: int


def hurried(paces: Sequence[Pace], most_ms: int) -> list[Pace]:
    """``paces`` without the long thoughts: none takes more than ``most_ms``.

    Whoever has thought for a minute and then loses by forfeit must not keep the others waiting a minute for every move.
    """
    return [pace._replace(took_ms=min(pace.took_ms, most_ms)) for pace in paces]


def delay_ms(paces: Sequence[Pace], seat: int, kind: str, random: Random) -> int:
    """Milliseconds that ``seat`` could take for a decision of ``kind``, by what was seen at this table so far."""
    of_kind = [pace for pace in paces if pace.kind == kind]
    own = [pace.took_ms for pace in of_kind if pace.seat == seat]
    times = own if len(own) >= ENOUGH else [pace.took_ms for pace in of_kind]
    return round(random.choice(times or PLAUSIBLE_MS) * random.uniform(*_SPREAD))
