"""Edel, Stein & Reich with three to five players, and its alternating version for two."""

from __future__ import annotations

from games.edel_stein_reich.game import DUEL, EDEL_STEIN_REICH

__all__ = ["DUEL", "EDEL_STEIN_REICH"]
