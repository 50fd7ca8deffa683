"""Waiting for an event, but not for ever."""

from __future__ import annotations

import asyncio


async def rest(woken: asyncio.Event, most_s: float) -> None:
    """Until ``woken`` is set, or ``most_s`` seconds have passed."""
    try:
        async with asyncio.timeout(most_s):
            await woken.wait()
    except TimeoutError:
        return
