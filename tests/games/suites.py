"""What each game brings to the suites that all games share: tempers, legal moves, soundness, rank keys."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from hypothesis import strategies as st

from games.rules import Document, Move, State
from tests.games.comparison import Temper
from tests.games.die_weinhaendler import rebuild as wine_moves
from tests.games.die_weinhaendler import soundness as wine_soundness
from tests.games.die_weinhaendler import tempers as wine_tempers
from tests.games.edel_stein_reich import rebuild as gem_moves
from tests.games.edel_stein_reich import soundness as gem_soundness
from tests.games.edel_stein_reich import tempers as gem_tempers


@dataclass(frozen=True)
class Suite:
    """``moves`` lists the legal moves of a decision from its bounds alone, ``garbage`` draws values like moves.

    ``unordered`` is the key of a move whose list may be in any order. ``faults`` says what is wrong with a table.
    ``rank_key`` orders the scores of a finished game.
    """

    tempers: Mapping[str, Temper]
    moves: Callable[[Document], list[Move]]
    garbage: st.SearchStrategy[Any]
    unordered: str
    faults: Callable[[Any], Iterable[str]]
    rank_key: Callable[[Mapping[str, Any]], Any]


GEMS: Final = Suite(
    gem_tempers.TEMPERS,
    gem_moves.moves,
    gem_moves.GARBAGE,
    "take",
    gem_soundness.faults,
    lambda score: (score["money"], sum(score["gems"]), *score["gems"]),
)
WINE: Final = Suite(
    wine_tempers.TEMPERS,
    wine_moves.moves,
    wine_moves.GARBAGE,
    "cards",
    wine_soundness.faults,
    lambda score: score["points"],
)
SUITES: Final = {"edel-stein-reich": GEMS, "edel-stein-reich-duel": GEMS, "die-weinhaendler": WINE}


def sound(state: State) -> bool:
    """Return whether the table is sound. pytest shows the differences."""
    faults = list(SUITES[state.rules.slug].faults(state))
    assert faults == []
    return not faults
