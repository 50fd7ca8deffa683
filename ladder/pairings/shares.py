"""The order in which games are sent to workers, so that everyone gets their share.

This is start-time fair queueing (P. Goyal, H. M. Vin, H. Cheng, 1996). The games of a flow follow each other at
distances of their length divided by the flow's weight, counted from its games that were already sent. The smallest tag
goes first. So flows without sent games come before all others, whatever their weights, and among these the one that has
waited longest. Unused shares go to the other flows.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import merge
from itertools import count
from types import MappingProxyType

RATED_WEIGHT = 4
"""The number of rated games in five games sent, while unrated games wait."""

UNRATED_WEIGHT = 1
"""The guaranteed share of tests, challenges and comparisons: one of five games, or one of five hours."""

HOUSE_ONLY = 1 / 4
"""Factor of the weight of a ladder or a cup with house bots only, while others have matches."""

MOST_RESERVED = 0.9
"""The largest share of the workers that reservations of cups have together; larger ones are scaled down."""


@dataclass(frozen=True)
class Flow:
    """Waiting games of one ladder or one person, in order.

    ``on_the_way`` is the number of games that were sent to workers and have not begun. ``cost`` is the duration of a
    game, and ``since`` the time when the first one began to wait, in any unit that all flows share.
    """

    waiting: Sequence[int]
    on_the_way: int = 0
    weight: float = 1
    cost: float = 1
    since: float = 0


def in_fair_order(flows: Mapping[int, Flow]) -> list[int]:
    """Return all waiting games in the order of the flows' weights. Ties go to the longer wait, then the smaller key.

    Raises ``ValueError`` for a flow without weight or cost, which would never get a turn or take all turns.
    """
    if any(flow.weight <= 0 or flow.cost <= 0 for flow in flows.values()):
        raise ValueError("a flow needs a weight and a cost above 0")
    return [game for *_, game in merge(*(_tagged(key, flow) for key, flow in flows.items()))]


def shared(
    rated: Mapping[int, Flow],
    unrated: Mapping[int, Flow],
    cups: Mapping[int, Flow] = MappingProxyType({}),
    cup_share: float = 0.5,
    ahead: tuple[int, int, int] = (0, 0, 0),
    costs: tuple[float, float, float] = (1, 1, 1),
) -> list[int]:
    """Return all waiting games: rated games in the order of their flows, and the shares of the others among them.

    ``cup_share`` is the share of all cups together, above 0 and below 1, while other games wait. ``ahead`` contains the
    numbers of rated, unrated and cup games that were sent or are being played, ``costs`` their durations. So games of
    each kind get at most their share of the workers' time while others wait, and at least one game.
    """
    cup_weight = (RATED_WEIGHT + UNRATED_WEIGHT) * cup_share / (1 - cup_share)
    kinds = ((rated, RATED_WEIGHT), (unrated, UNRATED_WEIGHT), (cups, cup_weight))
    return in_fair_order(
        {key: Flow(in_fair_order(flows), ahead[key], weight, costs[key]) for key, (flows, weight) in enumerate(kinds)}
    )


def cup_shares(
    reserved: Mapping[int, float], cup_share: float, of_house: Collection[int] = ()
) -> tuple[float, dict[int, float]]:
    """The share of the workers for all cups with waiting games, and the weight of each cup among them.

    ``reserved`` has the share that is reserved for each of these cups, or 0. Cups without a reservation have together
    ``cup_share`` of what the reservations leave, of which it is at least 1% and at most 99%. Cups ``of_house`` bots
    have a lower weight among them, and if there are no others, a lower share.
    """
    scale = min(1.0, MOST_RESERVED / (sum(reserved.values()) or 1.0))
    reserved = {cup: share * scale for cup, share in reserved.items()}
    kept = sum(reserved.values())
    others = {cup: HOUSE_ONLY if cup in of_house else 1.0 for cup, share in reserved.items() if not share}
    share_of_others = cup_share * max(others.values(), default=0.0)
    shared_by_all = (1 - kept) * min(max(share_of_others, 0.01), 0.99) if others else 0.0
    weights = {cup: shared_by_all * weight / sum(others.values()) for cup, weight in others.items()}
    return kept + shared_by_all, {cup: share or weights[cup] for cup, share in reserved.items()}


def _tagged(key: int, flow: Flow) -> Iterator[tuple[float, float, int, int, int]]:
    step = flow.cost / flow.weight
    places = zip(count(flow.on_the_way), flow.waiting, strict=False)
    return ((place * step, flow.since, key, place, game) for place, game in places)
