"""A choice that lies face down is read for on every road, as everybody but who has made it: it is on none.

Twice the same game is played up to a choice, which is made in two ways. Whatever anybody else is told afterwards, pages,
documents and events of streams, must be the same both times: to the last letter, but for what the clock does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from random import Random
from typing import Any

import orjson
import pytest
from django.db import transaction
from django.test import Client

from esr_platform.accounts.models import User
from esr_platform.api.live.person_news import Asked, Known, news_at
from esr_platform.api.live.public_news import Watched, head, public_news
from games.base import Move
from ladder.models import DealSeries, Match
from ladder.tables.answering import Verdict, answer_seat
from tests.esr_platform.api.live.people import people, table_of_people
from tests.esr_platform.roads import STREAMS, Road, filled, judged, read, routes
from tests.ladder.tables.playing import KEY, live_ladder, pass_time, position
from tests.ladder.uploaded import staff

pytestmark = [pytest.mark.slow, pytest.mark.django_db]

GAMES = [("edel-stein-reich", 3), ("edel-stein-reich-duel", 2), ("die-weinhaendler", 3)]
_CLOCK = re.compile(r'"left_ms": ?\d+|It is your turn: [^<.]*')
"""What time alone changes."""


@pytest.fixture(autouse=True)
def _unhurried(settings: Any) -> None:
    """Nobody is asked to slow down."""
    settings.REQUESTS_A_MINUTE = dict.fromkeys(settings.REQUESTS_A_MINUTE, 100_000)


@contextmanager
def undone() -> Iterator[None]:
    """What happens in here has not happened."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def begun(game: str, seats: int, *, rated: bool) -> tuple[Match, list[User]]:
    ladder = live_ladder(game, seats, "people")
    DealSeries.objects.filter(season__ladder=ladder).update(key=KEY)
    users = people(seats)
    return table_of_people(game, users, ladder=ladder, rated=rated), users


def play(match: Match, seat: int, move: Move) -> None:
    chair = position(match).chairs[seat]
    assert answer_seat(match.pk, seat, chair.asked, orjson.dumps({"move": move})).verdict is Verdict.PLAYED


def signed_in(user: User | None) -> Client:
    client = Client()
    if user is not None:
        client.force_login(user)
    return client


def told(match: Match, users: list[User], chooser: int, before: Mapping[int, Known]) -> dict[str, str]:
    """What the streams of all others say now, to who was there before and to who comes new, and the public stream."""
    found = {}
    for seat, user in enumerate(users):
        if seat != chooser:
            for name, known in (("new", Known()), ("before", before[seat])):
                (news,) = news_at(match.pk, [Asked(seat, user.pk, known)])
                found[f"the stream of seat {seat}, {name}"] = _CLOCK.sub("", orjson.dumps(news.events).decode())
    row = Match.objects.select_related("ladder", "block").get(pk=match.pk)
    found["the public stream"] = str([head(row), *public_news(match.pk, [Watched()])[0].events])
    return found


def shown(match: Match, readers: Mapping[str, Client], addresses: list[str]) -> dict[str, str]:
    """What comes back of all addresses, by reader and address."""
    found = {}
    for name, client in readers.items():
        for address in addresses:
            status, text = read(client, address)
            assert status < 500, (address, text)
            found[f"{name}: {address}"] = _CLOCK.sub("", f"{status} {text}")
    return found


def roads(match: Match) -> list[str]:
    """Every address that may have to do with the game, but for streams."""
    values = {
        **dict.fromkeys(("match", "match_id"), [match.pk]),
        "index": range(match.ladder.seats),
        "slug": [match.ladder.slug],
        "username": ["anna0", "anna1"],
        "bot": ["anna0"],
        "language": ["de"],
    }
    kinds = {Road.NAMES, Road.CUT, Road.ENDED, Road.SEAT}
    some = [route for route in routes() if judged().get(route) in kinds and route not in STREAMS]
    some += [route for route in routes() if route.startswith("play/") and "token" not in route]
    return sorted({address for route in some for address in filled(route, values)})


def choices(match: Match, random: Random, wanted: int) -> Iterator[tuple[int, list[Move]]]:
    """Plays on, and stops where a seat has a choice that the others will not see yet: the seat, and its moves."""
    found = 0
    while found < wanted:
        pass_time(match)
        state = position(match).state()
        if not state.pending:
            return
        seat = random.choice(state.pending)
        moves = list(state.legal_moves(seat)) if state.decision_kind not in ("offer",) else []
        if len(state.pending) > 1 and len(moves) > 1:
            found += 1
            yield seat, [moves[0], moves[-1]]
        play(match, seat, state.random_move(seat, random))


def differing(one: Mapping[str, str], other: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Where not the same is read, with what begins to differ."""
    found = {}
    for road, text in one.items():
        if text != other[road]:
            pairs = enumerate(zip(text, other[road], strict=False))
            at = next((at for at, (a, b) in pairs if a != b), min(len(text), len(other[road])))
            found[road] = (text[max(0, at - 80) : at + 80], other[road][max(0, at - 80) : at + 80])
    return found


@pytest.mark.parametrize(("game", "seats"), GAMES)
def test_no_stream_tells_which_choice_lies_face_down(game: str, seats: int) -> None:
    match, users = begun(game, seats, rated=True)
    looked = 0
    for seat, moves in choices(match, Random(7), 12):
        known = {other: news_at(match.pk, [Asked(other, None, Known())])[0].known for other in range(seats)}
        seen = []
        for move in moves:
            with undone():
                play(match, seat, move)
                seen.append(told(match, users, seat, known))
        assert differing(*seen) == {}
        looked += 1
    assert looked >= (0 if game == "die-weinhaendler" else 8)


@pytest.mark.parametrize(("game", "seats"), GAMES[:2])
def test_no_page_and_no_document_tells_which_choice_lies_face_down(game: str, seats: int) -> None:
    match, users = begun(game, seats, rated=False)
    (stranger,) = people(1, "sid")
    eve = staff("eve")
    addresses = roads(match)
    for seat, moves in choices(match, Random(8), 2):
        others = {f"seat {other}": signed_in(user) for other, user in enumerate(users) if other != seat}
        readers = {"nobody": Client(), "sid": signed_in(stranger), "staff": signed_in(eve), **others}
        seen = []
        for move in moves:
            with undone():
                play(match, seat, move)
                seen.append(shown(match, readers, addresses))
        assert differing(*seen) == {}
        assert any("/play/tables/" in road and text.startswith("200") for road, text in seen[0].items())
