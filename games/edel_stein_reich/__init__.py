"""Edel, Stein & Reich, with three to five players and in its alternating variant for two."""

from __future__ import annotations

from games.edel_stein_reich.game import Duel, EdelSteinReich

__all__ = ["Duel", "EdelSteinReich"]
