"""Which barter turned a game."""

from __future__ import annotations

from typing import Any

from games.base import Document, State
from games.leading import led_for_good, tables, winner


def turning_point(state: State) -> int | None:
    """The last barter of the winner that was won before it led in money for good; without one, the last of anybody.

    It is the offer that won it, so that whoever comes there sees the whole barter and what is about to happen; or the
    gift that did, where nothing was offered. ``None`` where nothing was bartered, or several share the win.
    """
    seen = tables(state)
    best = winner(state)
    if best is None:
        return None
    lead = led_for_good(seen, best, lambda player: int(player["money"]))
    steps = state.steps_since(0)
    won = [ply for ply, step in enumerate(steps[: lead + 1]) if _wins(step)]
    own = [ply for ply in won if best in _between(seen[ply - 1])]
    if not won:
        return None
    ply = max(own or won)
    return ply - 1 if steps[ply]["decision"] == "answer_offer" else ply


def _wins(step: Document) -> bool:
    """Whether a step ends a barter that is not void."""
    move: Any = step.get("move")
    kind = step.get("decision")
    return (kind == "answer_offer" and move == "accept") or (kind == "counter_gift" and move != "decline")


def _between(view: Document) -> tuple[int, ...]:
    """The seats that barter."""
    barter = view["barter"]
    return (barter["opener"], barter["other"]) if barter else ()
