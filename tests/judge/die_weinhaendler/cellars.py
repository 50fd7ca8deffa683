"""Filling the cellars (`rules.md` 4.2 step 3; "WH laying" in `record.md`)."""

from __future__ import annotations

from typing import Any

from tests.judge.table import Ask, Procedure

from .cards import EMPTY, HAND_LIMIT, highest_first, value
from .cellar import Cell, Cellar
from .table import Merchant, Table


def lay(table: Table, first: int) -> Procedure:
    """Every seat in turn lays cards, one by one, until it is done."""
    table.stage = "lay"
    for seat in table.clockwise(first):
        while not table.merchants[seat].done:
            yield from lay_or_stop(table, seat)
    for merchant in table.merchants:
        merchant.done = False


def lay_or_stop(table: Table, seat: int) -> Procedure:
    merchant = table.merchants[seat]
    must_lay = 0 if table.last_round else max(0, len(merchant.hand) - HAND_LIMIT)
    cellar = merchant.open_cellar or Cellar()
    done = [] if must_lay else ["done"]
    bounds = {
        "hand": highest_first(merchant.hand),
        "must_lay": must_lay,
        "cells": offered(cellar),
        "new_cellar": merchant.open_cellar is None,
    }
    (move,) = yield [Ask(seat, "lay", [*done, *placings(merchant.hand, cellar)], bounds)]
    if move == "done":
        merchant.done = True
    else:
        lay_card(table, seat, move["card"], tuple(move["cell"]))


def placings(hand: list[str], cellar: Cellar) -> list[dict[str, Any]]:
    """Every card in every cell that it may have: by value, level, x."""
    return [{"card": wine, "cell": list(cell)} for wine in sorted(set(hand), key=value) for cell in cellar.cells(wine)]


def offered(cellar: Cellar) -> list[dict[str, Any]]:
    """The cells of a decision, each with the cards that it takes."""
    anything = cellar.cells(EMPTY)
    return [
        {"cell": list(cell), "cards": "any" if cell in anything else "full"}
        for cell in sorted({*anything, *cellar.uncovered()})
    ]


def lay_card(table: Table, seat: int, wine: str, cell: Cell) -> None:
    """One card from the hand into the open cellar, scored at once."""
    merchant = table.merchants[seat]
    merchant.part_with(wine)
    points, trios = cellar_to_lay_in(table, seat, merchant).lay(wine, cell)
    merchant.points += points
    written = [[list(place) for place in trio] for trio in trios]
    table.tell("laid", seat=seat, card=wine, cell=list(cell), points=points, trios=written)


def cellar_to_lay_in(table: Table, seat: int, merchant: Merchant) -> Cellar:
    if merchant.open_cellar is None:
        merchant.cellars.append(Cellar())
        table.tell("new_cellar", seat=seat)
    return merchant.cellars[-1]
