"""Rows of links of which one is the page itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from games.registry import GAMES
from ladder.models import Ladder
from ladder.pages.words import seats


@dataclass(frozen=True)
class Tab:
    """One link; ``label`` is what it says where ``text`` alone would be too short."""

    text: str
    label: str
    address: str
    current: bool


@dataclass(frozen=True)
class Tabs:
    """Links that belong together, with what they have in common in front."""

    caption: str
    tabs: Sequence[Tab]


def ladder_tabs(ladders: Iterable[Ladder], current: Ladder | None, address: Callable[[Ladder], str]) -> list[Tabs]:
    """A group a game, a link a number of seats."""

    def tab(ladder: Ladder) -> Tab:
        return Tab(seats(ladder.seats), ladder.name, address(ladder), current == ladder)

    by_game = groupby(ladders, key=lambda ladder: ladder.game)
    return [Tabs(GAMES[game].name, [tab(ladder) for ladder in group]) for game, group in by_game]
