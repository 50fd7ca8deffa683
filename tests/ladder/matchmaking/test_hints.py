"""When remote bots are seated in addition to beat's ticks: tasks that a real broker gets and no worker takes."""

from __future__ import annotations

import json
from uuid import uuid4

import pytest
import redis
from django.db import transaction

from bots.models import Bot
from esr_platform.api.streams.presence import claim_stream
from ladder.live.end import void
from ladder.live.notify import seat_soon
from ladder.matchmaking.remote_bots import seat
from ladder.members.memberships import declare
from ladder.models import LastSeat, Match
from tests.build import opened_house
from tests.ladder.matchmaking.online_bots import OPEN, REMOTE, online_bots, only, running, waited

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def waiting(broker: str) -> redis.Redis:
    opened_house()
    return redis.Redis.from_url(broker)


def seatings(client: redis.Redis) -> int:
    """How many tasks to seat remote bots have been sent since this was asked last."""
    messages = client.lrange("live", 0, -1)
    client.delete("live")
    return sum(json.loads(message)["headers"]["task"] == "ladder.tasks.seat" for message in messages)


def playing(waiting: redis.Redis) -> tuple[list[Bot], Match]:
    """Two bots at a table, and an empty queue."""
    only(REMOTE)
    bots = online_bots("ada", "bob")
    seat()
    seatings(waiting)
    (match,) = running()
    return bots, match


def test_the_end_of_a_game_of_remote_bots_seats_them_at_once(waiting: redis.Redis) -> None:
    _, match = playing(waiting)
    void(match.pk, "a test")
    assert seatings(waiting) == 1
    assert seat() == 0, "no game begins within a second of the end"
    waited(1)
    assert seat() == 1


def test_many_ends_at_once_are_one_task_and_later_ends_another(waiting: redis.Redis) -> None:
    for _ in range(50):
        seat_soon()
    assert seatings(waiting) == 1
    seat()
    seat_soon()
    assert seatings(waiting) == 1


def test_nothing_is_sent_before_the_commit(waiting: redis.Redis) -> None:
    with transaction.atomic():
        seat_soon()
        assert seatings(waiting) == 0
    assert seatings(waiting) == 1


def test_a_bot_that_connects_or_wants_more_games_is_seated_immediately(waiting: redis.Redis) -> None:
    (ada, _), _ = playing(waiting)
    claim_stream(ada.pk, uuid4())
    assert seatings(waiting) == 1
    seat()
    declare(ada, games_at_once=3)
    assert seatings(waiting) == 1


def test_a_bot_that_waits_for_others_is_looked_at_again_when_its_patience_ends(waiting: redis.Redis) -> None:
    only(REMOTE, OPEN)
    ada, bob = online_bots("ada", "bob")
    LastSeat.objects.create(membership=ada.memberships.get(ladder__slug=OPEN), since=1)
    declare(bob, games_at_once=0)
    seatings(waiting)
    assert seat() == 0
    assert seatings(waiting) == 1
    assert seat() == 0
    assert seatings(waiting) == 0, "one waits already"


def test_bots_that_nobody_can_play_with_cause_no_tasks(waiting: redis.Redis) -> None:
    only(REMOTE)
    online_bots("ada")
    seatings(waiting)
    for _ in range(3):
        assert seat() == 0
    assert seatings(waiting) == 0


def test_without_a_broker_games_end_all_the_same(no_broker: None) -> None:
    opened_house()
    only(REMOTE)
    online_bots("ada", "bob")
    seat()
    (match,) = running()
    assert void(match.pk, "a test")
