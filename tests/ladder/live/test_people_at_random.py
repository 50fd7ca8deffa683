"""People who answer, vanish, come back, resign, agree and claim as chance has it: every game ends, and adds up."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Final

import pytest
from django.db import transaction

from bots.models import BotVersion
from esr_platform.accounts.errors import Refused
from ladder.live import actions, outages
from ladder.live.rights import rights_of
from ladder.models import LiveSeat, Match, PlayedMove, Result, SeatResult
from tests.ladder.live.people import (
    again,
    answer_any,
    ask_workers,
    beat_ago,
    check_ended,
    check_occupants,
    house,
    live_seat_at,
    miss,
    owing,
    people,
    seen,
    table_for,
    written,
)
from tests.ladder.live.play import position

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("house")]

MANY: Final = 4000

ACTS: Final = {
    "resign": actions.resign,
    "abort": actions.abort,
    "claim": actions.claim,
    "return": actions.return_to_seat,
}

KINDS: Final = [
    ("edel-stein-reich-duel", 2, 0),
    ("edel-stein-reich-duel", 1, 1),
    ("edel-stein-reich", 3, 0),
    ("edel-stein-reich", 2, 2),
    ("die-weinhaendler", 3, 0),
    ("die-weinhaendler", 1, 2),
]
"""A game, how many people and how many bots of the house play it."""


class Evening:
    """One game that chance plays; ``calm`` is how rarely anybody does anything but answer."""

    def __init__(self, match: Match, seed: int, calm: float) -> None:
        self.match, self.random, self.calm = match, Random(seed), calm
        self.done: Counter[str] = Counter()

    def go_on(self) -> bool:
        """One thing happens; ``False`` once the game is over."""
        ask_workers(self.match)
        if again(self.match).status != "running" or position(self.match).table.over:
            return False
        if self.random.random() > self.calm:
            beat_ago(self.match, 0)
            self.misbehave()
        elif waiting := owing(self.match):
            assert answer_any(self.match, self.random.choice(waiting), self.random.randrange(64)).verdict == "played"
            self.done["answer"] += 1
        else:
            raise AssertionError("somebody is asked as long as a game runs")
        return True

    def misbehave(self) -> None:
        seat = self.random.choice(position(self.match).people)
        what = self.random.choice(["vanish", "appear", "miss", "outage", *ACTS])
        if what == "vanish":
            seen(self.match, seat, self.random.choice([31, 61]))
        elif what == "appear":
            seen(self.match, seat)
        elif what == "miss" and seat in owing(self.match):
            miss(self.match, seat)
            self.done["miss"] += 1
        elif what == "outage":
            beat_ago(self.match, 40)
            if self.random.random() < 0.5:
                outages.beat()
        elif what in ACTS:
            self.act(what, seat)

    def act(self, what: str, seat: int) -> None:
        """What may be done can be done, and nothing else; what was done already changes nothing."""
        may = rights_of(position(self.match), seat)
        allowed = may["abort"]["allowed"] or may["abort"]["agree"] if what == "abort" else may[what]
        if what in ("resign", "abort") and self.random.random() > 0.3:
            return
        before = written(self.match)
        try:
            with transaction.atomic():
                ACTS[what](self.match.pk, seat)
        except Refused:
            assert not allowed, what
        else:
            assert allowed or written(self.match) == before, what
            self.done[what] += allowed


def seated(game: str, persons: int, bots: int) -> list[BotVersion]:
    names = ["sommelier", "vintner"] if game == "die-weinhaendler" else ["greedy", "random"]
    return [*people(persons), *house(*names[:bots])]


@pytest.mark.slow
@pytest.mark.parametrize("rated", [False, True])
@pytest.mark.parametrize(("game", "persons", "bots"), KINDS)
@pytest.mark.parametrize("seed", range(2))
def test_games_of_people_end_consistently_under_random_actions(
    game: str, persons: int, bots: int, rated: bool, seed: int
) -> None:
    versions = seated(game, persons, bots)
    match = table_for(game, versions, rated=rated, players="open" if bots else "people")
    evening = Evening(match, seed, calm=(0.5, 0.8, 0.95, 0.99)[seed])
    for _ in range(MANY):
        if not evening.go_on():
            break
        check_occupants(match, PlayedMove.objects.filter(match=match).count())
    record = check_ended(match)
    results = SeatResult.objects.filter(seat__match=match).order_by("seat__index")
    if record is None:
        assert not results.exists() and not Result.objects.filter(match=match).exists()
        return
    assert Result.objects.filter(match=match).count() == 1
    assert [result.rank for result in results] == record["outcome"]["ranks"]
    assert [result.rating_before is not None for result in results] == [rated] * len(versions)
    for seat in position(match).people:
        live_seat = live_seat_at(match, seat)
        assert (live_seat.strikes, live_seat.forfeit in ("", "resign", "abandoned")) == (0, True)
        if live_seat.resigned:
            assert live_seat.forfeit == "resign"
    for seat in range(persons, persons + bots):
        assert not LiveSeat.objects.get(table=match.pk, seat__index=seat).forfeit
