"""Transfers between players: gains from exchanges, compared with what both players gain elsewhere.

**A gain.** A good has a going price, the mean price it was left for in all exchanges. Whoever leaves a good for more
gains the difference, and so does whoever gets it for less; what one gains the other has given. ``gain`` is the sum of
that over a block, divided by its games. Blocks have deals of their own, so they are the values that do not depend on
each other, and the games within one are never counted as several.

**What is expected.** A good bargainer gains from everybody, a generous one gives to everybody, and neither is
collusion. So each player gets an effect by median polish over the means of its pairs: the median, over its opponents,
of what it gained from them and their own effect. The excess of a pair is its mean less the difference of the two
effects.

**What is chance.** Honest bots suit each other more or less well, so an excess has two spreads: that of the mean, from
the blocks (pairs with few blocks lean on the spread of the others), and that of honest excesses, from the median
absolute deviation of all pairs, or of the other pairs of either of the two where those differ more: a bot that plays
wildly does so with everybody. The second spread makes the null hypothesis an empirical one (B. Efron, *Large-Scale
Simultaneous Hypothesis Testing: The Choice of a Null Hypothesis*, JASA 99, 2004): to stand out, a pair must stand out
from what the two do with others, and by more than is worth a look: a quarter of what an average good goes for, a game.
Student's t has as many degrees of freedom as there are values behind the spreads. The one-sided probabilities of all
ordered pairs are corrected for their number by the false discovery rate (``ladder.statistics.chances``).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from ladder.statistics.blocks import PlayedBlock
from ladder.statistics.chances import chances_of
from ladder.statistics.gains import Pair, PairGain, common_gains, effects_of, going_prices
from ladder.statistics.limits import ALARM, LEAST_BLOCKS, MATERIAL


@dataclass(frozen=True)
class Transfer:
    """What ``taker`` gained from ``giver``, a game, in units of the price.

    ``paid`` and ``goods`` are the net of units and of goods that came from the giver, a game. ``elsewhere`` is what the
    taker gains from others, ``given_elsewhere`` what the giver gives them. ``excess`` is what is beyond the expected;
    ``chance`` the corrected probability that honest play does as much.
    """

    taker: int
    giver: int
    blocks: int
    games: int
    gain: float
    paid: float
    goods: float
    elsewhere: float | None
    given_elsewhere: float | None
    excess: float
    chance: float

    @property
    def stands_out(self) -> bool:
        """Whether staff should look at the pair."""
        return self.chance <= ALARM


def transfers(blocks: Sequence[PlayedBlock]) -> list[Transfer]:
    """Every ordered pair with at least ``LEAST_BLOCKS`` common blocks, the most striking first.

    Empty for games in which nothing was exchanged.
    """
    prices = going_prices(blocks)
    known = {
        pair: pair_gain
        for pair, pair_gain in common_gains(blocks, prices).items()
        if len(pair_gain.gains) >= LEAST_BLOCKS
    }
    if not prices or not known:
        return []
    effects = effects_of(known)
    excesses = {(a, b): pair_gain.mean - (effects[a] - effects[b]) for (a, b), pair_gain in known.items()}
    chances = chances_of(known, excesses, MATERIAL * fmean(prices.values()))
    elsewhere = _elsewhere(known)
    rows = [
        _transfer(ordered, pair_gain, sign, sign * excesses[pair], chances[ordered], elsewhere)
        for pair, pair_gain in known.items()
        for ordered, sign in ((pair, 1), (pair[::-1], -1))
    ]
    return sorted(rows, key=lambda row: (row.chance, -row.excess, row.taker, row.giver))


def _elsewhere(common: Mapping[Pair, PairGain]) -> dict[int, tuple[float, int]]:
    """By player, the sum of its blocks' gains from everybody, and how many there are."""
    sums: dict[int, tuple[float, int]] = defaultdict(lambda: (0.0, 0))
    for (a, b), pair_gain in common.items():
        for player, sign in ((a, 1), (b, -1)):
            total, blocks = sums[player]
            sums[player] = (total + sign * sum(pair_gain.gains), blocks + len(pair_gain.gains))
    return sums


def _transfer(
    pair: tuple[int, int],
    pair_gain: PairGain,
    sign: int,
    excess: float,
    chance: float,
    elsewhere: Mapping[int, tuple[float, int]],
) -> Transfer:
    taker, giver = pair
    blocks, gained = len(pair_gain.gains), sign * sum(pair_gain.gains)
    return Transfer(
        taker=taker,
        giver=giver,
        blocks=blocks,
        games=pair_gain.games,
        gain=gained / blocks,
        paid=sign * pair_gain.paid / pair_gain.games,
        goods=sign * pair_gain.goods / pair_gain.games,
        elsewhere=_without(elsewhere[taker], gained, blocks),
        given_elsewhere=_negated(_without(elsewhere[giver], -gained, blocks)),
        excess=excess,
        chance=chance,
    )


def _without(everything: tuple[float, int], gained: float, blocks: int) -> float | None:
    """The mean gain in the blocks with others; ``None`` where there are none."""
    total, number = everything
    return (total - gained) / (number - blocks) if number > blocks else None


def _negated(gain: float | None) -> float | None:
    return None if gain is None else -gain
