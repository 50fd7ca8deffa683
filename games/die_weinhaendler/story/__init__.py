"""Move list of Die Weinhändler, from the log entries that a seat or a spectator sees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from games.die_weinhaendler.story.rounds import (
    tell_bid,
    tell_draw,
    tell_exchange,
    tell_hand,
    tell_laid,
    tell_last_round,
    tell_laying,
    tell_new_cellar,
    tell_outcome,
    tell_refill,
    tell_start,
    tell_starter,
)
from games.die_weinhaendler.story.teller import Story
from games.story import Chapter

__all__ = ["tell", "tell_entry"]

_STEPS = {"bid": tell_bid, "lay": tell_laying}
_EVENTS = {
    "hand": tell_hand,
    "refill": tell_refill,
    "pass_draw": tell_draw,
    "exchange": tell_exchange,
    "new_cellar": tell_new_cellar,
    "laid": tell_laid,
    "start": tell_start,
    "last_round": tell_last_round,
}


def tell(log: Mapping[str, Any], names: Sequence[str], by_step: bool = False) -> list[Chapter]:
    """Return the move list of a ``game-log/1``, one chapter per round; ``names`` are by seat.

    The log of a running game can stop anywhere. Raises ``ValueError`` unless there is one name per seat.
    """
    if len(names) != log["seats"]:
        raise ValueError(f"expected {log['seats']} names, one per seat, but got {len(names)}")
    story = Story(names, log["seat"], by_step)
    story.begin("Setup", 0)
    for entry in log["entries"]:
        tell_entry(story, entry)
    if log["outcome"] is not None:
        tell_outcome(story, log["outcome"])
    return story.chapters()


def tell_entry(story: Story, entry: Mapping[str, Any]) -> None:
    """Follow one entry of a log in ``story.table`` and add a sentence if it needs one."""
    story.ply = entry["ply"]
    if story.by_step and "step" in entry:
        story.settle()
    story.follow(entry)
    if "event" in entry:
        _EVENTS[entry["event"]["type"]](story, entry["event"])
    elif "chance" in entry["step"]:
        tell_starter(story, entry["step"])
    else:
        _STEPS[entry["step"]["decision"]](story, entry["step"])
