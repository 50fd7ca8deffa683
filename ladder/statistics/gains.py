"""What pairs gained from each other in exchanges, a value a block, and how strong that makes each player."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from ladder.statistics.blocks import PlayedBlock

_POLISHINGS = 20

Pair = tuple[int, int]
"""Two players, the smaller number first."""


@dataclass
class PairGain:
    """What the first of a pair gained from the second: a value a block, and the sums behind them."""

    gains: list[float] = field(default_factory=list)
    games: int = 0
    paid: int = 0
    goods: int = 0

    @property
    def mean(self) -> float:
        return fmean(self.gains)


def going_prices(blocks: Iterable[PlayedBlock]) -> dict[str, float]:
    """By good, the mean of what was paid for it."""
    paid: dict[str, list[int]] = defaultdict(list)
    for block in blocks:
        for game in block.games:
            for exchange in game.exchanges:
                paid[exchange.good].append(exchange.price)
    return {good: fmean(prices) for good, prices in paid.items()}


def common_gains(blocks: Sequence[PlayedBlock], prices: Mapping[str, float]) -> dict[Pair, PairGain]:
    """By pair that sat at one table, what the first gained from the second at these going prices."""
    by_pair: dict[Pair, PairGain] = defaultdict(PairGain)
    for block in blocks:
        gains = {(a, b): 0.0 for a in block.players for b in block.players if a < b}
        for game in block.games:
            for exchange in game.exchanges:
                buyer, seller = game.players[exchange.buyer], game.players[exchange.seller]
                pair, sign = ((seller, buyer), 1) if seller < buyer else ((buyer, seller), -1)
                gains[pair] += sign * (exchange.price - prices[exchange.good])
                by_pair[pair].paid += sign * exchange.price
                by_pair[pair].goods -= sign
        for pair, gain in gains.items():
            by_pair[pair].gains.append(gain / len(block.games))
            by_pair[pair].games += len(block.games)
    return by_pair


def effects_of(common: Mapping[Pair, PairGain]) -> dict[int, float]:
    """By player, what it gains from an average opponent, by median polish; a pair counts by its blocks.

    A few pairs that feed each other do not move a median (J. W. Tukey, *Exploratory Data Analysis*, 1977).
    """
    against: dict[int, list[tuple[int, float, int]]] = defaultdict(list)
    for (a, b), pair_gain in common.items():
        against[a].append((b, pair_gain.mean, len(pair_gain.gains)))
        against[b].append((a, -pair_gain.mean, len(pair_gain.gains)))
    effects = dict.fromkeys(against, 0.0)
    for _ in range(_POLISHINGS):
        polished = {
            player: weighted_median([(gain + effects[other], weight) for other, gain, weight in pairs])
            for player, pairs in against.items()
        }
        effects = {player: (polished[player] + effects[player]) / 2 for player in against}
    return effects


def weighted_median(values: Sequence[tuple[float, int]]) -> float:
    """The value (first of each) at which half of the weight (second) lies on either side."""
    ordered = sorted(values)
    half, passed = sum(weight for _, weight in ordered) / 2, 0
    for place, (value, weight) in enumerate(ordered):
        passed += weight
        if passed == half:
            return (value + ordered[place + 1][0]) / 2
        if passed > half:
            return value
    raise ValueError("a median needs a value with a weight")
