"""The sentences of the laying: what is laid where, and what it earns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from games.die_weinhaendler.cellar import MIXED_BONUS, SAME_BONUS
from games.die_weinhaendler.story.following import Cell, is_empty, stars
from games.die_weinhaendler.story.telling import Story
from games.die_weinhaendler.story.words import bottles
from games.words import ordinal

NOTHING = ("lays nothing", "lay nothing")


def tell_laying(story: Story, step: Mapping[str, Any]) -> None:
    """A bottle is laid, of which the event says more, or a seat has finished."""
    table, seat = story.table, step["seat"]
    if not table.exchanged:
        table.exchanged = True
        story.say("Nobody has bid: the display stays as it is")
    remark = story.remark(step)
    if step["move"] != "done":
        if not story.laid:
            story.settle()
        story.layer = seat
        story.noted = remark
        story.has_laid = True
        return
    if story.has_laid and story.by_step:
        story.say(f"{story.names[seat]} lays no more{remark}")
    elif story.has_laid:
        story.settle()
    else:
        story.say_of(seat, NOTHING, remark)
    story.has_laid = False


def tell_new_cellar(story: Story, event: Mapping[str, Any]) -> None:
    """The bottle that is laid next begins a cellar."""
    story.table.cellars[event["seat"]].append({})


def tell_laid(story: Story, event: Mapping[str, Any]) -> None:
    """The place of a bottle, its stars and its trios; the sentence of the laying gets longer."""
    table, seat, card = story.table, event["seat"], event["card"]
    level, x = event["cell"]
    begins = not table.cellars[seat][-1]
    covers = table.lay(seat, card, (level, x))
    table.points[seat] += event["points"]
    story.earned += event["points"]
    where = " over the empty bottle" if covers else f" in the {ordinal(level + 1)} row" if level else ""
    if begins and len(table.cellars[seat]) > 1:
        where = f" to begin a {ordinal(len(table.cellars[seat]))} cellar"
    story.laid.append(f"{bottles([card])}{where}{_earned(story, seat, card, event['trios'])}{story.noted}")


def _earned(story: Story, seat: int, card: str, trios: Sequence[Sequence[Sequence[int]]]) -> str:
    """``(2 stars, 4 for three alike and 1 for a run)``; an empty bottle earns nothing."""
    if is_empty(card):
        return ""
    count = stars(card)
    parts = ["1 star" if count == 1 else f"{count} stars"]
    kinds = [_alike(story.table.cellars[seat][-1], trio) for trio in trios]
    for alike, bonus, one, several in (
        (True, SAME_BONUS, "three alike", "{} times three alike"),
        (False, MIXED_BONUS, "a run", "{} runs"),
    ):
        found = kinds.count(alike)
        if found:
            parts.append(f"{bonus * found} for {one if found == 1 else several.format(found)}")
    return f" ({', '.join(parts)})"


def _alike(cellar: Mapping[Cell, str], trio: Sequence[Sequence[int]]) -> bool:
    """Whether the three bottles of a trio are identical; otherwise they have one, two and three stars."""
    return len({cellar[level, x] for level, x in trio}) == 1
