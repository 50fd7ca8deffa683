"""What a finished game is worth to each seat; the rewards of a game add up to zero."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from games.base import Document
from games.encoding import Encoding


def of_ranks(outcome: Document, encoding: Encoding) -> list[float]:
    """By seat, the opponents behind less those ahead, as a share: from 1 for beating all to −1 for losing to all."""
    ranks, opponents = outcome["ranks"], encoding.seats - 1
    return [(sum(other > rank for other in ranks) - sum(other < rank for other in ranks)) / opponents for rank in ranks]


def of_scores(outcome: Document, encoding: Encoding) -> list[float]:
    """By seat, the own score (in millions, or points) less the mean of all."""
    scores = [encoding.score(score) for score in outcome["scores"]]
    mean = sum(scores) / len(scores)
    return [score - mean for score in scores]


REWARDS: Final[dict[str, Callable[[Document, Encoding], list[float]]]] = {"ranks": of_ranks, "scores": of_scores}
"""The ways to reward, by name."""
