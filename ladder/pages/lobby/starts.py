"""The games that somebody can begin at once against house bots, without an account."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext, ngettext

from games.base import Game
from games.registry import GAMES
from ladder.models import Ladder
from ladder.pages.words import number

PREFERRED: Final = 4
"""Seats of a first table where a game can be played by so many: it has room for alliances and is over in time."""

_SYMBOLS: Final = 4


@dataclass(frozen=True)
class Start:
    """A game, some of its drawings, and the open ladder whose table somebody would sit down at; empty for none."""

    game: Game
    slug: str
    seats: int
    symbols: Sequence[tuple[str, str]]

    @property
    def sheet(self) -> str:
        return f"drawings/{self.game.drawing}"

    @property
    def against(self) -> str:
        """``against three bots``."""
        others = self.seats - 1
        if others == 1:
            return gettext("against one bot")
        return ngettext("against %(number)s bot", "against %(number)s bots", others) % {"number": number(others)}


def starts(ladders: Iterable[Ladder]) -> list[Start]:
    """A start for each game that one of the open ladders among ``ladders`` is for, in the order of games."""
    by_game: dict[str, Ladder] = {}
    for ladder in ladders:
        if ladder.players == Ladder.Players.OPEN and ladder.open and not ladder.by_invitation:
            known = by_game.get(ladder.game)
            if known is None or abs(ladder.seats - PREFERRED) < abs(known.seats - PREFERRED):
                by_game[ladder.game] = ladder
    found = [(game, by_game[slug]) for slug, game in GAMES.items() if slug in by_game]
    return [Start(game, ladder.slug, ladder.seats, symbols(game)) for game, ladder in found]


def symbols(game: Game) -> list[tuple[str, str]]:
    """A few of the game's tokens, spread over all of them, with their words."""
    if not game.drawing:
        return []
    tokens = list(game.tokens.items())
    return tokens[:: max(1, len(tokens) // _SYMBOLS)][:_SYMBOLS]
