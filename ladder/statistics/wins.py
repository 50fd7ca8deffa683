"""Who wins for whom: who finished ahead of one opponent more often than the results of both elsewhere explain.

A player who loses on purpose need not exchange anything for that: they resign, or play badly. So what is compared here
is who was ahead of whom, on the scale of log odds, on which effects add up (R. A. Bradley, M. E. Terry, *Rank
Analysis of Incomplete Block Designs*, Biometrika 39, 1952). Each player has an effect by median polish over their
opponents (``ladder.statistics.gains``), in which a pair counts no more for meeting again and again: who plays mostly
with a friend would else be as strong as the friend makes them. The probability is that of a binomial distribution with
what the two effects expect and ``LEANING`` more, which honest players may suit each other by; ordered pairs are
corrected for their number by the false discovery rate. Games have to be independent, as live ones are: each has a deal
of its own.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from ladder.statistics.blocks import PlayedBlock, beaten
from ladder.statistics.chances import adjusted
from ladder.statistics.gains import Pair, PairGain, effects_of
from ladder.statistics.limits import ALARM, LEAST_BLOCKS

LEANING = 0.4
"""In log odds: what is expected to be won in half of all games may be won in six of ten."""

_HALF = 0.5


@dataclass(frozen=True)
class Winning:
    """How often ``taker`` was ahead of ``giver``, 0 to 1, a shared rank half.

    ``elsewhere`` is how often the taker is ahead of others, ``given_elsewhere`` how often others are of the giver;
    ``None`` where there are none. ``expected`` is what the two effects expect, and ``chance`` the corrected
    probability that honest play does as much.
    """

    taker: int
    giver: int
    games: int
    share: float
    expected: float
    elsewhere: float | None
    given_elsewhere: float | None
    chance: float

    @property
    def excess(self) -> float:
        """What is beyond the expected."""
        return self.share - self.expected

    @property
    def stands_out(self) -> bool:
        """Whether staff should look at the pair."""
        return self.chance <= ALARM


@dataclass
class _Met:
    """How often two met, and in how many of these games the first was ahead."""

    games: int = 0
    ahead: float = 0.0

    @property
    def log_odds(self) -> float:
        """Of the first being ahead; half a game more on either side keeps it finite."""
        return math.log((self.ahead + _HALF) / (self.games - self.ahead + _HALF))


def winnings(blocks: Sequence[PlayedBlock]) -> list[Winning]:
    """Every ordered pair with at least ``LEAST_BLOCKS`` common games, the most striking first."""
    met = _met(blocks)
    effects = effects_of(
        {
            pair: PairGain([meeting.log_odds] * min(meeting.games, LEAST_BLOCKS), meeting.games)
            for pair, meeting in met.items()
        }
    )
    known = {pair: meeting for pair, meeting in _both_orders(met).items() if meeting.games >= LEAST_BLOCKS}
    expected = {(a, b): effects[a] - effects[b] for a, b in known}
    chances = adjusted(
        {
            pair: _at_least(meeting.ahead, meeting.games, _share(expected[pair] + LEANING))
            for pair, meeting in known.items()
        }
    )
    everything = _everything(met)
    rows = [
        _winning(pair, meeting, _share(expected[pair]), chances[pair], everything) for pair, meeting in known.items()
    ]
    return sorted(rows, key=lambda row: (row.chance, -row.excess, row.taker, row.giver))


def _met(blocks: Sequence[PlayedBlock]) -> dict[Pair, _Met]:
    met: dict[Pair, _Met] = defaultdict(_Met)
    for block in blocks:
        for game in block.games:
            for a, b in combinations(sorted(game.players), 2):
                met[a, b].games += 1
                met[a, b].ahead += beaten(game, a, b)
    return met


def _both_orders(met: Mapping[Pair, _Met]) -> dict[tuple[int, int], _Met]:
    turned = {(b, a): _Met(meeting.games, meeting.games - meeting.ahead) for (a, b), meeting in met.items()}
    return {**met, **turned}


def _everything(met: Mapping[Pair, _Met]) -> dict[int, _Met]:
    """By player, the sums over all opponents."""
    sums: dict[int, _Met] = defaultdict(_Met)
    for (player, _), meeting in _both_orders(met).items():
        sums[player].games += meeting.games
        sums[player].ahead += meeting.ahead
    return sums


def _winning(
    pair: tuple[int, int], meeting: _Met, expected: float, chance: float, everything: Mapping[int, _Met]
) -> Winning:
    taker, giver = pair
    others = _without(everything[giver], meeting.games, meeting.games - meeting.ahead)
    return Winning(
        taker=taker,
        giver=giver,
        games=meeting.games,
        share=meeting.ahead / meeting.games,
        expected=expected,
        elsewhere=_without(everything[taker], meeting.games, meeting.ahead),
        given_elsewhere=None if others is None else 1 - others,
        chance=chance,
    )


def _without(everything: _Met, games: int, ahead: float) -> float | None:
    """The share in the games with others; ``None`` where there are none."""
    left = everything.games - games
    return (everything.ahead - ahead) / left if left else None


def _share(log_odds: float) -> float:
    return 1 / (1 + math.exp(-log_odds))


def _at_least(ahead: float, games: int, share: float) -> float:
    """The probability of being ahead so often, or more; shared ranks are not counted as more than they are."""
    return math.fsum(math.exp(_log_of(number, games, share)) for number in range(math.floor(ahead), games + 1))


def _log_of(number: int, games: int, share: float) -> float:
    """The logarithm of the binomial probability of exactly so many."""
    ways = math.lgamma(games + 1) - math.lgamma(number + 1) - math.lgamma(games - number + 1)
    return ways + number * math.log(share) + (games - number) * math.log1p(-share)
