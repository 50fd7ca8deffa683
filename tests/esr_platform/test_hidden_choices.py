"""No endpoint shows a hidden choice to anyone but the player who made it.

Twice the same game is played up to a choice, which is made in two ways. Whatever anybody else is told afterwards must
be the same both times, pages, documents and events of streams: to the last letter, but for what the clock does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from random import Random
from typing import Any

import orjson
import pytest
from django.db import transaction
from django.db.models import F
from django.test import Client
from django.utils import timezone

from esr_platform.accounts.models import User
from esr_platform.api.streams.match import SpectatorCursor, head, spectator_events
from esr_platform.api.streams.seat import SeatCursor, SeatRequest, seat_events
from games.rules import Move
from ladder.live.answers import AnswerVerdict, answer_seat
from ladder.models import Attempt, DealSeries, LiveSeat, Match
from tests.build import signed_in, staff
from tests.esr_platform.api.streams.people import people, table_of_people
from tests.esr_platform.endpoints import STREAMS, Exposure, filled, judged, read, routes
from tests.ladder.live.play import KEY, live_ladder, pass_time, position

pytestmark = [pytest.mark.slow, pytest.mark.django_db]

GAME, SEATS = "edel-stein-reich", 3
"""In the others nobody chooses at once with somebody else."""

_CLOCK = re.compile(r'"(?:left|starts_in)_ms": ?\d+|Your turn: [^<.]*|data-csrf="[^"]*"')
"""What time alone changes, and what is drawn for every page."""


@pytest.fixture(autouse=True)
def _unhurried(settings: Any) -> None:
    """Nobody is asked to slow down."""
    settings.REQUESTS_PER_MINUTE = dict.fromkeys(settings.REQUESTS_PER_MINUTE, 100_000)


@contextmanager
def undone() -> Iterator[None]:
    """What happens in here has not happened."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def begun(*, rated: bool) -> tuple[Match, list[User]]:
    """A game of people, always of the same deal, who are here however long all is read."""
    ladder = live_ladder(GAME, SEATS, "people")
    DealSeries.objects.filter(season__ladder=ladder).update(key=KEY)
    users = people(SEATS)
    match = table_of_people(GAME, users, ladder=ladder, rated=rated)
    later = timezone.now() + timedelta(hours=1)
    LiveSeat.objects.filter(table=match.pk).update(seen_at=later)
    Attempt.objects.filter(match=match).update(heartbeat_at=later)
    return match, users


def play(match: Match, seat: int, move: Move) -> None:
    live_seat = position(match).live_seats[seat]
    assert answer_seat(match.pk, seat, live_seat.asked, orjson.dumps({"move": move})).verdict is AnswerVerdict.PLAYED


def told(match: Match, users: list[User], chooser: int, before: Mapping[int, SeatCursor]) -> dict[str, str]:
    """What the streams of all others say now, to who was there before and to who comes new, and the public stream."""
    texts = {}
    for seat, user in enumerate(users):
        if seat != chooser:
            for name, known in (("new", SeatCursor()), ("before", before[seat])):
                (news,) = seat_events(match.pk, [SeatRequest(seat, user.pk, known)])
                texts[f"the stream of seat {seat}, {name}"] = _CLOCK.sub("", orjson.dumps(news.events).decode())
    row = Match.objects.select_related("ladder", "block").get(pk=match.pk)
    texts["the public stream"] = str([head(row), *spectator_events(match.pk, [SpectatorCursor()])[0].events])
    return texts


def shown(match: Match, readers: Mapping[str, Client], addresses: list[str]) -> dict[str, str]:
    """What comes back of all addresses, by reader and address."""
    texts = {}
    for name, client in readers.items():
        for address in addresses:
            status, text = read(client, address)
            assert status < 500, (address, text)
            texts[f"{name}: {address}"] = _CLOCK.sub("", f"{status} {text}")
    return texts


def endpoints(match: Match) -> list[str]:
    """Every address that may have to do with the game, but for streams."""
    values = {
        "match": [match.pk],
        "match_id": [match.pk],
        "index": range(match.ladder.seats),
        "slug": [match.ladder.slug],
        "username": ["anna0", "anna1"],
        "bot": ["anna0"],
        "language": ["de"],
    }
    kinds = {Exposure.NAMES, Exposure.CUT, Exposure.ENDED, Exposure.SEAT}
    chosen_routes = [route for route in routes() if judged().get(route) in kinds and route not in STREAMS]
    chosen_routes += [route for route in routes() if route.startswith("play/") and "token" not in route]
    return sorted({address for route in chosen_routes for address in filled(route, values)})


def choices(match: Match, random: Random, wanted: int) -> Iterator[tuple[int, list[Move]]]:
    """Plays on, and stops where a seat has a choice that the others will not see yet: the seat, and its moves."""
    count = 0
    while count < wanted:
        pass_time(match)
        LiveSeat.objects.filter(table=match.pk, owes=True).update(due_at=F("due_at") - timedelta(seconds=1))
        state = position(match).state()
        if not state.pending:
            return
        seat = random.choice(state.pending)
        if len(state.pending) > 1:
            count += 1
            moves = state.legal_moves(seat)
            yield seat, [moves[0], moves[-1]]
        play(match, seat, state.random_move(seat, random))


def differing(one: Mapping[str, str], other: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Where not the same is read, with what begins to differ."""
    parts = {}
    for address, text in one.items():
        if text != other[address]:
            pairs = enumerate(zip(text, other[address], strict=False))
            at = next((at for at, (a, b) in pairs if a != b), min(len(text), len(other[address])))
            parts[address] = (text[max(0, at - 80) : at + 80], other[address][max(0, at - 80) : at + 80])
    return parts


def test_no_stream_tells_which_choice_lies_face_down() -> None:
    match, users = begun(rated=True)
    looked = 0
    for seat, moves in choices(match, Random(7), 12):
        known = {
            other: seat_events(match.pk, [SeatRequest(other, None, SeatCursor())])[0].known for other in range(SEATS)
        }
        seen = []
        for move in moves:
            with undone():
                play(match, seat, move)
                seen.append(told(match, users, seat, known))
        assert differing(*seen) == {}
        looked += 1
    assert looked == 12


def test_no_page_and_no_document_tells_which_choice_lies_face_down() -> None:
    match, users = begun(rated=False)
    (stranger,) = people(1, "sid")
    addresses = [address for address in endpoints(match) if address != "/metrics"]  # it has times and memory
    for seat, moves in choices(match, Random(8), 1):
        readers = {
            "nobody": Client(),
            "sid": signed_in(stranger),
            "staff": signed_in(staff("eve")),
            "another seat": signed_in(users[seat - 1]),
        }
        seen = []
        for move in moves:
            with undone():
                play(match, seat, move)
                seen.append(shown(match, readers, addresses))
        assert differing(*seen) == {}
        assert seen[0][f"another seat: /play/tables/{match.pk}/"].startswith("200")
