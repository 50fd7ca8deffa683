"""Move list of Edel, Stein & Reich, from the log entries that a seat or a spectator sees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from games.edel_stein_reich.story.events import tell_event
from games.edel_stein_reich.story.results import tell_outcome
from games.edel_stein_reich.story.steps import tell_step
from games.edel_stein_reich.story.teller import Story
from games.story import Chapter

__all__ = ["tell"]


def tell(log: Mapping[str, Any], names: Sequence[str], by_step: bool = False) -> list[Chapter]:
    """Return the move list of a ``game-log/1``, one chapter per round; ``names`` are by seat.

    The log of a running game can stop anywhere. Raises ``ValueError`` unless there is one name per seat.
    """
    if len(names) != log["seats"]:
        raise ValueError(f"expected {log['seats']} names, one per seat, but got {len(names)}")
    story = Story(log["seats"], names, by_step)
    story.begin("Setup", 0)
    ply = 0
    for entry in log["entries"]:
        ply = entry["ply"]
        story.follow(entry)
        if "step" in entry:
            tell_step(story, entry["step"])
        else:
            tell_event(story, entry["event"], ply)
    if log["outcome"] is not None:
        tell_outcome(story, log["outcome"], ply)
    return story.chapters()
