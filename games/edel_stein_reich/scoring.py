"""Scoring: majorities of the four colors, then certificates; also the half scoring of one color."""

from __future__ import annotations

from typing import Final

from games.edel_stein_reich.cards import (
    CERTIFICATE_VALUES,
    COLOURS,
    HALF_VALUES,
    MAJORITY_VALUES,
    ONE,
    SOLE_ANY_BONUS,
    SOLE_BONUS,
)
from games.edel_stein_reich.rulings import TIE_RETURN
from games.edel_stein_reich.table import Table, together, without
from games.rules import Document

_COUNTED: Final = tuple(f"per:{colour}" for colour in COLOURS)
_SOLE: Final = tuple(f"sole:{colour}" for colour in COLOURS)


def score_colour(table: Table, colour: int, value: int, with_cards: bool) -> Document | None:
    """Pay the leaders of a color ``value`` millions and return their gems. Return the row if there is a journal."""
    seats = table.seats
    counts = [gems[colour] for gems in table.gems]
    most = max(counts)
    leading = counts.count(most) if most else 0
    share = value // leading if leading else 0
    returned = (most + 1) // 2 if leading == 1 else min(TIE_RETURN, most)
    bonus, per_gem = [0] * seats, [0] * seats
    for seat, cards in enumerate(table.cards):
        if leading and counts[seat] == most:
            if with_cards and leading == 1:
                bonus[seat] = sole_bonus(cards, colour)
            table.money[seat] += share + bonus[seat]
            give_back(table, seat, colour, returned)
        if with_cards and cards:
            per_gem[seat] = counts[seat] * cards.count(_COUNTED[colour])
            table.money[seat] += per_gem[seat]
    if table.journal is None:
        return None
    leads = [int(leading > 0 and count == most) for count in counts]
    return {
        "of": COLOURS[colour],
        "share": [share * lead for lead in leads],
        "sole_bonus": bonus,
        "per_gem": per_gem,
        "returned": [returned * lead for lead in leads],
    }


def give_back(table: Table, seat: int, colour: int, count: int) -> None:
    """Move ``count`` gems of one color from a seat to the supply."""
    red, yellow, green, blue = ONE[COLOURS[colour]]
    gems = (count * red, count * yellow, count * green, count * blue)
    table.gems[seat] = without(table.gems[seat], gems)
    table.supply = together(table.supply, gems)


def sole_bonus(cards: tuple[str, ...], colour: int) -> int:
    """Return what the scoring cards of a sole leader add for ``colour``, in millions."""
    return SOLE_BONUS[colour] * cards.count(_SOLE[colour]) + SOLE_ANY_BONUS * cards.count("sole_any")


def certificate_pay(counts: list[int]) -> list[int]:
    """Return the payments by seat in millions: 10 for the most, 4 for the second most if only one seat has the most."""
    first = max(counts)
    if first == 0:
        return [0] * len(counts)
    second = max([count for count in counts if count < first], default=0)
    if counts.count(first) > 1:
        second = 0
    most, next_most = CERTIFICATE_VALUES
    return [most if count == first else next_most if count and count == second else 0 for count in counts]


def score_phase(table: Table, phase: int) -> None:
    """Score all colors and the certificates at the end of ``phase``, then discard all scoring cards."""
    rows = [score_colour(table, colour, MAJORITY_VALUES[colour], True) for colour in range(4)]
    pay = certificate_pay([cards.count("cert") for cards in table.cards])
    for seat, amount in enumerate(pay):
        table.money[seat] += amount
        table.event_discards += table.cards[seat]
        table.cards[seat] = ()
    if table.journal is not None:
        nothing = [0] * table.seats
        rows.append({"of": "cert", "share": pay, "sole_bonus": nothing, "per_gem": nothing, "returned": nothing})
        table.note_event({"type": "scored", "phase": phase, "rows": rows})


def score_half(table: Table, colour: int) -> None:
    """Score one color now at half its value, without scoring cards."""
    row = score_colour(table, colour, HALF_VALUES[colour], False)
    if table.journal is not None:
        table.note_event({"type": "scored", "phase": None, "rows": [row]})


def rank_keys(table: Table) -> list[tuple[int, ...]]:
    """Return the keys of the final ranks by seat: money, gems, red, yellow, green, blue. The greatest is first."""
    return [(money, sum(gems), *gems) for money, gems in zip(table.money, table.gems, strict=True)]
