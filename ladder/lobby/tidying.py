"""Ends what nobody waits for any more: offers, searches, the games of guests who have left. The beat's task."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Final

from ladder.apart import apart
from ladder.lobby import guests, quick, seeking

logger = logging.getLogger(__name__)

_STEPS: Final[tuple[Callable[[], int], ...]] = (seeking.expire, quick.forget, guests.close_idle)


def tidy() -> int:
    """Do all of it; of how many things. A step that fails holds up no other one. Safe to run twice at once."""
    return sum(apart(step, 0, logger, "the lobby was not tidied: %s", step.__name__) for step in _STEPS)
