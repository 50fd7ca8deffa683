"""Sentences for steps: choices, offers and answers of the seats."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from games.edel_stein_reich.cards import SCORING_CARDS
from games.edel_stein_reich.story.teller import Story
from games.edel_stein_reich.story.words import (
    ACTION_NAMES,
    COLOUR_NAMES,
    event_card,
    gems,
    gems_of,
    why_higher,
)
from games.words import listing

Step = Mapping[str, Any]


def tell_step(story: Story, step: Step) -> None:
    """Add the sentence of one step, with a remark on a forced or default move in a seat's own log."""
    if "chance" in step:
        _CHANCE[step["chance"]](story, step)
        return
    _MOVES[step["decision"]](story, step["seat"], step["move"])
    story.go_on(story.remark(step))


def _age_order(story: Story, step: Step) -> None:
    story.table.age_order = list(step["seats"])
    story.say(f"Players from youngest to oldest: {', '.join(story.names[seat] for seat in step['seats'])}")


def _starter(story: Story, step: Step) -> None:
    story.say(f"{story.names[step['seat']]} begins")


def _action(story: Story, seat: int, move: str) -> None:
    table = story.table
    table.choices[seat] = move
    if story.duel:
        _turn_over(story, seat, move)
    elif len(table.choices) == table.seats:
        parts = [_choosers(story, action) for action in ACTION_NAMES if table.choosers(action)]
        story.say("; ".join(parts))
        alone = table.choosers("gems")
        table.owed_gems = alone[0] if len(alone) == 1 else None


def _choosers(story: Story, action: str) -> str:
    seats = story.table.choosers(action)
    return f"{story.named(seats)} {'choose' if len(seats) > 1 else 'chooses'} {ACTION_NAMES[action]}"


def _turn_over(story: Story, seat: int, move: str) -> None:
    """Two players: add the revealed action after a hit, which has already named it, or after two misses."""
    if move in story.table.guesses:
        return
    story.say(f"{story.names[seat]} reveals {ACTION_NAMES[move]}")
    story.table.winner = seat
    story.table.turned = True
    if move == "gems":
        story.table.owed_gems = seat


def _guess(story: Story, seat: int, move: str) -> None:
    story.table.guesses.append(move)
    story.say(f"{story.names[seat]} guesses {ACTION_NAMES[move]}")


def _open_barter(story: Story, seat: int, move: Any) -> None:
    action = story.table.begin_barter(seat)
    assert story.table.barter is not None
    rival = story.table.barter[1]
    story.say(
        f"{story.named([seat, rival])} barter for {ACTION_NAMES[action]}; "
        f"{story.names[seat]} opens {_why_opens(story, seat, rival)}"
    )
    if move == "decline":
        story.say(f"{story.names[seat]} {'makes no offer' if any(story.table.gems[seat]) else 'has no gem to offer'}")
    else:
        story.table.standing = move["offer"]
        story.say(f"{story.names[seat]} offers {gems(move['offer'])}")


def _why_opens(story: Story, opener: int, rival: int) -> str:
    fewer = [f"with fewer {colour} gems" for colour in COLOUR_NAMES.values()]
    reasons = [*fewer, "with less money", "as the younger player"]
    ours, theirs = story.table.precedence(opener), story.table.precedence(rival)
    return next(reason for reason, own, other in zip(reasons, ours, theirs, strict=True) if own != other)


def _answer_offer(story: Story, seat: int, move: Any) -> None:
    table = story.table
    assert table.barter is not None
    assert table.standing is not None
    if move == "accept":
        story.say(f"{story.names[seat]} accepts {gems(table.standing)}")
        table.win(next(other for other in table.barter if other != seat))
    else:
        story.say(f"{story.names[seat]} offers {gems(move['offer'])} ({why_higher(table.standing, move['offer'])})")
        table.standing = move["offer"]


def _counter_gift(story: Story, seat: int, move: Any) -> None:
    if move == "decline":
        story.say(f"{story.names[seat]} {'gives no gem' if any(story.table.gems[seat]) else 'has no gem to give'}")
        return
    assert story.table.barter is not None
    opener = story.names[story.table.barter[0]]
    story.say(f"{story.names[seat]} gives {opener} {gems_of([move['gift']])} for the action")
    story.table.win(seat)
    story.table.turned = True


def _event_card(story: Story, seat: int, move: str) -> None:
    table = story.table
    assert table.display is not None
    if move == "blind":
        table.refusing = True
        story.act(seat, f"passes on {event_card(table.display)}", "draws from the stack")
    else:
        table.immediate = table.display
        keeps = ["keeps it for the scoring"] if table.display in SCORING_CARDS else []
        story.act(seat, f"takes {event_card(table.display)}", *keeps)
        table.display = None


def _immediate(story: Story, seat: int, move: Any) -> None:
    table, name = story.table, story.names[seat]
    card = table.immediate
    assert card is not None
    table.idle = card in ("three", "halve_all") or card.startswith("adjust:")
    if move == "decline":
        table.idle = False
        story.say(f"{name} does not use {event_card(card)}")
    elif card == "half":
        story.say(f"{name} scores {COLOUR_NAMES[move['colour']]} immediately at half value")
    elif card == "three":
        story.say(f"{name} chooses {COLOUR_NAMES[move['colour']]}")
    elif card == "halve_all":
        story.say(f"{name} makes every player return half of each color")
    elif card == "swap":
        given, taken = gems_of([move["give"]]), gems_of([move["take"]])
        story.say(f"{name} gives {story.names[move['seat']]} {given} in exchange for {taken}")
    elif card == "rob":
        lost = [f"{story.names[int(victim)]} return {gems_of([colour])}" for victim, colour in move["take"].items()]
        story.say(f"{name} makes {listing(lost)}")
    else:
        colours = listing([COLOUR_NAMES[colour] for colour in card.removeprefix("adjust:")])
        story.say(f"{name} sets {colours} to 4 each")


def _free_choice(story: Story, seat: int, move: Any) -> None:
    table, name = story.table, story.names[seat]
    seats = table.choosers("free_choice")
    story.settle_gems()
    if len(seats) > 1 and not table.picks:
        order = [story.names[chooser] for chooser in sorted(seats, key=table.precedence)]
        story.say(f"The players use Free Choice in this order (fewest red gems first): {', '.join(order)}")
    table.picks += 1
    if len(seats) == 1 and move == "decline":
        story.act(seat, "changes nothing")
    elif len(seats) == 1:
        story.act(seat, f"returns {gems_of([move['give']])}", f"takes {gems_of(move['take'])}")
    else:
        story.say(f"{name} takes {'nothing' if move == 'decline' else gems_of(move['take'])}")


_CHANCE: Final[dict[str, Callable[[Story, Step], None]]] = {"age_order": _age_order, "starter": _starter}
_MOVES: Final[dict[str, Callable[[Story, int, Any], None]]] = {
    "action": _action,
    "guess": _guess,
    "open_barter": _open_barter,
    "answer_offer": _answer_offer,
    "counter_gift": _counter_gift,
    "event_card": _event_card,
    "immediate": _immediate,
    "free_choice": _free_choice,
}
