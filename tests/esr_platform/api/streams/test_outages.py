"""Web servers and Redis go away in the middle of a game of people, and come back, or pages occupy the database.

The game goes on, and costs nobody time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from pathlib import Path
from random import Random

import httpx2
import pytest
from django.db import connection
from django.db.models import F
from pytest_django import Settings

from esr_platform.accounts.models import User
from esr_platform.overload import RETRY_S
from ladder.models import Attempt, Cup, LiveSeat, Match, PlayedMove
from tests.esr_platform.api.streams.followers import play, seated
from tests.esr_platform.api.streams.people import people, table_of_people
from tests.esr_platform.api.streams.programs import Site
from tests.ladder.live.play import backdate, owing, position
from tests.services.ports import wait_until
from tests.services.redis import redis_server
from tests.services.workers import Processes

pytestmark = pytest.mark.slow


@pytest.fixture
def users(transactional_db: None) -> list[User]:
    return people(2)


@pytest.fixture
def match(users: list[User]) -> Match:
    return table_of_people("edel-stein-reich-duel", users)


def let_pass(match: Match, time: timedelta) -> None:
    """So long nobody was there: the clocks of those who are asked have run on, and no beat was heard."""
    Attempt.objects.filter(match=match).update(heartbeat_at=F("heartbeat_at") - time)
    LiveSeat.objects.filter(table=match.pk).update(seen_at=F("seen_at") - time)
    LiveSeat.objects.filter(table=match.pk, owes=True).update(due_at=F("due_at") - time, deadline=F("deadline") - time)
    backdate(PlayedMove.objects.filter(match=match), time)


def test_another_server_takes_over_where_one_was_killed_and_nobodys_clock_has_run(
    started: Callable[..., Site], users: list[User], match: Match
) -> None:
    here, random, away = started(), Random(5), timedelta(minutes=2)
    followers = seated(here, users, match)
    play(match, followers, 6, random)
    wait_until(lambda: all(follower.knows_all for follower in followers), "both know how it stands")
    here.process.kill()
    here.process.wait()
    wait_until(lambda: all(follower.stream.ended for follower in followers), "the streams break off")
    (seat,) = owing(match)
    live_seat = position(match).live_seats[seat]
    let_pass(match, away)
    there = started()
    for follower in followers:
        follower.move_to(there)
    wait_until(
        lambda: LiveSeat.objects.get(pk=live_seat.pk).deadline >= live_seat.deadline,  # type: ignore[operator]
        "what passed while nobody was there is given back",
    )
    play(match, followers, 6, random, breaking=0.2)
    wait_until(lambda: all(follower.knows_all for follower in followers), "both know all, each entry once")
    assert not PlayedMove.objects.exclude(default="").exists()


def test_killed_stream_processes_cost_nobody_an_event_or_time(
    site: Site, site_processes: Processes, users: list[User], match: Match
) -> None:
    one = site_processes.streams()
    followers, random = seated(site, users, match), Random(7)
    play(match, followers, 4, random)
    other = site_processes.streams()
    for killed in (one, other):  # the streams continue at the other stream process, then at the web process
        killed.kill()
        killed.wait()
        wait_until(lambda: all(follower.stream.ended for follower in followers), "the streams break off")
        for follower in followers:
            follower.connect()
        play(match, followers, 4, random)
        wait_until(lambda: all(follower.knows_all for follower in followers), "both know all, each entry once")
    assert not PlayedMove.objects.exclude(default="").exists()


@pytest.fixture
def own_redis(tmp_path: Path) -> Iterator[tuple[str, Callable[[], None], Callable[[], None]]]:
    """The URL of a Redis that runs, and how it is stopped and started again."""
    running = ExitStack()
    url = running.enter_context(redis_server(tmp_path))
    yield url, running.close, lambda: running.enter_context(redis_server(tmp_path)) and None
    running.close()


def test_a_redis_that_is_started_again_costs_nobody_an_event(
    started: Callable[..., Site],
    users: list[User],
    match: Match,
    settings: Settings,
    own_redis: tuple[str, Callable[[], None], Callable[[], None]],
) -> None:
    url, stop, start = own_redis
    settings.REDIS_URL = url
    site, random = started(REDIS_URL=url), Random(6)
    settings.REDIS_URL = url
    followers = seated(site, users, match)
    play(match, followers, 4, random)
    stop()
    (seat,) = owing(match)
    follower = followers[seat]
    wait_until(lambda: (follower.asked or 0) > follower.answered, "it is asked")
    move = position(match).state().random_move(seat, random)
    before = PlayedMove.objects.count()
    response = follower.browser.answer(match.pk, follower.present["decision"], move)
    assert (response.status_code, PlayedMove.objects.count()) == (503, before), "it may be sent again"
    start()
    play(match, followers, 6, random)
    wait_until(lambda: all(follower.knows_all for follower in followers), "both know all, each entry once")
    assert not any(follower.stream.ended for follower in followers), "the streams have stayed open"


@contextmanager
def locked(table: str) -> Iterator[None]:
    """Nobody else can read ``table`` of PostgreSQL."""
    other = connection.copy()
    other.set_autocommit(False)
    try:
        other.cursor().execute(f"LOCK TABLE {table}")
        yield
    finally:
        other.rollback()
        other.close()


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite cannot lock a single table")
def test_a_game_goes_on_while_pages_hold_their_connections_and_further_pages_are_refused(
    started: Callable[..., Site], users: list[User], match: Match
) -> None:
    site, random = started(MAX_PAGES_AT_ONCE="2"), Random(7)
    followers = seated(site, users, match)
    page = site.url.replace("/api/v1/", "/cups/")
    with ThreadPoolExecutor(4) as browsers:
        with locked(Cup._meta.db_table):
            pages = [browsers.submit(httpx2.get, page, timeout=120) for _ in range(4)]
            play(match, followers, 6, random)
            wait_until(lambda: sum(one.done() for one in pages) == 2, "two pages are refused")
            assert [one.result().status_code for one in pages if one.done()] == [503, 503]
            play(match, followers, 6, random)
        assert sorted(one.result().status_code for one in pages) == [200, 200, 503, 503]
    assert {one.result().headers.get("Retry-After") for one in pages} == {None, str(RETRY_S)}
    wait_until(lambda: all(follower.knows_all for follower in followers), "both know all, each entry once")
    assert not any(follower.stream.ended for follower in followers), "the streams have stayed open"
