"""Sentences for the rounds of Die Weinhändler, from the deal to the result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from games.die_weinhaendler.cellar import MIXED_BONUS, SAME_BONUS
from games.die_weinhaendler.rulings import IDLE_LIMIT
from games.die_weinhaendler.story.teller import Cell, Story, is_empty, stars
from games.die_weinhaendler.story.words import bottles, euros, that_bottle
from games.outcomes import has_score
from games.story import finishers
from games.words import ordinal

# --- Deal, refill, result --------------------------------------------------------------------------------------------

Event = Mapping[str, Any]


def tell_starter(story: Story, step: Event) -> None:
    story.table.start = step["seat"]
    story.say(f"{story.names[step['seat']]} is drawn as the starting player")


def tell_hand(story: Story, event: Event) -> None:
    """Add the dealt hand, which only a seat's own log contains."""
    assert story.own is not None
    story.say(f"{story.names[story.own]} is dealt {bottles(event['cards'])}")


def tell_refill(story: Story, event: Event) -> None:
    """Add the new bottles on display. Before the first round they are the whole display."""
    table, cards = story.table, event["cards"]
    before = list(table.display)
    table.refill(cards)
    left = f"{table.stack} {'card is' if table.stack == 1 else 'cards are'} left in the stack"
    if not before:
        story.say(f"The display shows {bottles(cards)}; {left}")
    else:
        story.say(f"The display is refilled with {bottles(cards)}; {left if table.stack else 'the stack is empty'}")


def first_round(story: Story) -> None:
    """Begin the first round at its first bid, because it has no event."""
    if not story.table.round:
        _begin_round(story, story.table.start)


def tell_start(story: Story, event: Event) -> None:
    """End a round and begin the next one."""
    _tell_points(story)
    _begin_round(story, event["seat"])
    story.say(f"{story.names[event['seat']]} starts; the display shows {bottles(story.table.display)}")


def _begin_round(story: Story, start: int) -> None:
    story.table.begin_round(start)
    story.begin(f"Round {story.table.round}", story.ply)


def tell_last_round(story: Story, _event: Event) -> None:
    story.retitle(f"Round {story.table.round} (last round)")
    why = f"The stack has not shrunk for {IDLE_LIMIT} rounds" if story.table.stack else "The stack is empty"
    story.say(f"{why}, so this is the last round, in which players can lay all their bottles")


def _tell_points(story: Story) -> None:
    table = story.table
    if any(table.points):
        parts = [f"{name} {points}" for name, points in zip(story.names, table.points, strict=True)]
        story.say(f"Points now: {', '.join(parts)}")


def tell_outcome(story: Story, outcome: Event) -> None:
    """Add a separate chapter with ranks and forfeits."""
    story.begin("Result", story.ply)
    ranks, scores = outcome["ranks"], outcome["scores"]
    placed = finishers(outcome)
    if not any(map(has_score, scores)):
        story.tell_who_stayed(outcome)
        story.tell_forfeits(outcome)
        return
    if not placed:
        story.tell_unfinished("No player finished the game", outcome)
    parts = []
    for rank in sorted({ranks[seat] for seat in placed}):
        level = [seat for seat in placed if ranks[seat] == rank]
        points = scores[level[0]]["points"]
        if rank == 1:
            won = f"tied for first place with {points} points each" if len(level) > 1 else f"wins with {points} points"
            story.say(f"{story.named(level)} {won}")
        else:
            parts.append(f"{story.named(level)} {'are' if len(level) > 1 else 'is'} {ordinal(rank)} with {points}")
    if parts:
        story.say(", ".join(parts))
    story.tell_forfeits(outcome)


# --- Bids ------------------------------------------------------------------------------------------------------------

PASSING = ("passes", "pass")
WITHOUT_A_CARD = (
    "passes without a bid and draws no card because the stack is empty",
    "pass without a bid and draw no cards because the stack is empty",
)


def tell_bid(story: Story, step: Mapping[str, Any]) -> None:
    """Add a sentence for a bid, a raise or a pass."""
    first_round(story)
    seat, move = step["seat"], step["move"]
    remark = story.remark(step)
    if move != "pass":
        _add(story, seat, move["cards"])
        story.go_on(remark)
    elif story.table.bids[seat]:
        story.say_of(seat, PASSING, remark)
    elif story.table.stack:
        story.say(f"{story.names[seat]} passes without a bid{remark}")
    else:
        story.say_of(seat, WITHOUT_A_CARD, remark)


def _add(story: Story, seat: int, cards: Sequence[str]) -> None:
    """Add a bid with its rank among the other bids, which decides what it can win."""
    table, name = story.table, story.names[seat]
    first, led = not table.bids[seat], not table.above(seat)
    table.bids[seat] += cards
    above, below, total = table.above(seat), table.below(seat), euros(table.total(seat))
    if first and not above and not below:
        story.say(f"{name} opens with a bid of {total}: {bottles(cards)}")
    elif first and above:
        story.say(f"{name} underbids {story.names[above[0]]} with {total}: {bottles(cards)}")
    elif first:
        story.say(f"{name} outbids {story.names[below[0]]} with {total}: {bottles(cards)}")
    elif above:
        story.say(f"{name} adds {bottles(cards)} for a total of {total}, below {story.names[above[0]]}")
    elif led or not below:
        story.say(f"{name} adds {bottles(cards)} for a total of {total}")
    else:
        story.say(f"{name} adds {bottles(cards)} for a total of {total} and outbids {story.names[below[0]]}")


def tell_draw(story: Story, event: Mapping[str, Any]) -> None:
    """Extend the sentence of a pass without a bid by the cards drawn."""
    shown, kept, below = event["shown"], event["kept"], event["to_bottom"]
    story.table.stack -= 1
    if below is None:
        story.go_on(f" and takes the last card of the stack, {bottles([kept])}")
    elif below == kept:
        story.go_on(f", draws {bottles(shown)} and keeps one; the other goes to the bottom of the stack")
    else:
        story.go_on(f", draws {bottles(shown)} and keeps {that_bottle(kept)}")
        story.go_on(f"; {that_bottle(below)} goes to the bottom of the stack")


def tell_exchange(story: Story, event: Mapping[str, Any]) -> None:
    """Add the exchange: each bidder takes the bottles one place higher."""
    table, moves = story.table, event["moves"]
    table.exchanged = True
    highest, lowest = moves[0], moves[-1]
    name, bid = story.names[highest["to"]], euros(table.total(highest["to"]))
    why = f"has the highest bid ({bid})" if len(moves) > 2 else f"is the only bidder ({bid})"
    story.say(f"{name} {why} and takes the display: {bottles(highest['cards'])}")
    for move in moves[1:-1]:
        story.say(f"{story.names[move['to']]} takes {bottles(move['cards'])} from {story.names[move['from']]}")
    story.say(f"{story.names[lowest['from']]}'s bid becomes the display: {bottles(lowest['cards'])}")
    table.display = list(lowest["cards"])


# --- Bottles laid ----------------------------------------------------------------------------------------------------

NOTHING = ("lays nothing", "lay nothing")


def tell_laying(story: Story, step: Mapping[str, Any]) -> None:
    """Add a laid bottle, which the event describes, or the end of a seat's turn."""
    table, seat = story.table, step["seat"]
    if not table.exchanged:
        table.exchanged = True
        story.say("No one bids, so the display does not change")
    remark = story.remark(step)
    if step["move"] != "done":
        if not story.laid:
            story.settle()
        story.layer = seat
        story.noted = remark
        story.has_laid = True
        return
    if story.has_laid and story.by_step:
        story.say(f"{story.names[seat]} lays no more bottles{remark}")
    elif story.has_laid:
        story.settle()
    else:
        story.say_of(seat, NOTHING, remark)
    story.has_laid = False


def tell_new_cellar(story: Story, event: Mapping[str, Any]) -> None:
    """Start a cellar for the next bottle."""
    story.table.cellars[event["seat"]].append({})


def tell_laid(story: Story, event: Mapping[str, Any]) -> None:
    """Extend the current sentence by a bottle with its place, stars and trios."""
    table, seat, card = story.table, event["seat"], event["card"]
    level, x = event["cell"]
    begins = not table.cellars[seat][-1]
    covers = table.lay(seat, card, (level, x))
    table.points[seat] += event["points"]
    story.earned += event["points"]
    where = " over an empty bottle" if covers else f" in the {ordinal(level + 1)} row" if level else ""
    if begins and len(table.cellars[seat]) > 1:
        where = f" to start a {ordinal(len(table.cellars[seat]))} cellar"
    story.laid.append(f"{bottles([card])}{where}{_earned(story, seat, card, event['trios'])}{story.noted}")


def _earned(story: Story, seat: int, card: str, trios: Sequence[Sequence[Sequence[int]]]) -> str:
    """Return points in words, such as ``(2 stars, 4 for three alike, 1 for a run)``; empty for an empty bottle."""
    if is_empty(card):
        return ""
    count = stars(card)
    parts = ["1 star" if count == 1 else f"{count} stars"]
    kinds = [_alike(story.table.cellars[seat][-1], trio) for trio in trios]
    for alike, bonus, once, several in (
        (True, SAME_BONUS, "three alike", "{} times three alike"),
        (False, MIXED_BONUS, "a run", "{} runs"),
    ):
        count_alike = kinds.count(alike)
        if count_alike:
            parts.append(f"{bonus * count_alike} for {once if count_alike == 1 else several.format(count_alike)}")
    return f" ({', '.join(parts)})"


def _alike(cellar: Mapping[Cell, str], trio: Sequence[Sequence[int]]) -> bool:
    """Return whether the bottles of a trio are identical. Otherwise they have one, two and three stars."""
    return len({cellar[level, x] for level, x in trio}) == 1
