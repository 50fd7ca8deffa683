"""What a game told of its seats, as it is kept with the result: a short JSON document that the record gives again."""

from __future__ import annotations

from dataclasses import astuple
from typing import Any

from games.base import Document, Exchange, Figures, State
from games.record import replay
from ladder.models import Result
from ladder.packing import unpack


def figures_document(state: State) -> Document:
    """The document of a finished game: ``{"seats": [figures by seat], "exchanges": [[buyer, seller, price, good]]}``.

    It is made from the state that re-executing the record has given, so nothing in it is a worker's claim.
    """
    exchanges = [list(astuple(exchange)) for exchange in state.game.exchanges(state)]
    return {"seats": state.game.figures(state), "exchanges": exchanges}


def figures_of(result: Result) -> Document:
    """The document of a result: the kept one, or, of results older than it, made from the record."""
    kept: Any = result.figures
    return kept or figures_document(replay(unpack(bytes(result.packed_record))))


def seats_in(document: Document) -> list[Figures]:
    """The figures by seat."""
    seats: list[Figures] = document["seats"]
    return seats


def exchanges_in(document: Document) -> list[Exchange]:
    """The exchanges, in order."""
    return [Exchange(*exchange) for exchange in document["exchanges"]]
