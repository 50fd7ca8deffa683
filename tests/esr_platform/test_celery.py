"""The order in which workers take messages, from a real Redis."""

from __future__ import annotations

from celery import current_app
from django.conf import settings
from kombu import Connection, Consumer, Message, Queue

QUEUES = ["on_time", "soon", "checks", "estimates", "matches"]


def taken(broker: str, messages: int) -> list[str]:
    """The queues of the next ``messages``, in the order in which a worker takes them."""
    order: list[str] = []

    def note(message: Message) -> None:
        order.append(message.delivery_info["routing_key"])
        message.ack()

    url = broker.replace("unix://", "redis+socket://")
    with Connection(url, transport_options=settings.CELERY_BROKER_TRANSPORT_OPTIONS) as connection:
        channel = connection.channel()
        channel.basic_qos(0, 1, False)
        with Consumer(channel, [Queue(name, routing_key=name) for name in QUEUES], on_message=note):
            while len(order) < messages:
                connection.drain_events(timeout=10)
    return order


def test_matches_at_a_set_time_come_first_and_the_other_queues_take_turns(broker: str) -> None:
    sent = ("matches", "matches", "matches", "checks", "checks", "on_time", "on_time")
    for queue in sent:
        current_app.send_task("ladder.tasks.play_match", args=(0,), queue=queue)
    order = taken(broker, len(sent))
    assert order[:2] == ["on_time", "on_time"]
    assert sorted(order[2:4]) == sorted(order[4:6]) == ["checks", "matches"]
    assert order[6] == "matches"
