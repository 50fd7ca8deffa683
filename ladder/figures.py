"""What a game told of its seats, as it is kept with the result: a short JSON document that the record gives again."""

from __future__ import annotations

from dataclasses import astuple
from typing import Any

from games.base import Document, Exchange, Figures, Habits, State
from games.record import replay
from ladder.models import Result
from ladder.packing import unpack


def figures_document(state: State) -> Document:
    """``{"seats": [figures by seat], "exchanges": [[buyer, seller, price, good]], "habits": [habits by seat]}``.

    It is made from the state that re-executing the record has given, so nothing in it is a worker's claim.
    """
    exchanges = [list(astuple(exchange)) for exchange in state.game.exchanges(state)]
    return {"seats": state.game.figures(state), "exchanges": exchanges, "habits": state.game.habits(state)}


def figures_of(result: Result, *, habits: bool) -> Document:
    """The document of a result: the kept one, or made from the record of results older than what is asked for.

    Results from before there were habits kept none: what they kept is read as it is unless ``habits`` are asked for.
    """
    kept: Any = result.figures
    if kept and ("habits" in kept or not habits):
        return dict(kept)
    return figures_document(replay(unpack(bytes(result.packed_record))))


def seats_in(document: Document) -> list[Figures]:
    """The figures by seat."""
    seats: list[Figures] = document["seats"]
    return seats


def habits_in(document: Document) -> list[Habits]:
    """The habits by seat; none in a document that was not asked for them."""
    seats: list[Habits] = document.get("habits", [])
    return seats


def exchanges_in(document: Document) -> list[Exchange]:
    """The exchanges, in order."""
    return [Exchange(*exchange) for exchange in document["exchanges"]]
