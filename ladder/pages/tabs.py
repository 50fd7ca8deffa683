"""Rows of links of which one is the page itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

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
    """A group a game, a link a number of seats; other ladders for so many are called by their names."""
    groups: dict[str, list[Tab]] = {}
    said: set[tuple[str, int]] = set()
    for ladder in ladders:
        table = (ladder.game, ladder.seats)
        text = ladder.name if table in said else seats(ladder.seats)
        said.add(table)
        groups.setdefault(ladder.game, []).append(Tab(text, ladder.name, address(ladder), current == ladder))
    return [Tabs(GAMES[game].name, tabs) for game, tabs in groups.items()]
