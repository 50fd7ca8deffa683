"""Every game there is."""

from __future__ import annotations

from games.base import Game
from games.die_weinhaendler import Weinhaendler
from games.edel_stein_reich import Duel, EdelSteinReich

GAMES: dict[str, Game] = {game.slug: game for game in (EdelSteinReich(), Duel(), Weinhaendler())}
