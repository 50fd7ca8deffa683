"""Ranks from the final standing, with forfeited seats behind everybody who finished."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from games.base import Document


def outcome(keys: Sequence[Any], scores: list[Document], forfeits: Mapping[int, str]) -> Document:
    """Competition ranks by descending key (two winners are 1, 1, 3), and the scores with their forfeits.

    ``keys`` and ``scores`` are by seat. Forfeited seats share one rank: 1 + the number of finishers.
    """
    finishers = [key for seat, key in enumerate(keys) if seat not in forfeits]
    ranks = [
        1 + (len(finishers) if seat in forfeits else sum(other > key for other in finishers))
        for seat, key in enumerate(keys)
    ]
    for seat, reason in forfeits.items():
        scores[seat]["forfeit"] = reason
    return {"ranks": ranks, "scores": scores}
