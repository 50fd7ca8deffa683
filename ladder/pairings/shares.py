"""Whose games the workers are told of next, so that everybody has the share of them that is theirs.

Weighted fair queueing (A. Demers, S. Keshav, S. Shenker, 1989): the games of a flow follow each other at distances of
their length by the flow's weight, counted from what it has on its way already; the smallest tag goes first. What nobody
uses is for the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import merge
from itertools import count

RATED_WEIGHT = 4
"""Of five games that the workers are told of, so many are rated while unrated ones wait."""

UNRATED_WEIGHT = 1
"""The share that tests, challenges and comparisons have in any case: one of five."""


@dataclass(frozen=True)
class Flow:
    """Games that wait, in their order, of one ladder or one person.

    ``on_the_way`` are those that workers were told of and have not begun; ``cost`` is how long one lasts, in any unit
    that all flows have in common.
    """

    waiting: Sequence[int]
    on_the_way: int = 0
    weight: float = 1
    cost: float = 1


def in_fair_order(flows: Mapping[int, Flow]) -> list[int]:
    """Everything that waits, as the flows' weights have it; of equals, the flow with the smaller key first.

    Raises ``ValueError`` for a flow without weight or cost, which would never have its turn, or take all.
    """
    if any(flow.weight <= 0 or flow.cost <= 0 for flow in flows.values()):
        raise ValueError("a flow needs a weight and a cost above 0")
    return [game for _, _, game in merge(*(_tagged(key, flow) for key, flow in sorted(flows.items())))]


def shared(rated: Mapping[int, Flow], unrated: Mapping[int, Flow]) -> list[int]:
    """Everything that waits: rated games as their flows have it, and among them the share of the unrated ones."""
    both = ((rated, RATED_WEIGHT), (unrated, UNRATED_WEIGHT))
    return in_fair_order(
        {
            key: Flow(in_fair_order(flows), sum(flow.on_the_way for flow in flows.values()), weight)
            for key, (flows, weight) in enumerate(both)
        }
    )


def _tagged(key: int, flow: Flow) -> Iterator[tuple[float, int, int]]:
    step = flow.cost / flow.weight
    return ((place * step, key, game) for place, game in zip(count(flow.on_the_way + 1), flow.waiting, strict=False))
