"""Die Weinhändler: bid wine for wine, and build a cellar out of what comes back."""

from __future__ import annotations

from games.die_weinhaendler.game import WEINHAENDLER

__all__ = ["WEINHAENDLER"]
