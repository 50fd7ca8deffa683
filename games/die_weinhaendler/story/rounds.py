"""The sentences between the rounds: the deal, the display, who starts, and how it ends."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from games.die_weinhaendler.rulings import IDLE_LIMIT
from games.die_weinhaendler.story.telling import Story
from games.die_weinhaendler.story.words import bottles
from games.outcomes import has_score
from games.story import finishers
from games.words import ordinal

Event = Mapping[str, Any]


def tell_starter(story: Story, step: Event) -> None:
    story.table.start = step["seat"]
    story.say(f"{story.names[step['seat']]} is drawn as start player")


def tell_hand(story: Story, event: Event) -> None:
    """Only in a seat's own log."""
    assert story.own is not None
    story.say(f"{story.names[story.own]} is dealt {bottles(event['cards'])}")


def tell_refill(story: Story, event: Event) -> None:
    """New bottles for the display; before the first round they are the whole of it."""
    table, cards = story.table, event["cards"]
    before = list(table.display)
    table.refill(cards)
    left = f"{table.stack} {'card is' if table.stack == 1 else 'cards are'} left in the stack"
    if not before:
        story.say(f"On display lie {bottles(cards)}; {left}")
    else:
        story.say(f"The display is filled up with {bottles(cards)}; {left if table.stack else 'the stack is empty'}")


def first_round(story: Story) -> None:
    """The first round begins with its first bid; no event says so."""
    if not story.table.round:
        _begin_round(story, story.table.start)


def tell_start(story: Story, event: Event) -> None:
    """A round is over, and the next one begins."""
    _tell_points(story)
    _begin_round(story, event["seat"])
    story.say(f"{story.names[event['seat']]} starts; on display {_lie(story)}")


def _begin_round(story: Story, start: int) -> None:
    story.table.begin_round(start)
    story.begin(f"Round {story.table.round}", story.ply)


def _lie(story: Story) -> str:
    display = story.table.display
    return f"{'lies' if len(display) == 1 else 'lie'} {bottles(display)}"


def tell_last_round(story: Story, _event: Event) -> None:
    story.retitle(f"Round {story.table.round}, the last")
    why = f"For {IDLE_LIMIT} rounds the stack has not shrunk" if story.table.stack else "The stack is empty"
    story.say(f"{why}: this round is the last, and every bottle may be laid in it")


def _tell_points(story: Story) -> None:
    table = story.table
    if any(table.points):
        told = [f"{name} {points}" for name, points in zip(story.names, table.points, strict=True)]
        story.say(f"Points now: {', '.join(told)}")


def tell_outcome(story: Story, outcome: Event) -> None:
    """A chapter of its own for ranks and forfeits."""
    story.begin("The result", story.ply)
    ranks, scores = outcome["ranks"], outcome["scores"]
    placed = finishers(outcome)
    if not any(map(has_score, scores)):
        story.tell_who_stayed(placed)
        story.tell_forfeits(scores)
        return
    if not placed:
        story.say("Nobody has played to the end")
    told = []
    for rank in sorted({ranks[seat] for seat in placed}):
        level = [seat for seat in placed if ranks[seat] == rank]
        points = scores[level[0]]["points"]
        if rank == 1:
            story.say(f"{story.named(level)} {'share the win' if len(level) > 1 else 'wins'} with {points} points")
        else:
            told.append(f"{story.named(level)} {'are' if len(level) > 1 else 'is'} {ordinal(rank)} with {points}")
    if told:
        story.say(", ".join(told))
    story.tell_forfeits(scores)
