"""All games, by slug."""

from __future__ import annotations

from games.die_weinhaendler import WEINHAENDLER
from games.edel_stein_reich import DUEL, EDEL_STEIN_REICH
from games.game import Game

GAMES: dict[str, Game] = {game.slug: game for game in (EDEL_STEIN_REICH, DUEL, WEINHAENDLER)}
