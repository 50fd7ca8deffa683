"""Requests that get no database connection or no lock in time are refused with 503, counted, and rarely logged."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.db import OperationalError, connection
from django.db.models import F
from django.http import HttpResponse
from django.test import Client

from esr_platform import overload
from esr_platform.disconnects import is_overload, retry_on_disconnect
from esr_platform.logging import NoTemporaryFailures
from esr_platform.metrics import REGISTRY
from esr_platform.overload import CODE, RETRY_S
from ladder.models import LiveSeat
from tests.esr_platform.api.conftest import problem
from tests.esr_platform.api.streams.people import Tab, people, session_of, table_of_people
from tests.ladder.live.play import position

PAGE, RESOURCE = "/bots/", "/api/v1/ladders"

on_postgresql = pytest.mark.skipif(connection.vendor != "postgresql", reason="only PostgreSQL has a connection pool")
on_sqlite = pytest.mark.skipif(connection.vendor != "sqlite", reason="only SQLite locks the whole database")


def refused() -> float:
    return REGISTRY.get_sample_value("overload_refusals_total", {"reason": "database"}) or 0.0


def on_a_thread(act: Callable[[], Any]) -> Any:
    """Call ``act`` on a new thread, which has no connection yet."""

    def acted() -> Any:
        try:
            return act()
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(acted).result()


def get(path: str, session: str = "") -> HttpResponse:
    client = Client(raise_request_exception=False)
    if session:
        client.cookies[settings.SESSION_COOKIE_NAME] = session
    response: HttpResponse = on_a_thread(lambda: client.get(path))
    return response


@pytest.fixture
def lines(caplog: pytest.LogCaptureFixture) -> list[logging.LogRecord]:
    """What a site logs from now on about requests that fail."""
    caplog.set_level(logging.WARNING)
    caplog.handler.addFilter(NoTemporaryFailures())
    return caplog.records


@pytest.fixture
def full_pool(transactional_db: None) -> Iterator[None]:
    """A small pool, all of whose connections are in use: one by this test, like those of the threads of live games."""
    database, ours = connection.settings_dict, dict(connection.settings_dict["OPTIONS"]["pool"])
    connection.close()
    connection.close_pool()  # type: ignore[attr-defined]  # of PostgreSQL alone
    database["OPTIONS"]["pool"] = {**ours, "max_size": 3, "timeout": 0.1}
    connection.ensure_connection()
    with ExitStack() as held:
        for _ in range(2):
            held.enter_context(connection.pool.connection())  # type: ignore[attr-defined]
        yield
    connection.close()
    connection.close_pool()  # type: ignore[attr-defined]
    database["OPTIONS"]["pool"] = ours


@pytest.mark.locks
@on_postgresql
def test_without_a_free_connection_pages_are_refused_and_answers_of_players_arrive(
    full_pool: None, lines: list[logging.LogRecord]
) -> None:
    users = people(2)
    match = table_of_people("edel-stein-reich-duel", users)
    LiveSeat.objects.filter(table=match.pk, owes=True).update(due_at=F("due_at") - timedelta(seconds=1))
    session, before = session_of(users[0]), refused()
    for page in (get(PAGE), get(PAGE, session), get("/docs/", session)):
        assert (page.status_code, page["Retry-After"]) == (503, str(RETRY_S))
        assert "no-store" in page["Cache-Control"]
        assert page.content.lstrip().startswith(b"<!doctype html>")
    resource = get(RESOURCE)
    problem(resource, 503, CODE)
    assert resource["Retry-After"] == str(RETRY_S)
    assert refused() == before + 4
    assert {record.name for record in lines} <= {overload.__name__}

    state = position(match).state()
    (seat,) = state.pending
    move = {"move": state.decision(seat)["default"]}
    assert Tab(users[seat]).post(f"matches/{match.pk}/decisions/1", move).status_code == 200


@pytest.mark.locks
@on_postgresql
def test_a_job_without_patience_waits_only_once_for_a_connection(full_pool: None) -> None:
    tries = []

    def job() -> None:
        tries.append(None)
        connection.ensure_connection()

    def attempt() -> OperationalError:
        with pytest.raises(OperationalError) as error:
            retry_on_disconnect(job, patience_s=0.0)
        return error.value

    assert is_overload(on_a_thread(attempt))
    assert len(tries) == 1


@contextmanager
def locked() -> Iterator[None]:
    """Another process writes to the SQLite database."""
    other = sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        other.close()


@pytest.mark.django_db(transaction=True)
@on_sqlite
def test_a_form_that_waits_too_long_for_a_lock_of_sqlite_is_refused(lines: list[logging.LogRecord]) -> None:
    (user,), before = people(1), refused()
    client = Client(raise_request_exception=False)
    client.force_login(user)
    with locked():
        connection.cursor().execute("PRAGMA busy_timeout = 1")
        page = client.post("/account/chat/")
    assert (page.status_code, page["Retry-After"]) == (503, str(RETRY_S))
    assert refused() == before + 1
    assert {record.name for record in lines} <= {overload.__name__}


def test_refusals_are_logged_once_per_second_with_their_number() -> None:
    log = overload.RefusalLog()
    assert [log.due(now) for now in (5.0, 5.1, 5.9, 6.0, 6.1, 9.0)] == [1, 0, 0, 3, 0, 2]
