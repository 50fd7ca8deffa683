"""Which bottle turned a game."""

from __future__ import annotations

from games.base import State
from games.leading import led_for_good, tables, winner


def turning_point(state: State) -> int | None:
    """The step with which the winner took the lead for good; ``None`` where several share the win."""
    seen = tables(state)
    best = winner(state)
    return None if best is None else led_for_good(seen, best, lambda player: int(player["points"]))
