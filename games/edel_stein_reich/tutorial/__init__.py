"""The first phase of Edel, Stein & Reich, played with a newcomer."""

from __future__ import annotations

from games.edel_stein_reich.tutorial.tutorial import FirstPhase

__all__ = ["FirstPhase"]
