"""People of a demo site meet at tables and play, rated and through the same door as everybody: what house bots would.

Each function does only what has not been done, and says whether it is done now.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from functools import cache
from hashlib import sha256
from time import monotonic
from typing import Final

import orjson
from django.db.models.functions import Now

from bots.house.catalogue import HOUSE
from bots.house.inside import Maker, load
from esr_platform.accounts.errors import Refused
from esr_platform.demonstrating.cast import Meeting
from esr_platform.demonstrating.people import person
from games.base import Document, Move
from ladder.live.answers import answer_seat
from ladder.live.position import Position
from ladder.live.rows import position_of
from ladder.matchmaking.seeks import seek, take_seat
from ladder.models import Chair, Ladder, Match, Seek

_BURST_S: Final = 0.4
"""So long the table is played in one call: others of the programme wait for it."""

_STAYS: Final = timedelta(days=1)
"""So long seats stay on offer whose people have no browser that would say that they are there."""


def meet(meeting: Meeting) -> bool:
    """Have the people of ``meeting`` play its games, a moment of it at a time; whether all have been played."""
    ladder = Ladder.objects.filter(slug=meeting.ladder).first()
    if ladder is None:
        return True
    running, played = None, 0
    for match in _matches(ladder, meeting):
        over = match.status != Match.Status.RUNNING or match.table.over
        running, played = (running, played + 1) if over else (match, played)
    if running is None and played < meeting.games:
        running = _begin(ladder, meeting)
    if running is not None:
        _play_on(running, meeting)
        return False
    return played >= meeting.games


def offer(meeting: Meeting) -> bool:
    """Have these people sit at a casual table that waits for others for a day."""
    ladder, people = Ladder.objects.filter(slug=meeting.ladder).first(), [person(name) for name in meeting.people]
    if ladder is None:
        return True
    try:
        made = seek(people[0], ladder, clock="calm")
        for one in people[1:]:
            made = take_seat(made, one)
    except Refused:
        return False
    Seek.objects.filter(pk=made.pk, state=Seek.State.OPEN).update(expires=Now() + _STAYS)
    return True


def _matches(ladder: Ladder, meeting: Meeting) -> list[Match]:
    matches = Match.objects.filter(ladder=ladder)
    for name in meeting.people:
        matches = matches.filter(seats__version__bot__owner__username=name, seats__version__bot__kind="person")
    return list(matches.select_related("table", "ladder", "block").order_by("pk").distinct())


def _begin(ladder: Ladder, meeting: Meeting) -> Match | None:
    """They meet by a link; ``None`` where one of them cannot sit down at this moment."""
    people = [person(name) for name in meeting.people]
    try:
        offered = seek(people[0], ladder, rated=True, kind=Seek.Kind.LINK)
        for one in people[1:]:
            offered = take_seat(offered.token, one)
    except Refused:
        return None
    if offered.match_id is None:
        return None
    return Match.objects.select_related("table", "ladder", "block").get(pk=offered.match_id)


def _play_on(match: Match, meeting: Meeting) -> None:
    """Answer what the people are asked, until nobody is asked anything now or it has taken long enough."""
    until, answered = monotonic() + _BURST_S, True
    while answered and monotonic() < until:
        match.refresh_from_db()
        position, answered = position_of(match), False
        for seat, chair in _asked(position):
            name = chair.seat.version.bot.name
            move = _choice(position, seat, meeting.plays_like(name))
            answer_seat(match.pk, seat, chair.asked, orjson.dumps({"move": move}), monotonic())
            answered = True


def _asked(position: Position) -> Iterator[tuple[int, Chair]]:
    """The chairs of people who have been told a question and owe the answer."""
    if position.match.status == Match.Status.RUNNING:
        for seat, chair in enumerate(position.chairs):
            told = chair.due_at is not None and chair.due_at <= position.now
            if chair.kind == Chair.Kind.PERSON and chair.owes and told:
                yield seat, chair


def _choice(position: Position, seat: int, house: str) -> Move:
    """What this bot of the house would play there, by what the seat has been shown."""
    state, ladder = position.shown_to(seat), position.match.ladder
    hello: Document = {"type": "hello", "protocol": 1, "game": ladder.game, "seats": ladder.seats, "seat": seat}
    seed = sha256(f"{position.match.pk}/{seat}/{position.chairs[seat].asked}".encode()).hexdigest()
    bot = _loaded(house)({**hello, "rules": state.record["rules"], "seed": seed}, list(HOUSE[house].args))
    return bot.choose(state.decision(seat), state.view(seat), state.entries(seat))


@cache
def _loaded(house: str) -> Maker:
    return load(HOUSE[house])
