"""The sofort cards (`rules.md` 1.2; "Events" in `record.md`): what may be chosen and what it does."""

from __future__ import annotations

from itertools import product
from typing import Any

from tests.judge.table import Ask, Procedure

from .cards import COLOURS
from .scoring import score_half
from .table import Table, colours_of, one_gem


def immediate(table: Table, seat: int, card: str) -> Procedure:
    """The player of the card carries it out or declines; all or nothing."""
    table.immediate = {"seat": seat, "card": card}
    legal, bounds = choices(table, seat, card)
    (move,) = yield [Ask(seat, "immediate", ["decline", *legal], {"card": card, **bounds})]
    table.immediate = None
    if move != "decline":
        carry_out(table, seat, card, move)


def choices(table: Table, seat: int, card: str) -> tuple[list[Any], dict[str, Any]]:
    """The moves other than `decline`, in order, and the decision's bounds."""
    if card in ("half", "three"):
        return [{"colour": colour} for colour in COLOURS], {"colours": list(COLOURS)}
    if card == "swap":
        return swaps(table, seat), {"give": colours_of(table.gems[seat]), "take": targets(table, seat)}
    if card == "rob":
        return robberies(table, seat), {"take": targets(table, seat)}
    return ["apply"], {}


def targets(table: Table, seat: int) -> dict[str, list[str]]:
    """The colours of every opponent who has a gem."""
    return {str(other): colours_of(table.gems[other]) for other in table.others(seat) if any(table.gems[other])}


def swaps(table: Table, seat: int) -> list[dict[str, Any]]:
    return [
        {"give": give, "seat": int(other), "take": take}
        for give in colours_of(table.gems[seat])
        for other, colours in targets(table, seat).items()
        for take in colours
    ]


def robberies(table: Table, seat: int) -> list[dict[str, Any]]:
    victims = targets(table, seat)
    if not victims:
        return []
    return [{"take": dict(zip(victims, colours, strict=True))} for colours in product(*victims.values())]


def carry_out(table: Table, seat: int, card: str, move: Any) -> None:
    if card == "half":
        score_half(table, move["colour"])
    elif card == "three":
        colour = COLOURS.index(move["colour"])
        count = min(3, table.supply[colour])
        table.move_gems("supply", seat, [count * gem for gem in one_gem(move["colour"])], "three")
    elif card == "swap":
        table.move_gems(seat, move["seat"], one_gem(move["give"]), "swap")
        table.move_gems(move["seat"], seat, one_gem(move["take"]), "swap")
    elif card == "rob":
        for victim in table.others(seat):
            if str(victim) in move["take"]:
                table.move_gems(victim, "supply", one_gem(move["take"][str(victim)]), "rob")
    elif card == "halve_all":
        for player in range(table.seats):
            table.move_gems(player, "supply", [count // 2 for count in table.gems[player]], "halve_all")
    else:
        adjust(table, seat, card.split(":")[1])


def adjust(table: Table, seat: int, colours: str) -> None:
    """Both colours are set to 4: what is above goes back, what is below comes from the supply as far as it goes."""
    own = table.gems[seat]
    back = [max(0, own[i] - 4) if COLOURS[i] in colours else 0 for i in range(4)]
    table.move_gems(seat, "supply", back, "adjust")
    missing = [max(0, 4 - own[i]) if COLOURS[i] in colours else 0 for i in range(4)]
    table.move_gems("supply", seat, [min(missing[i], table.supply[i]) for i in range(4)], "adjust")
