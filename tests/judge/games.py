"""The games that the judge knows."""

from __future__ import annotations

from .die_weinhaendler import DIE_WEINHAENDLER
from .edel_stein_reich import DUEL, EDEL_STEIN_REICH

GAMES = {"edel-stein-reich": EDEL_STEIN_REICH, "edel-stein-reich-duel": DUEL, "die-weinhaendler": DIE_WEINHAENDLER}
