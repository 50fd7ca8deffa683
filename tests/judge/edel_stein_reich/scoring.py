"""The scoring (`rules.md` 2.7) and the half scoring of the event card (A25 to A27)."""

from __future__ import annotations

from typing import Any

from . import cards
from .table import Table


def score_phase(table: Table) -> None:
    """Pays R, Y, G, B and certificates, then takes the held cards in: by seat, then in the order won."""
    rows = [score_colour(table, colour) for colour in cards.COLOURS]
    rows.append(score_certificates(table))
    table.tell("scored", phase=table.phase, rows=rows)
    for seat in range(table.seats):
        table.event_discards += table.held[seat]
        table.held[seat] = []


def score_half(table: Table, colour: str) -> None:
    """One colour at half value; held cards do not work on it."""
    shares, _, returned = majority(table, colour, cards.HALF_MAJORITY[colour])
    nothing = [0] * table.seats
    row = settle(table, colour, shares, nothing, nothing, returned)
    table.tell("scored", phase=None, rows=[row])


def score_colour(table: Table, colour: str) -> dict[str, Any]:
    shares, sole, returned = majority(table, colour, cards.MAJORITY[colour])
    index = cards.COLOURS.index(colour)
    bonus, per_gem = [], []
    for seat in range(table.seats):
        held = table.held[seat]
        extra = held.count(f"sole:{colour}") * cards.SOLE_BONUS[colour] + held.count("sole_any") * cards.SOLE_ANY_BONUS
        bonus.append(extra if seat == sole else 0)
        per_gem.append(held.count(f"per:{colour}") * table.gems[seat][index])
    return settle(table, colour, shares, bonus, per_gem, returned)


def majority(table: Table, colour: str, value: int) -> tuple[list[int], int | None, list[int]]:
    """The shares by seat, the seat with the sole majority if there is one, and the gems to be returned by seat."""
    counts = [gems[cards.COLOURS.index(colour)] for gems in table.gems]
    most = max(counts)
    leaders = [seat for seat in range(table.seats) if counts[seat] == most and most > 0]
    shares, returned = [0] * table.seats, [0] * table.seats
    for seat in leaders:
        shares[seat] = value // len(leaders)
        returned[seat] = (most + 1) // 2 if len(leaders) == 1 else min(2, most)
    return shares, leaders[0] if len(leaders) == 1 else None, returned


def score_certificates(table: Table) -> dict[str, Any]:
    counts = [held.count("cert") for held in table.held]
    ranking = sorted({count for count in counts if count > 0}, reverse=True)
    shares = [0] * table.seats
    for seat, count in enumerate(counts):
        if ranking and count == ranking[0]:
            shares[seat] = cards.CERTIFICATE_FIRST
        elif len(ranking) > 1 and count == ranking[1] and counts.count(ranking[0]) == 1:
            shares[seat] = cards.CERTIFICATE_SECOND
    nothing = [0] * table.seats
    return settle(table, "cert", shares, nothing, nothing, nothing)


def settle(
    table: Table, of: str, shares: list[int], bonus: list[int], per_gem: list[int], returned: list[int]
) -> dict[str, Any]:
    """Pays, takes the gems back and returns the row of the `scored` event."""
    for seat in range(table.seats):
        table.money[seat] += shares[seat] + bonus[seat] + per_gem[seat]
        if returned[seat]:
            table.gems[seat][cards.COLOURS.index(of)] -= returned[seat]
            table.supply[cards.COLOURS.index(of)] += returned[seat]
    return {
        "of": of,
        "share": list(shares),
        "sole_bonus": list(bonus),
        "per_gem": list(per_gem),
        "returned": list(returned),
    }
