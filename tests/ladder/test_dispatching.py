from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta

import pytest
import redis
from django.utils import timezone

from esr_platform.celery import app
from ladder.dispatching import QUEUE, SEND_AGAIN, SOON, dispatch
from ladder.models import Ladder, Match
from ladder.scheduling import QUEUE_LENGTH, fill
from tests.ladder.test_leases import claimed


def messages(broker: str) -> list[int]:
    """The match ids that wait in the workers' queues, those with priority first, then first sent first."""
    with redis.Redis.from_url(broker) as client:
        waiting = [message for queue in (SOON, QUEUE) for message in reversed(client.lrange(queue, 0, -1))]
    return [json.loads(message)["headers"]["argsrepr"] for message in waiting]


def named(*matches: int) -> list[str]:
    return [f"({match},)" for match in matches]


def unsent() -> None:
    Match.objects.update(sent_at=None)


@pytest.mark.django_db(transaction=True)
def test_scheduled_matches_are_sent_once_they_are_committed(broker: str, ladder: Ladder) -> None:
    fill()
    assert messages(broker) == named(*Match.objects.order_by("pk").values_list("pk", flat=True))


def test_nothing_is_sent_of_a_transaction_that_has_not_committed(broker: str, ladder: Ladder) -> None:
    fill()
    assert messages(broker) == []


def test_a_match_on_its_way_is_not_sent_again(broker: str, match: Match) -> None:
    assert dispatch() == 0
    assert messages(broker) == []


def test_a_match_whose_message_is_void_by_now_is_sent_again_once(broker: str, match: Match) -> None:
    Match.objects.filter(pk=match.pk).update(sent_at=timezone.now() - SEND_AGAIN - timedelta(seconds=1))
    assert dispatch() == 1
    assert dispatch() == 0
    assert messages(broker) == named(match.pk)


def test_neither_running_nor_later_matches_are_sent(broker: str, match: Match) -> None:
    unsent()
    claimed(match)
    later = Match.objects.exclude(pk=match.pk)[0]
    Match.objects.filter(pk=later.pk).update(due_at=timezone.now() + timedelta(hours=1))
    assert dispatch() == QUEUE_LENGTH - 2
    assert not {*named(match.pk, later.pk)} & {*messages(broker)}


def test_the_higher_priority_is_sent_first_and_then_the_longer_due(broker: str, match: Match) -> None:
    unsent()
    first, second, third = list(Match.objects.order_by("-pk")[:3])
    Match.objects.filter(pk=first.pk).update(priority=2)
    Match.objects.filter(pk=second.pk).update(priority=1, due_at=timezone.now() - timedelta(hours=2))
    Match.objects.filter(pk=third.pk).update(priority=1, due_at=timezone.now() - timedelta(hours=1))
    dispatch()
    assert messages(broker)[:3] == named(first.pk, second.pk, third.pk)


@pytest.fixture
def no_broker() -> Iterator[None]:
    """Send to where no broker listens."""
    before = app.conf.broker_url
    _connect_to("redis+socket:///nonexistent/redis.sock")
    yield
    _connect_to(before)


def _connect_to(url: str) -> None:
    app.conf.broker_url = url
    app._pool = None
    app.amqp._producer_pool = None


def test_without_a_broker_nothing_is_lost(no_broker: None, match: Match) -> None:
    unsent()
    assert dispatch() == 0
    assert not Match.objects.filter(sent_at__isnull=False).exists()


@pytest.mark.django_db(transaction=True)
def test_matches_are_scheduled_without_a_broker_too(no_broker: None, ladder: Ladder) -> None:
    assert fill() == QUEUE_LENGTH
    assert Match.objects.filter(sent_at=None).count() == QUEUE_LENGTH
