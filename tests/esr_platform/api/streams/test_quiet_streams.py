"""A stream of a seat at whose table something happens that its seat is not to know of: not even that it did."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest

from esr_platform.accounts.sessions import Browser
from esr_platform.api.streams import seat
from esr_platform.api.streams.hub import Watch
from esr_platform.api.streams.seat import Asked, Known, SeatNews, SeatStream
from esr_platform.api.streams.view import EventStream


class Nothing:
    """Where there is nothing new, however often somebody looks."""

    def __init__(self) -> None:
        self.looks = 0

    async def look(self, _match: int, asked: Asked) -> SeatNews:
        self.looks += 1
        return SeatNews(asked.known)


def test_a_touch_is_not_told_by_the_number_of_those_who_watch(monkeypatch: pytest.MonkeyPatch) -> None:
    news = Nothing()
    monkeypatch.setattr(seat, "NEWS", news)

    async def told() -> bool:
        stream = SeatStream(7, 0, Browser("key", None, "secret"), EventStream(), Known(log=3))
        piece = asyncio.ensure_future(anext(stream._told(Watch(stream._touch, match=7, seat=0))))
        for looks in (1, 2):
            while news.looks < looks:
                await asyncio.sleep(0)
            stream._count(5)
            stream._touch(None)
        for _ in range(20):
            await asyncio.sleep(0)
        found = piece.done()
        piece.cancel()
        with suppress(asyncio.CancelledError):
            await piece
        return found

    assert not asyncio.run(told())
    assert news.looks > 1
