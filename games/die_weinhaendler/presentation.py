"""Presentation of Die Weinhändler: symbols and terms."""

from __future__ import annotations

from typing import Final

from games.die_weinhaendler.story import tell
from games.die_weinhaendler.story.words import BOTTLES, VARIETIES
from games.presentation import Presentation

DECISIONS: Final = {"bid": "bid", "lay": "laying of bottles"}
"""Names of the kinds of decisions."""

_MORE: Final = (
    *("bottle", "bottles", "empty bottle", "empty bottles", "variety", "value", "star", "stars", "display", "hand"),
    *("bids", "highest bid", "pass", "passed", "total", "exchange", "deck", "round", "rounds", "seat"),
    *("cellar", "cellars", "niche", "level", "base row", "trio", "trios", "points", "done", "full cellar"),
)

TERMS: Final[tuple[str, ...]] = (*VARIETIES.values(), *DECISIONS.values(), *_MORE)

PRESENTATION: Final = Presentation(
    "die_weinhaendler",
    tokens=BOTTLES,
    drawing="bottle",
    cover=("B9", "R13", "G21"),
    board="cellars",
    story=tell,
    terms=TERMS,
    beats={"bid": "barter", "exchange": "reveal"},
)
