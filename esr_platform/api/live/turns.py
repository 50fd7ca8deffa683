"""One after the other: what one browser sends is judged in turn, however many windows send at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Final

from esr_platform.api.problems import Refusal

MOST_WAITING: Final = 3
"""So many more of one browser may wait for their turn: a window each, for whoever plays at several tables."""


class Turns:
    """Whose turn it is, by who sends."""

    def __init__(self) -> None:
        self._locks: dict[str, asyncio.Lock] = {}
        self._here: dict[str, int] = {}

    @asynccontextmanager
    async def of(self, who: str) -> AsyncIterator[None]:
        """Wait for the turn of ``who``. Raises ``Refusal`` (429) where too many of theirs wait already."""
        here = self._here.get(who, 0)
        if here > MOST_WAITING:
            sentence = "What you have sent before is still being looked at. Send it again in a moment."
            raise Refusal(HTTPStatus.TOO_MANY_REQUESTS, "in_turn", sentence, 1)
        self._here[who] = here + 1
        lock = self._locks.setdefault(who, asyncio.Lock())
        try:
            async with lock:
                yield
        finally:
            self._here[who] -= 1
            if not self._here[who]:
                del self._here[who], self._locks[who]
