"""A finished game as one document from which every one of its moments can be drawn; ``docs/replays.md``."""

from __future__ import annotations

from games.replays.documents import FORMAT, replay_document

__all__ = ["FORMAT", "replay_document"]
