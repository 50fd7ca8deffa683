"""Die Weinhändler: bid wine for wine, and lay the bottles in a cellar."""

from __future__ import annotations

from games.die_weinhaendler.game import WEINHAENDLER

__all__ = ["WEINHAENDLER"]
