"""The facts about a match that a board needs besides the game itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.contrib.staticfiles import finders
from django.templatetags.static import static

from bots.models import Bot
from games.game import Game
from ladder.models import Seat
from ladder.pages.components.people import player_address

PLAIN: Final = "plain"


@dataclass(frozen=True)
class Board:
    """The script module and style sheet of a game's board, or of the plain board if it has none."""

    game: Game

    @property
    def name(self) -> str:
        name = self.game.presentation.board
        return name if name and finders.find(f"esr/boards/{name}.js") else PLAIN

    @property
    def script(self) -> str:
        """The name of the module; empty for the plain board, which every replay includes."""
        return "" if self.name == PLAIN else f"esr/boards/{self.name}.js"

    @property
    def module(self) -> str:
        """The URL of the module, or empty."""
        return static(self.script) if self.script else ""

    @property
    def whole(self) -> bool:
        """Whether the board has the whole width, without a panel."""
        return self.name == PLAIN or not self.game.presentation.board_has_panel

    @property
    def sheet(self) -> str:
        """The URL of the style sheet."""
        return static(f"esr/boards/{self.name}.css")


def table(game: Game, seats: Sequence[Seat], names: Sequence[str]) -> dict[str, Any]:
    """Return the argument of a board's ``mount`` (``docs/internals/boards.md``). Unrated matches have no ratings."""
    return {
        "game": game.slug,
        "seats": len(seats),
        "names": list(names),
        "tokens": dict(game.presentation.tokens),
        "labels": [_label(seat, name) for seat, name in zip(seats, names, strict=True)],
        "drawings": {
            "sprite": static("esr/sprite.svg"),
            "tokens": static(f"esr/drawings/{game.presentation.drawing}.svg") if game.presentation.drawing else "",
        },
    }


def _label(seat: Seat, name: str) -> dict[str, Any]:
    result = getattr(seat, "result", None)
    before = result.rating_before if result else None
    return {
        "name": name,
        "version": None if seat.version.bot.kind == Bot.Kind.PERSON else seat.version.number,
        "rating": None if before is None else round(before / 1000),
        "href": player_address(seat.version.bot),
    }
