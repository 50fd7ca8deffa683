"""Rows of links of which one is the page itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext

from games.registry import GAMES
from ladder.models import Ladder
from ladder.pages.words import players_word, seats


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
    """Who plays, then of the ladders for the players of ``current`` a group a game, a link a number of seats.

    Without ``current`` the players are those of the first. Other ladders for so many are called by their names.
    """
    shown = list(ladders)
    players = next((one.players for one in (*([current] if current else ()), *shown)), "")
    groups: dict[str, list[Tab]] = {}
    said: set[tuple[str, int]] = set()
    for ladder in shown:
        if ladder.players == players:
            table = (ladder.game, ladder.seats)
            text = ladder.name if table in said else seats(ladder.seats)
            said.add(table)
            groups.setdefault(ladder.game, []).append(Tab(text, ladder.name, address(ladder), current == ladder))
    return [*_by_players(shown, current, address), *(Tabs(GAMES[game].name, tabs) for game, tabs in groups.items())]


def _by_players(shown: Sequence[Ladder], current: Ladder | None, address: Callable[[Ladder], str]) -> Iterator[Tabs]:
    """The same table for other players, or their first one; nothing where all ladders are for the same."""
    table = (current.game, current.seats) if current else None
    its: dict[str, Ladder] = {}
    for ladder in sorted(shown, key=lambda one: (one != current, (one.game, one.seats) != table)):
        its.setdefault(ladder.players, ladder)
    if len(its) > 1:
        kinds = [kind for kind in Ladder.Players.values if kind in its]
        words = {kind: players_word(kind) for kind in kinds}
        yield Tabs(
            gettext("players"),
            [Tab(words[kind], words[kind], address(its[kind]), current == its[kind]) for kind in kinds],
        )
