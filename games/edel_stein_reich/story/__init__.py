"""A game of Edel, Stein & Reich told in sentences, from the same entries that a seat or a spectator sees."""

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
    """The game of a ``game-log/1``, a chapter a round; ``names`` by seat.

    A running game's log may stop anywhere. Raises ``ValueError`` unless there is a name for every seat.
    """
    if len(names) != log["seats"]:
        raise ValueError(f"a game of {log['seats']} seats needs as many names, not {len(names)}")
    story = Story(log["seats"], names, by_step)
    story.begin("Before the first turn" if story.duel else "Before the first round", 0)
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
