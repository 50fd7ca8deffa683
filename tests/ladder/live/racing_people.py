"""Actions for races on tables with human players. ``tests.services.races`` runs them."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import orjson

from esr_platform.accounts.errors import Refused
from ladder.live import actions, outages
from ladder.live.answers import answer_seat
from ladder.live.hosted import ask_seat
from ladder.live.person_view import present
from ladder.live.presence import note_seen
from ladder.live.rows import position_at
from ladder.models import Match
from tests.ladder import races
from tests.ladder.live.hosted import Fakes, default
from tests.services.races import Act, Actions

RIGHTS = {"resign": actions.resign, "abort": actions.abort, "claim": actions.claim, "return": actions.return_to_seat}


def answering_seat(match: int, seat: int, decision: int, moves: list[Any]) -> Act:
    """Send one answer after the other to one decision of a person; what was said to each."""
    bodies = [orjson.dumps({"move": move}) for move in moves]
    return lambda: [str(answer_seat(match, seat, decision, body).verdict) for body in bodies]


def _used(right: str, match: int, seat: int) -> bool:
    try:
        RIGHTS[right](match, seat)
    except Refused:
        return False
    return True


def using(match: int, seat: int, right: str) -> Act:
    """Make use of a right; whether that was allowed."""

    return lambda: _used(right, match, seat)


def noting(match: int, seats: list[int], times: int) -> Act:
    return lambda: sum(note_seen({match: set(seats)}) for _ in range(times))


def beating(times: int) -> Act:
    """Say again and again that the site is there; how many tables were forgiven an outage by that."""
    return lambda: sum(outages.beat() for _ in range(times))


def playing_by_hand(match: int, seat: int, seed: int) -> Act:
    """Play a person's seat to the end, every answer twice, and go and come back; what came of it."""
    random = Random(seed)

    def act() -> dict[str, int]:
        verdicts: Counter[str] = Counter()
        while Match.objects.filter(pk=match, status="running", table__over=False).exists():
            position = position_at(match)
            assert position is not None
            now = present(position, seat)
            if now["rights"]["return"]:
                verdicts["return"] += _used("return", match, seat)
            if now["decision"] is not None:
                question = now["question"]
                body = orjson.dumps({"move": random.choice(question["legal"] or [question["default"]])})
                for _ in range(2):
                    verdicts[answer_seat(match, seat, now["decision"], body).verdict.value] += 1
        return dict(verdicts)

    return act


def asking_workers(match: int) -> Act:
    """Ask the bot at the second seat, as workers do, until the game is over; how often that counted."""

    def act() -> int:
        counted = 0
        while Match.objects.filter(pk=match, status="running", table__over=False).exists():
            counted += ask_seat(match, 1, launcher=Fakes(default))
        return counted

    return act


ACTIONS: Actions = {
    **races.ACTIONS,
    "asking_workers": asking_workers,
    "answering_seat": answering_seat,
    "using": using,
    "noting": noting,
    "beating": beating,
    "playing_by_hand": playing_by_hand,
}
