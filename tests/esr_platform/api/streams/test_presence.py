"""What a process says of who waits in it, with a hub that breaks."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from contextlib import ExitStack
from uuid import UUID, uuid4

import pytest
from asgiref.sync import sync_to_async
from django.db import InterfaceError, OperationalError, connections

from bots.models import Bot, RemoteBot
from esr_platform.accounts import tokens
from esr_platform.accounts.models import Scope, Token
from esr_platform.api.streams.presence import TAKEN_OVER, PresenceWriter, claim_stream
from esr_platform.api.streams.subscriptions import BotClaim, Kind, Subscription, Subscriptions, Topic
from tests.build import person
from tests.ladder.live.play import remote_bots


class Waiting(Subscriptions):
    """Subscriptions of a process; asking for their bots breaks with each of ``errors`` first."""

    def __init__(self, errors: Iterable[Exception] = ()) -> None:
        super().__init__()
        self._errors = list(errors)
        self.asked = asyncio.Event()

    def of_kind(self, kind: Kind) -> list[tuple[Topic, Subscription]]:
        if kind == "bot" and self._errors:
            raise self._errors.pop(0)
        if kind == "bot":
            self.asked.set()
        return super().of_kind(kind)


def stream(bot: Bot, number: UUID, token: Token) -> Subscription:
    return Subscription([Topic("bot", bot.pk)], lambda _: None, claim=BotClaim(bot.pk, token.pk, number, lambda _: []))


def test_no_error_ends_the_saying_of_who_is_here() -> None:
    async def keeps() -> None:
        waiting = Waiting(errors=[InterfaceError("gone"), OperationalError("away"), RuntimeError("odd")])
        task = asyncio.ensure_future(PresenceWriter(waiting).keep(0.001))
        await asyncio.wait_for(waiting.asked.wait(), 180)
        task.cancel()

    asyncio.run(keeps())


@pytest.mark.django_db(transaction=True)
def test_of_streams_that_are_opened_at_once_the_last_one_counts_and_of_other_bots_none_ends() -> None:
    taken, other = remote_bots(2)
    numbers = [uuid4() for _ in range(5)]
    for number in numbers:
        claim_stream(taken.pk, number)
    claim_stream(other.pk, uuid4())
    token = tokens.issue(person("token"), "test", [Scope.PLAY], None)[0]
    streams, elsewhere = [stream(taken, number, token) for number in numbers], stream(other, uuid4(), token)

    async def compares() -> None:
        here = Waiting()
        with ExitStack() as open_streams:
            for opened in (*streams, elsewhere):
                open_streams.enter_context(here.subscribed(opened))
            looking = PresenceWriter(here)
            await asyncio.gather(*(looking.compare([taken.pk]) for _ in numbers))
        await sync_to_async(connections.close_all)()

    asyncio.run(compares())
    assert [watch.reason for watch in streams] == [TAKEN_OVER] * 4 + [""]
    assert elsewhere.reason == "", "nobody said that it has a newer one"
    assert RemoteBot.objects.get(pk=taken.pk).stream == numbers[-1]
