"""Scoring: majorities of the four colours, then certificates (also the half scoring of one colour)."""

from __future__ import annotations

from typing import Final

from games.base import Document
from games.edel_stein_reich.cards import (
    CERTIFICATE_VALUES,
    COLOURS,
    HALF_VALUES,
    MAJORITY_VALUES,
    SOLE_ANY_BONUS,
    SOLE_BONUS,
)
from games.edel_stein_reich.rulings import TIE_RETURN
from games.edel_stein_reich.table import Table, together, without

_COUNTED: Final = tuple(f"per:{colour}" for colour in COLOURS)
_SOLE: Final = tuple(f"sole:{colour}" for colour in COLOURS)


def score_colour(table: Table, colour: int, value: int, with_cards: bool) -> Document:
    """Pay one colour's leaders ``value`` millions, let them return gems, and say what happened by seat."""
    seats = table.seats
    counts = [gems[colour] for gems in table.gems]
    most = max(counts)
    leading = counts.count(most) if most else 0
    share, bonus, per_gem, returned = [0] * seats, [0] * seats, [0] * seats, [0] * seats
    for seat in range(seats):
        if leading and counts[seat] == most:
            share[seat] = value // leading
            returned[seat] = (most + 1) // 2 if leading == 1 else min(TIE_RETURN, most)
            if with_cards and leading == 1:
                bonus[seat] = sole_bonus(table.cards[seat], colour)
            give_back(table, seat, colour, returned[seat])
        if with_cards and table.cards[seat]:
            per_gem[seat] = counts[seat] * table.cards[seat].count(_COUNTED[colour])
        table.money[seat] += share[seat] + bonus[seat] + per_gem[seat]
    return {"of": COLOURS[colour], "share": share, "sole_bonus": bonus, "per_gem": per_gem, "returned": returned}


def give_back(table: Table, seat: int, colour: int, count: int) -> None:
    """``count`` gems of one colour go from a seat to the supply."""
    red, yellow, green, blue = [count if other == colour else 0 for other in range(4)]
    gems = (red, yellow, green, blue)
    table.gems[seat] = without(table.gems[seat], gems)
    table.supply = together(table.supply, gems)


def sole_bonus(cards: tuple[str, ...], colour: int) -> int:
    """What a sole leader's scoring cards add for ``colour``, in millions."""
    return SOLE_BONUS[colour] * cards.count(_SOLE[colour]) + SOLE_ANY_BONUS * cards.count("sole_any")


def certificate_pay(counts: list[int]) -> list[int]:
    """Millions by seat: most certificates 10 each; if that is one seat, all with the next most get 4 each."""
    first = max(counts)
    if first == 0:
        return [0] * len(counts)
    second = max([count for count in counts if count < first], default=0)
    if counts.count(first) > 1:
        second = 0
    most, next_most = CERTIFICATE_VALUES
    return [most if count == first else next_most if count and count == second else 0 for count in counts]


def score_phase(table: Table, phase: int) -> None:
    """Score all colours and the certificates at the end of ``phase``; then all held event cards go under the pile."""
    rows = [score_colour(table, colour, MAJORITY_VALUES[colour], True) for colour in range(4)]
    pay = certificate_pay([cards.count("cert") for cards in table.cards])
    nothing = [0] * table.seats
    for seat, amount in enumerate(pay):
        table.money[seat] += amount
    rows.append({"of": "cert", "share": pay, "sole_bonus": nothing, "per_gem": nothing, "returned": nothing})
    for seat in range(table.seats):
        table.event_discards += table.cards[seat]
        table.cards[seat] = ()
    table.note_event({"type": "scored", "phase": phase, "rows": rows})


def score_half(table: Table, colour: int) -> None:
    """Score one colour at once at half its value, without anybody's scoring cards."""
    row = score_colour(table, colour, HALF_VALUES[colour], False)
    table.note_event({"type": "scored", "phase": None, "rows": [row]})


def rank_keys(table: Table) -> list[tuple[int, ...]]:
    """What the final ranks go by, seat by seat: money, gems, red, yellow, green, blue; the greatest is first."""
    return [(money, sum(gems), *gems) for money, gems in zip(table.money, table.gems, strict=True)]
