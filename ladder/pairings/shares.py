"""Whose games the workers are told of next, so that everybody has the share of them that is theirs.

Start-time fair queueing (P. Goyal, H. M. Vin, H. Cheng, 1996): the games of a flow follow each other at distances of
their length by the flow's weight, counted from what it has on its way already; the smallest tag goes first. So who has
nothing on its way comes before all who have, whatever the weights, and of those the one that has waited longest. What
nobody uses is for the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import merge
from itertools import count

RATED_WEIGHT = 4
"""Of five games that the workers are told of, so many are rated while unrated ones wait."""

UNRATED_WEIGHT = 1
"""The share that tests, challenges and comparisons have in any case: of five games, or of five hours, one."""


@dataclass(frozen=True)
class Flow:
    """Games that wait, in their order, of one ladder or one person.

    ``on_the_way`` are those that workers were told of and have not begun; ``cost`` is how long one lasts, and ``since``
    when the first of them began to wait, in any units that all flows have in common.
    """

    waiting: Sequence[int]
    on_the_way: int = 0
    weight: float = 1
    cost: float = 1
    since: float = 0


def in_fair_order(flows: Mapping[int, Flow]) -> list[int]:
    """Everything that waits, as the flows' weights have it; of equals, who has waited longer, then the smaller key.

    Raises ``ValueError`` for a flow without weight or cost, which would never have its turn, or take all.
    """
    if any(flow.weight <= 0 or flow.cost <= 0 for flow in flows.values()):
        raise ValueError("a flow needs a weight and a cost above 0")
    return [game for *_, game in merge(*(_tagged(key, flow) for key, flow in flows.items()))]


def shared(
    rated: Mapping[int, Flow],
    unrated: Mapping[int, Flow],
    ahead: tuple[int, int] = (0, 0),
    costs: tuple[float, float] = (1, 1),
) -> list[int]:
    """Everything that waits: rated games as their flows have it, and among them the share of the unrated ones.

    ``ahead`` are the rated and the unrated games that are on their way or being played, ``costs`` how long one of
    either lasts: so long unrated games have no more than their share of the workers' time, and one at least.
    """
    both = ((rated, RATED_WEIGHT), (unrated, UNRATED_WEIGHT))
    return in_fair_order(
        {key: Flow(in_fair_order(flows), ahead[key], weight, costs[key]) for key, (flows, weight) in enumerate(both)}
    )


def _tagged(key: int, flow: Flow) -> Iterator[tuple[float, float, int, int, int]]:
    step = flow.cost / flow.weight
    places = zip(count(flow.on_the_way), flow.waiting, strict=False)
    return ((place * step, flow.since, key, place, game) for place, game in places)
