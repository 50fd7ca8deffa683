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


def change(revision: int, log_from: int, log_to: int, present: str) -> dict[str, object]:
    """A published change with an event for seat 0: moments if the log has grown, else the present state."""
    ply = None if log_to == log_from else log_to
    event = {"log_from": log_from, "log_to": log_to, "ply": ply, "present": present, "event": f'"{revision}"'}
    return {"match": 7, "revision": revision, "seats": {"0": event}}


@pytest.mark.parametrize(
    ("revisions", "sent", "looks"),
    [
        ([5, 6, 7], [b'"5"', b'"6"'], 0),  # the last one changes nothing for this seat
        ([4, 5], [b'"5"'], 0),  # an old one
        ([5, 7], [b'"5"'], 1),  # after a gap the table is read
        ([6], [], 1),
    ],
)
def test_a_stream_passes_on_changes_that_follow_each_other_and_else_reads_the_table(
    monkeypatch: pytest.MonkeyPatch, revisions: list[int], sent: list[bytes], looks: int
) -> None:
    news = Nothing()
    monkeypatch.setattr(seat, "EVENTS", news)
    known = SeatCursor(log=3, revision=4, present="old")
    changes = {4: change(4, 3, 3, "old"), 5: change(5, 3, 5, "new"), 6: change(6, 5, 5, "newer")}
    changes[7] = change(7, 5, 5, "newer")

    async def told() -> bytes:
        source = SeatSource(7, 0, Browser("key", None, "secret"), known)
        await source.look(EventStream())
        news.looks = 0
        for revision in revisions:
            assert source.changed(changes[revision])
        return (await source.look(EventStream())).data

    data = asyncio.run(told())
    assert [line.removeprefix(b"data: ") for line in data.splitlines() if line.startswith(b"data")] == sent
    assert news.looks == looks
