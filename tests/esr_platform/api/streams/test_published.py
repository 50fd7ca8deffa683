"""The published events of a change are those that a stream would read."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import timedelta
from itertools import product
from math import inf
from random import Random
from time import sleep
from typing import Any

import orjson
import pytest
from asgiref.sync import sync_to_async
from django.utils import timezone

from esr_platform.api.streams import bot
from esr_platform.api.streams.bot import GameCursor, bot_events
from esr_platform.api.streams.seat import SeatCursor, SeatRequest, seat_events
from esr_platform.api.streams.stream import JSONLines
from games.rules import Document
from ladder.live.person_view import present
from ladder.live.publish import BotEvent, SeatEvent
from ladder.models import Attempt, LiveSeat, Match
from tests.esr_platform.api.streams.people import people, table_of_people
from tests.ladder.live.listener import Listener
from tests.ladder.live.people import say
from tests.ladder.live.play import bot_at, game_of, owing, pass_time, play_on, position

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def listener(broker: str) -> Iterator[Listener]:
    client = Listener(broker)
    yield client
    client.close()


class Followed:
    """A table and the place of a stream of each seat."""

    def __init__(self, match: Match, listener: Listener) -> None:
        self.match, self._listener = match, listener
        later = timezone.now() + timedelta(hours=1)  # no player goes offline on a slow machine
        LiveSeat.objects.filter(table=match.pk).update(seen_at=later)
        Attempt.objects.filter(match=match).update(heartbeat_at=later)
        self.known = {seat: SeatCursor() for seat in range(match.ladder.seats)}
        self.read()
        listener.heard()

    def read(self) -> dict[int, list[Document]]:
        """The new events of each seat, from the rows."""
        asks = [SeatRequest(seat, None, known) for seat, known in self.known.items()]
        news = seat_events(self.match.pk, asks)
        while (soon_s := min((new.again_s or inf for new in news), default=inf)) < 1:
            sleep(soon_s)  # writers are ahead of the database's clock by the time that their query took
            news = seat_events(self.match.pk, asks)
        self.known = {seat: new.known for seat, new in enumerate(news)}
        return {seat: [event for event, _ in new.events] for seat, new in enumerate(news)}

    def published(self) -> list[dict[str, Any]]:
        """The changes that were published with their events."""
        return [hint for hint in self._listener.heard() if "revision" in hint]


def without_time(event: Document) -> Document:
    """The event without the time that is left, which differs by milliseconds."""
    clock = event["present"]["clock"]
    timeless = clock and {name: value for name, value in clock.items() if name not in ("left_ms", "starts_in_ms")}
    return {**event, "present": {**event["present"], "clock": timeless}}


@pytest.mark.parametrize(
    ("game", "seats"),
    [("edel-stein-reich-duel", 2), ("edel-stein-reich", 3), ("edel-stein-reich", 5), ("die-weinhaendler", 4)],
)
def test_a_published_event_is_the_one_that_a_stream_would_read(listener: Listener, game: str, seats: int) -> None:
    followed, random, compared = Followed(table_of_people(game, people(seats)), listener), Random(seats), 0
    match = followed.match
    for _ in range(60):
        owing = [seat for seat in range(seats) if present(position(match), seat)["question"] is not None]
        if not owing:
            if position(match).table.over:
                break
            pass_time(match)
            followed.read()
            continue
        seat = random.choice(owing)
        before = dict(followed.known)
        moves = position(match).state().legal_moves(seat)
        say(match, seat, moves[random.randrange(min(len(moves), 64))])
        changes, events = followed.published(), followed.read()
        for change, other in product(changes, range(seats)):
            event, read = SeatEvent(**change["seats"][str(other)]), events[other]
            known, after = before[other], followed.known[other]
            if event.log_from != known.log:
                continue  # a move that was held back has been shown meanwhile, so a stream reads the rows
            assert event.log_to == after.log
            assert (change["revision"], event.present) == (after.revision, after.present)
            if event.ply is not None or event.present != known.present:
                assert list(map(without_time, read)) == [without_time(orjson.loads(event.event))]
                compared += 1
            else:
                assert read == []
    assert compared > 20


def remote_game(game: str, seats: int, listener: Listener) -> Match:
    match = game_of(game, seats)
    pass_time(match)
    listener.heard()
    return match


def without_clock(event: Document) -> Document:
    """The event without the clock, of which milliseconds pass."""
    return {**event, "message": {**event["message"], "clock": None}}


@pytest.mark.parametrize(("game", "seats"), [("edel-stein-reich-duel", 2), ("die-weinhaendler", 3)])
def test_a_published_decision_is_the_one_that_the_stream_of_a_bot_would_read(
    listener: Listener, game: str, seats: int
) -> None:
    match, random, compared = remote_game(game, seats, listener), Random(seats), 0
    cursors = {bot_at(match, seat): GameCursor() for seat in range(seats)}
    for _ in range(60):
        pass_time(match)
        read = dict(zip(cursors, bot_events(match.pk, list(cursors.items())), strict=True))
        changes = [hint for hint in listener.heard() if "revision" in hint]
        for pk, fields in (item for change in changes for item in change["decisions"].items()):
            published, news, known = BotEvent(**fields), read[int(pk)], cursors[int(pk)]
            event = news.events[-1]
            assert without_clock(orjson.loads(published.event)) == without_clock(event)
            assert (published.decision, published.log_from) == (known.decision + 1, known.entries)
            assert (published.decision, published.log_to) == (news.cursor.decision, news.cursor.entries)
            compared += 1
        cursors = {pk: news.cursor for pk, news in read.items()}
        if not owing(match):
            break
        play_on(match, lambda state, seat: state.random_move(seat, random), 1)
    assert compared > 20


def test_the_stream_of_a_bot_passes_published_decisions_on_and_reads_those_that_it_missed(
    listener: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    match, random, fetch, reads = remote_game("edel-stein-reich-duel", 2, listener), Random(2), bot.EVENTS.fetch, []

    async def counted(*ask: Any) -> Any:
        reads.append(ask)
        return await fetch(*ask)

    monkeypatch.setattr(bot.EVENTS, "fetch", counted)

    async def followed() -> list[Document]:
        source, framing = bot.BotSource(first, 0), JSONLines()
        data = (await source.look(framing)).data
        for number in range(30):
            await sync_to_async(play_on)(match, lambda state, seat: state.random_move(seat, random), 1)
            for hint in listener.heard():
                if source.claim.bot not in hint["bots"] or number % 5 == 0:
                    continue  # every fifth is lost
                before = len(reads)
                source.changed(hint) if "revision" in hint else source.touched(match.pk)
                data += (await source.look(framing)).data
                passed_on.append(len(reads) == before)
        source.touched(match.pk)
        data += (await source.look(framing)).data
        return [orjson.loads(line) for line in data.splitlines() if line]

    first, passed_on = bot_at(match, 0), list[bool]()
    events = asyncio.run(followed())
    assert set(passed_on) == {True, False}
    decides = [event for event in events if event["type"] == "decide"]
    assert decides == sorted(decides, key=lambda event: event["decision"])
    entries = [entry for event in decides for entry in event["message"]["log"]]
    assert entries == position(match).state(journal=True).entries(0)[: len(entries)], "nothing is lost or repeated"
    assert len(entries) > 30
