"""Edel, Stein & Reich, with three to five players and in its alternating variant for two."""

from __future__ import annotations

from games.edel_stein_reich.game import DUEL, EDEL_STEIN_REICH

__all__ = ["DUEL", "EDEL_STEIN_REICH"]
