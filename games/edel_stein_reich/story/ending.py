"""The last chapter: who won, by what, and who forfeited."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from games.edel_stein_reich.story.telling import Story
from games.edel_stein_reich.story.words import COLOUR_NAMES
from games.outcomes import has_score
from games.story import finishers
from games.words import ordinal

Score = Mapping[str, Any]


def tell_outcome(story: Story, outcome: Mapping[str, Any], ply: int) -> None:
    """A chapter of its own for ranks, ties and forfeits."""
    story.begin("The result", ply)
    ranks, scores = outcome["ranks"], outcome["scores"]
    placed = finishers(outcome)
    if not any(map(has_score, scores)):
        story.tell_who_stayed(placed)
        story.tell_forfeits(scores)
        return
    if not placed:
        story.say("Nobody has played to the end")
    else:
        _tell_winners(story, [seat for seat in placed if ranks[seat] == 1], scores)
        _tell_others(story, [seat for seat in placed if ranks[seat] > 1], ranks, scores)
    _tell_ties(story, placed, ranks, scores)
    story.tell_forfeits(scores)


def _tell_winners(story: Story, winners: Sequence[int], scores: Sequence[Score]) -> None:
    verb = "wins" if len(winners) == 1 else "share the win"
    story.say(f"{story.named(winners)} {verb} with {scores[winners[0]]['money']}")


def _tell_others(story: Story, others: Sequence[int], ranks: Sequence[int], scores: Sequence[Score]) -> None:
    told = [f"{story.names[seat]} is {ordinal(ranks[seat])} with {scores[seat]['money']}" for seat in others]
    if told:
        story.say(", ".join(told))


def _tell_ties(story: Story, placed: Sequence[int], ranks: Sequence[int], scores: Sequence[Score]) -> None:
    """What decided between neighbours with equal money."""
    for better, worse in pairwise(placed):
        if scores[better]["money"] == scores[worse]["money"] and ranks[better] != ranks[worse]:
            why = _more(scores[better]["gems"], scores[worse]["gems"])
            story.say(f"{story.names[better]} ranks before {story.names[worse]} with as much money and more {why}")


def _more(ours: Sequence[int], theirs: Sequence[int]) -> str:
    if sum(ours) != sum(theirs):
        return "gems"
    return next(name for name, own, other in zip(COLOUR_NAMES.values(), ours, theirs, strict=True) if own != other)
