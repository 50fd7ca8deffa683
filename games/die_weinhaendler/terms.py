"""The words that pages and boards say of Die Weinhändler beside the bottles; they are looked up in English."""

from __future__ import annotations

from typing import Final

from games.die_weinhaendler.story.words import VARIETIES

DECISIONS: Final = {"bid": "bid", "lay": "laying of bottles"}
"""What each kind of decision is called."""

_MORE: Final = (
    *("bottle", "bottles", "empty bottle", "empty bottles", "variety", "value", "star", "stars", "display", "hand"),
    *("bids", "highest bid", "pass", "passed", "total", "exchange", "deck", "round", "rounds", "seat"),
    *("cellar", "cellars", "niche", "level", "base row", "trio", "trios", "points", "done", "full cellar"),
)

TERMS: Final = (*VARIETIES.values(), *DECISIONS.values(), *_MORE)
