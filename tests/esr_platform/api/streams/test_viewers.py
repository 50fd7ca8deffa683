"""How many watch, over several processes, with real Redis."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import pytest
import redis
from pytest_django import Settings

from esr_platform.api.streams.viewers import MOST_AN_ADDRESS, SpectatorCounts
from tests.esr_platform.api.streams.programs import Site
from tests.ladder.live.play import game_of
from tests.services.ports import wait_until


@contextmanager
def watching(viewers: SpectatorCounts, match: int, who: str, tell: Callable[[int], None]) -> Iterator[None]:
    """A stream of a spectator."""
    viewers.add(match, tell, who)
    yield
    viewers.remove(match, tell, who)


def test_processes_add_up_what_they_say_and_one_that_says_nothing_is_forgotten(broker: str) -> None:
    here, there = SpectatorCounts(), SpectatorCounts()
    counts: list[int] = []

    async def watch() -> None:
        with watching(here, 7, "user-1", counts.append), watching(there, 7, "user-2", lambda _: None):
            with watching(there, 7, "user-2", lambda _: None), watching(there, 8, "user-3", lambda _: None):
                await there.say()
                await here.say()
                assert (await here.count(7), await there.count(7), await here.count(8)) == (2, 2, 1)
            await there.say()
            assert await here.count(8) == 0
        await there.say()
        await here.say()
        assert await SpectatorCounts().count(7) == 0

    asyncio.run(watch())
    assert counts == [2]
    with redis.Redis.from_url(broker) as client:
        client.hset("viewers:9", "a process that is gone", "12:1000000000")
    assert asyncio.run(SpectatorCounts().count(9)) == 0


def test_one_address_counts_for_a_few(broker: str) -> None:
    async def watch() -> int:
        viewers = SpectatorCounts()
        with ExitStack() as streams:
            for who in ("address-192.0.2.1",) * 20 + ("user-1",) * 20:
                streams.enter_context(watching(viewers, 7, who, lambda _: None))
            await viewers.say()
            return await SpectatorCounts().count(7)

    assert asyncio.run(watch()) == MOST_AN_ADDRESS + 1


def test_without_redis_a_process_knows_its_own(settings: Settings) -> None:
    async def watch() -> int:
        viewers = SpectatorCounts()
        with watching(viewers, 7, "user-1", lambda _: None):
            return await viewers.count(7)

    assert asyncio.run(watch()) == 1


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_whoever_watches_is_told_how_many_do(started: Callable[[], Site]) -> None:
    here, there, match = started(), started(), game_of("edel-stein-reich-duel", 2)
    streams = [site.stranger().stream(f"matches/{match.pk}/stream") for site in (here, there)]
    for stream in streams:
        stream.wait_for("game")
        wait_until(lambda stream=stream: [event["viewers"] for event in stream.of("viewers")][-1:] == [2], "two")  # type: ignore[misc]
    assert here.stranger().get(f"matches/{match.pk}/viewers").json() == {"game": match.pk, "viewers": 2}
    streams[1].close()
    wait_until(lambda: streams[0].of("viewers")[-1]["viewers"] == 1, "one is left")
    assert here.stranger().get("matches/999999/viewers").status_code == 404
