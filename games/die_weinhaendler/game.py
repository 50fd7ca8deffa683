"""The entry of Die Weinhändler in the registry."""

from __future__ import annotations

from typing import Final

from games.die_weinhaendler import figures, habits
from games.die_weinhaendler.encoding import WeinhaendlerEncoding
from games.die_weinhaendler.knowledge import WineKnowledge
from games.die_weinhaendler.schemas import shapes_of
from games.die_weinhaendler.state import WeinhaendlerState
from games.die_weinhaendler.story import tell
from games.die_weinhaendler.story.words import BOTTLES, VARIETIES
from games.game import Game
from games.presentation import Presentation
from games.rules import Rules
from games.statistics import Statistics

DECISIONS: Final = {"bid": "bid", "lay": "laying of bottles"}
"""Names of the kinds of decisions."""

_MORE: Final = (
    *("bottle", "bottles", "empty bottle", "empty bottles", "variety", "value", "star", "stars", "display", "hand"),
    *("bids", "highest bid", "pass", "passed", "total", "exchange", "deck", "round", "rounds", "seat"),
    *("cellar", "cellars", "niche", "level", "base row", "trio", "trios", "points", "done", "full cellar"),
)

TERMS: Final[tuple[str, ...]] = (*VARIETIES.values(), *DECISIONS.values(), *_MORE)

WEINHAENDLER: Final = Game(
    Rules(
        "die-weinhaendler",
        "Die Weinhändler",
        (3, 4, 5),
        WeinhaendlerState,
        veiled=("bid", "lay"),
    ),
    Presentation(
        "die_weinhaendler",
        tokens=BOTTLES,
        drawing="bottle",
        cover=("B9", "R13", "G21"),
        board="cellars",
        story=tell,
        terms=TERMS,
        beats={"bid": "barter", "exchange": "reveal"},
    ),
    Statistics(
        figures.STRETCHES,
        figures.COLUMNS,
        figures.figures_of,
        habit_columns=habits.COLUMNS,
        habits=habits.habits_of,
        turning_point=figures.turning_point,
    ),
    WeinhaendlerEncoding,
    shapes_of,
    WineKnowledge,
)
"""Die Weinhändler, for three to five seats."""
