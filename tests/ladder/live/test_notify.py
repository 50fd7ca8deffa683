from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import transaction

from bots.models import Bot
from ladder.live.end import finish
from ladder.models import Ladder, Match, PlayedMove
from tests.ladder.live.listener import Listener
from tests.ladder.live.play import (
    asked,
    at_random,
    bot_at,
    live_ladder,
    owing,
    pass_time,
    play_out,
    position,
    post,
    remote_bots,
    table_of,
)

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def listener(broker: str) -> Iterator[Listener]:
    somebody = Listener(broker)
    yield somebody
    somebody.close()


@pytest.fixture
def ladder(listener: Listener) -> Ladder:
    return live_ladder("edel-stein-reich-duel", 2)


@pytest.fixture
def bots(ladder: Ladder) -> list[Bot]:
    return remote_bots(2)


def heard_without_events(listener: Listener) -> list[dict[str, Any]]:
    """The hints, without the events of their changes (``tests/esr_platform/api/streams/test_published.py``)."""
    return [{name: hint[name] for name in ("match", "bots", "what", "in_ms")} for hint in listener.heard()]


def test_players_with_news_are_notified_after_the_commit(listener: Listener, ladder: Ladder, bots: list[Bot]) -> None:
    with transaction.atomic():
        match = table_of(ladder, bots)
        assert listener.heard() == []
    seat = owing(match)[0]
    decide = {"match": match.pk, "bots": [bot_at(match, seat)], "what": "decide", "in_ms": 0}
    both = {"match": match.pk, "bots": sorted(bot.pk for bot in bots), "what": "began", "in_ms": 0}
    assert heard_without_events(listener) == [both, decide]
    post(match, seat, 1, "gems")
    assert heard_without_events(listener) == [decide | {"bots": [bot_at(match, 1 - seat)]}]
    post(match, seat, 1, "gems")
    post(match, seat, 1, "money")
    assert listener.heard() == []


def test_a_move_is_notified_immediately_and_a_decision_after_forced_steps_when_visible(listener: Listener) -> None:
    match = table_of(live_ladder("die-weinhaendler", 3), remote_bots(3))
    while not PlayedMove.objects.exclude(delays=[]).exists():
        pass_time(match)
        listener.heard()
        message = asked(match, owing(match)[0])
        post(match, owing(match)[0], message["id"], message["decision"]["legal"][-1])
    at_once, later = listener.heard()
    assert at_once == {"match": match.pk, "bots": [], "what": "moved", "in_ms": 0}
    assert (later["what"], later["bots"]) == ("decide", sorted(bot_at(match, seat) for seat in owing(match)))
    assert later["in_ms"] > 0


def test_all_seats_are_notified_of_the_end(listener: Listener, ladder: Ladder, bots: list[Bot]) -> None:
    match = table_of(ladder, bots)
    play_out(match, at_random(1))
    listener.heard()
    assert finish(match.pk)
    assert listener.heard() == [
        {"match": match.pk, "bots": sorted(bot.pk for bot in bots), "what": "ended", "in_ms": 0}
    ]


def test_a_hint_that_cannot_be_given_stops_no_game() -> None:
    match = table_of(live_ladder("edel-stein-reich-duel", 2), remote_bots(2))
    assert post(match, owing(match)[0], 1, "gems").verdict == "played"
    assert position(match).table.moves == 1
    assert Match.objects.get().status == "running"
