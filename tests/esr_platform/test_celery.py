"""The order in which workers take messages, from a real Redis."""

from __future__ import annotations

import logging
import socket
from collections.abc import Sequence
from threading import Event
from typing import Any

import pytest
from celery import current_app
from django.conf import settings
from django.db import OperationalError
from django.test import Client
from kombu import Connection, Consumer, Message, Queue
from pytest_django import Settings

from esr_platform import drains
from esr_platform import heartbeats as heartbeat
from esr_platform.heartbeats import NotReached, beating
from esr_platform.leases import on_database
from ladder import tasks
from ladder.creation import open_house
from ladder.models import Ladder, Membership, RebuildRun
from tests.build import person, staff
from tests.services.ports import wait_until

QUEUES = ["on_time", "soon", "validations", "estimates", "matches"]


def taken(broker: str, messages: int, queues: Sequence[str] = QUEUES, timeout_s: float = 10) -> list[str]:
    """The queues of the next ``messages``, in the order in which a worker takes them."""
    order: list[str] = []

    def note(message: Message) -> None:
        order.append(message.delivery_info["routing_key"])
        message.ack()

    url = broker.replace("unix://", "redis+socket://")
    with Connection(url, transport_options=settings.CELERY_BROKER_TRANSPORT_OPTIONS) as connection:
        channel = connection.channel()
        channel.basic_qos(0, 1, False)
        with Consumer(channel, [Queue(name, routing_key=name) for name in queues], on_message=note):
            while len(order) < messages:
                connection.drain_events(timeout=timeout_s)
    return order


def test_matches_at_a_set_time_come_first_and_the_other_queues_take_turns(broker: str) -> None:
    sent = ("matches", "matches", "matches", "validations", "validations", "on_time", "on_time")
    for queue in sent:
        current_app.send_task("ladder.tasks.play_match", args=(0,), queue=queue)
    order = taken(broker, len(sent))
    assert order[:2] == ["on_time", "on_time"]
    assert sorted(order[2:4]) == sorted(order[4:6]) == ["matches", "validations"]
    assert order[6] == "matches"


def test_the_workers_of_a_drained_machine_leave_matches_to_others(broker: str, settings: Settings) -> None:
    settings.REDIS_URL = broker
    for queue in ("matches", "on_time", "validations", "live"):
        current_app.send_task("ladder.tasks.play_match", args=(0,), queue=queue)
    drains.announce([socket.gethostname(), "another"])
    assert taken(broker, 1, [*QUEUES, "live"]) == ["live"]
    with pytest.raises(TimeoutError):
        taken(broker, 1, [*QUEUES, "live"], timeout_s=2)
    drains.withdraw(socket.gethostname())
    assert sorted(taken(broker, 3)) == ["matches", "on_time", "validations"]


LOST = "lease of the match lost; its result will be discarded"


def test_work_that_ends_right_after_a_failed_beat_is_not_reported_as_lost(caplog: pytest.LogCaptureFixture) -> None:
    beaten = Event()

    def beat() -> bool:
        beaten.set()
        return False

    with caplog.at_level(logging.WARNING), beating(beat, "the match", 0.001):
        assert beaten.wait(60)
    assert caplog.messages == []


def test_work_that_goes_on_after_a_failed_beat_is_reported_as_lost(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(heartbeat, "ENDING_S", 0)
    reported = Event()

    class Listener(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            reported.set()

    listener = Listener()
    heartbeat.logger.addHandler(listener)
    try:
        with caplog.at_level(logging.WARNING), beating(lambda: False, "the match", 0.001):
            assert reported.wait(60)
    finally:
        heartbeat.logger.removeHandler(listener)
    assert caplog.messages == [LOST]


def test_what_a_beat_refuses_is_lost() -> None:
    with beating(lambda: False, "the match", 0.001) as heart:
        wait_until(lambda: heart.lost, "the loss is noticed")


def test_what_beats_keep_alive_is_not_lost() -> None:
    beats, enough = [], Event()

    def beat() -> bool:
        beats.append(1)
        if len(beats) == 5:
            enough.set()
        return True

    with beating(beat, "the match", 0.001, lasts_s=60) as heart:
        assert enough.wait(60)
        assert not heart.lost


@pytest.mark.parametrize("answer", [False, NotReached()])
def test_what_must_end_with_a_lease_is_told_of_its_loss_even_while_a_beat_hangs(answer: bool | Exception) -> None:
    lost, hang = Event(), Event()

    def beat() -> bool:
        if isinstance(answer, Exception):
            hang.wait(60)
            raise answer
        return answer

    with beating(beat, "the match", 0.001, 0.01, lost.set):
        assert lost.wait(60)
        hang.set()


@pytest.mark.parametrize("lasts_s", [0.01, 60])
def test_a_database_out_of_reach_loses_nothing_before_its_time(lasts_s: float) -> None:
    tried = Event()

    def beat() -> bool:
        tried.set()
        raise OperationalError

    with beating(on_database(beat), "the match", 0.001, lasts_s) as heart:
        assert tried.wait(60)
        if lasts_s == 60:
            assert not heart.lost
        else:
            wait_until(lambda: heart.lost, "the time is over")


@pytest.fixture
def house(db: None) -> Ladder:
    open_house()
    return Ladder.objects.get(slug="edel-stein-reich-4")


def figures(client: Client, **headers: str) -> dict[str, float]:
    response = client.get("/metrics", headers=headers)
    assert response.status_code == 200
    assert response["Content-Type"].startswith("text/plain; version=")
    lines = [line for line in response.content.decode().splitlines() if line.startswith("ladder_")]
    return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines)}


def test_violations_are_counted_a_ladder(house: Ladder, client: Client) -> None:
    client.force_login(staff("eve"))
    assert figures(client) == {}
    tasks.audit()
    name = f'ladder_audit_violations{{ladder="{house.slug}"}}'
    assert figures(client)[name] == 0
    Ladder.objects.filter(pk=house.pk).update(next_ledger=50)
    Membership.objects.filter(pk=house.memberships.all()[0].pk).update(rating=1)
    tasks.check_ratings()
    tasks.audit()
    metrics = figures(client)
    assert metrics[name] == 2
    assert metrics[f'ladder_rebuild_differences{{ladder="{house.slug}"}}'] == 2
    assert 0 <= metrics[f'ladder_audit_age_seconds{{ladder="{house.slug}"}}'] < 60
    assert RebuildRun.objects.filter(purpose="check").count() == Ladder.objects.count()


def test_nobody_else_reads_them(house: Ladder, client: Client, settings: Any) -> None:
    for authorization in ("", "Bearer ", "Bearer wrong", "Token secret"):
        assert client.get("/metrics", headers={"Authorization": authorization}).status_code == 404
    settings.METRICS_TOKEN = "secret"
    for authorization in ("", "Bearer ", "Bearer wrong", "secret", "Bearer sécret"):
        assert client.get("/metrics", headers={"Authorization": authorization}).status_code == 404
    figures(client, Authorization="Bearer secret")
    client.force_login(person("ada"))
    assert client.get("/metrics").status_code == 404
