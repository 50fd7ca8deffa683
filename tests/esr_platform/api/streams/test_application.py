from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from threading import current_thread
from typing import Any

import orjson
import pytest
import redis
from django.test import Client, RequestFactory
from pytest_django import Settings
from rest_framework.request import Request

from esr_platform.api.http import Refusal
from esr_platform.api.streams.application import LiveEndpoints
from esr_platform.api.streams.hub import Hub, listen
from esr_platform.api.streams.stream import EventStream, JSONLines
from esr_platform.api.streams.subscriptions import Subscription, Topic
from esr_platform.api.streams.threads import Coalescer, share
from esr_platform.api.streams.view import place
from ladder.live.notify import CHANNEL
from tests.esr_platform.api.conftest import problem
from tests.services.redis import redis_server


def test_other_addresses_are_left_to_django() -> None:
    asked: list[str] = []

    async def elsewhere(scope: Any, receive: Any, send: Any) -> None:
        asked.append(scope["path"])

    for path in ("/", "/api/v1/games", "/api/v1/nothing", "/api/v1/matches/x/view"):
        asyncio.run(LiveEndpoints(elsewhere)({"type": "http", "path": path}, None, None))  # type: ignore[arg-type]
    assert asked == ["/", "/api/v1/games", "/api/v1/nothing", "/api/v1/matches/x/view"]


def test_a_stream_has_no_head(db: None) -> None:
    assert Client().head("/api/v1/matches/1/stream").status_code == 405
    problem(Client().put("/api/v1/matches/1/view"), 405, "method_not_allowed")


def test_a_query_string_may_have_any_bytes(db: None) -> None:
    scope = {**RequestFactory().get("/").environ, "type": "http", "method": "GET", "path": "/api/v1/bot/stream"}
    scope |= {"query_string": b"bot=\xff\xfe", "headers": [(b"host", b"localhost")], "client": ("127.0.0.1", 1)}
    sent: list[Any] = []
    waits = asyncio.Event()

    async def receive() -> Any:
        if sent:
            await waits.wait()
        sent.append(None)
        return {"type": "http.request"}

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(LiveEndpoints(None)(scope, receive, send))  # type: ignore[arg-type]
    assert sent[1]["status"] == 401


def test_events_are_a_line_or_server_sent() -> None:
    document = {"type": "decide", "text": "zwei\nZeilen"}
    assert JSONLines().event(document) == orjson.dumps(document) + b"\n"
    assert EventStream().event(document, 7) == b"id: 7\nevent: decide\ndata: " + orjson.dumps(document) + b"\n\n"


@pytest.mark.parametrize(("said", "there"), [("12", 12), ("", 0), ("x", 0), ("9" * 30, 0), ("-1", 0)])
def test_a_reader_goes_on_where_it_was(said: str, there: int) -> None:
    assert place(Request(RequestFactory().get("/", headers={"Last-Event-ID": said}))) == there


def test_whoever_asks_at_the_same_time_shares_one_look() -> None:
    looks: list[list[str]] = []

    def look(match: int, asks: list[str]) -> list[str]:
        looks.append(asks)
        if "bad" in asks:
            raise ValueError(match)
        return [f"{match}: {ask}" for ask in asks]

    async def ask() -> list[Any]:
        share()
        looking = Coalescer(look)
        first = await asyncio.gather(*(looking.fetch(3, name) for name in "abc"))
        return [*first, await asyncio.gather(looking.fetch(4, "bad"), return_exceptions=True)]

    assert asyncio.run(ask())[:3] == ["3: a", "3: b", "3: c"]
    assert looks == [["a", "b", "c"], ["bad"]]


@pytest.mark.django_db  # its threads may have connections of other tests
def test_a_look_that_writes_is_made_where_nobody_who_reads_waits_for_it() -> None:
    async def ask() -> list[str]:
        share()
        looking = Coalescer(lambda _, asks: [current_thread().name for _ in asks], writes=lambda ask: ask == "new")
        known = await asyncio.gather(*(looking.fetch(3, ask) for ask in ("known", "known")))
        return [*known, *await asyncio.gather(*(looking.fetch(3, ask) for ask in ("known", "new")))]

    assert [name.rpartition("_")[0] for name in asyncio.run(ask())] == ["live-reader"] * 2 + ["live-writer"] * 2


def in_a_hub(act: Callable[[Hub], None]) -> None:
    """Do something with a hub of its own, which nobody talks to."""

    async def run() -> None:
        act(Hub())

    asyncio.run(run())


def test_a_hint_touches_those_whom_it_is_for(settings: Settings) -> None:
    touched: list[tuple[str, int | None]] = []

    def watch(name: str, *topics: Topic) -> Subscription:
        return Subscription(topics, lambda match: touched.append((name, match)))

    def act(hub: Hub) -> None:
        with (
            hub.subscribed(watch("bot", Topic("bot", 1)), "a"),
            hub.subscribed(watch("bot and game", Topic("bot", 1), Topic("match", 7)), "a"),
            hub.subscribed(watch("other bot", Topic("bot", 2)), "b"),
            hub.subscribed(watch("spectator", Topic("match", 7)), "c"),
        ):
            hub.hear({"match": 7, "bots": [1], "what": "decide"})
            hub.hear({"match": 8, "bots": [1]})
            hub.hear({"match": None, "bots": [2]})
            assert sorted(hub.bots) == [1, 2]
        assert hub.bots == []
        hub.hear({"match": 7, "bots": [1]})

    in_a_hub(act)
    both = [(name, match) for name in ("bot", "bot and game") for match in (7, 8)]
    assert Counter(touched) == Counter([*both, ("spectator", 7), ("other bot", None)])


def test_nobody_waits_for_more_than_there_is_room_for(settings: Settings) -> None:
    settings.MAX_STREAMS_PER_CLIENT, settings.MAX_STREAMS_PER_PROCESS = 2, 3

    def act(hub: Hub) -> None:
        def refused(who: str) -> int:
            with pytest.raises(Refusal) as refusal:
                hub.require_room(who)
            return int(refusal.value.status_code)

        here = [Subscription([Topic("match", number)], lambda _: None) for number in range(3)]
        with hub.subscribed(here[0], "a"), hub.subscribed(here[1], "a"):
            assert refused("a") == 429
            hub.require_room("b")
            with hub.subscribed(here[2], "b"):
                assert refused("c") == 503
        hub.require_room("a")
        hub.close()
        assert not here[0].ended, "it has left before"

    in_a_hub(act)


def test_strangers_leave_room_for_bots_however_many_addresses_they_have(settings: Settings) -> None:
    settings.MAX_STREAMS_PER_PROCESS = 2

    def act(hub: Hub) -> None:
        with hub.subscribed(Subscription([Topic("match", 1)], lambda _: None), "address-192.0.2.1"):
            with pytest.raises(Refusal) as refusal:
                hub.require_room("address-192.0.2.2")
            assert refusal.value.status_code == 503
            hub.require_room("bot-1")

    in_a_hub(act)


def test_a_redis_that_comes_back_is_listened_to_again(tmp_path: Path, settings: Settings) -> None:
    heard: list[Any] = []
    connected: list[bool] = []

    async def until(true: Callable[[], bool]) -> None:
        async with asyncio.timeout(180):
            while not true():
                await asyncio.sleep(0.02)

    async def listening() -> None:
        task = asyncio.create_task(listen(heard.append, connected.append))
        for times in (1, 2):
            with redis_server(tmp_path) as url, redis.Redis.from_url(url) as client:
                settings.REDIS_URL = url
                await until(lambda times=times: connected.count(True) == times)  # type: ignore[misc]
                client.publish(CHANNEL, b"no hint")
                client.publish(CHANNEL, b'{"match": %d}' % times)
                await until(lambda times=times: len(heard) == times)  # type: ignore[misc]
        task.cancel()

    asyncio.run(listening())
    assert heard == [{"match": 1}, {"match": 2}]
