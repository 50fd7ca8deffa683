"""A seat's stream whose table changes in a way that the seat must not learn of: not even that it did."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest

from esr_platform.accounts.sessions import Browser
from esr_platform.api.streams import seat
from esr_platform.api.streams.seat import SeatCursor, SeatEvents, SeatRequest, SeatSource
from esr_platform.api.streams.stream import EventStream, OpenStream


class Nothing:
    """A coalescer that never finds anything new."""

    def __init__(self) -> None:
        self.looks = 0

    async def fetch(self, _match: int, request: SeatRequest) -> SeatEvents:
        self.looks += 1
        return SeatEvents(request.known)


def test_a_touch_is_not_told_by_the_number_of_those_who_watch(monkeypatch: pytest.MonkeyPatch) -> None:
    news = Nothing()
    monkeypatch.setattr(seat, "EVENTS", news)

    async def told() -> bool:
        source = SeatSource(7, 0, Browser("key", None, "secret"), SeatCursor(log=3))
        stream = OpenStream(source, EventStream())
        pieces = stream.pieces("user-1")
        assert await anext(pieces) == EventStream.hello
        piece = asyncio.ensure_future(anext(pieces))
        for looks in (1, 2):
            while news.looks < looks:
                await asyncio.sleep(0)
            source.count(5)
            stream.subscription.touch(None)
        for _ in range(20):
            await asyncio.sleep(0)
        done = piece.done()
        piece.cancel()
        with suppress(asyncio.CancelledError):
            await piece
        return done

    assert not asyncio.run(told())
    assert news.looks > 1
