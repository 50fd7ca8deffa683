"""A database that goes away and comes back costs nobody a game."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
from celery import current_app
from django.db import InterfaceError, OperationalError, connection, transaction

from bots.runner.launcher import Observer
from bots.runner.report import MatchReport
from bots.runner.spec import MatchSpec
from esr_platform.disconnects import retry_on_disconnect
from ladder.matches.play import play
from ladder.models import Attempt, Match
from tests.ladder.accounts import accounts
from tests.ladder.matches.test_play import failing, random_play
from tests.services.ports import wait_until
from tests.services.workers import Processes

pytestmark = [pytest.mark.locks, pytest.mark.django_db(transaction=True)]


@pytest.fixture(autouse=True)
def _new_pool(transactional_db: None) -> Iterator[None]:
    """Replace the connection pool after each test: the server has ended some of its connections."""
    yield
    connection.close()
    if connection.vendor == "postgresql":
        connection.close_pool()  # type: ignore[attr-defined]  # of PostgreSQL alone


def lost(times: int, error: type[Exception] = OperationalError) -> Callable[[], int]:
    """Gives how often it was called, once the database has been lost under it so many times."""
    calls = []

    def do() -> int:
        calls.append(error)
        if len(calls) <= times:
            raise error("server closed the connection unexpectedly")
        return len(calls)

    return do


@pytest.mark.parametrize("error", [OperationalError, InterfaceError])
def test_what_is_lost_is_done_again(error: type[Exception]) -> None:
    assert retry_on_disconnect(lost(3, error)) == 4


def test_who_has_waited_long_in_the_first_try_has_a_second_one() -> None:
    assert retry_on_disconnect(lost(1), patience_s=0) == 2


def test_a_database_that_stays_away_is_said_to_be() -> None:
    with pytest.raises(OperationalError, match="server closed"):
        retry_on_disconnect(lost(10**9), patience_s=0.3)


def test_nothing_is_done_again_inside_a_transaction_which_is_lost_as_a_whole() -> None:
    do = lost(1)
    with pytest.raises(OperationalError), transaction.atomic():
        retry_on_disconnect(do)
    assert do() == 2


def test_other_errors_are_not_the_databases() -> None:
    do = lost(1, KeyError)
    with pytest.raises(KeyError):
        retry_on_disconnect(do)
    assert do() == 2


def cut(*, others: bool) -> None:
    """End our own connection to the database, or those of all ``others``, on the server."""
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has no connections to lose")
    connection.ensure_connection()
    settings = connection.settings_dict
    where = {"host": settings["HOST"], "port": settings["PORT"], "user": settings["USER"], "dbname": settings["NAME"]}
    pid = connection.connection.info.backend_pid
    with psycopg.connect(**where, autocommit=True) as other:
        other.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
            " AND pid <> pg_backend_pid() AND (pid <> %s) = %s",
            (pid, others),
        )


def test_a_result_is_brought_although_the_connection_was_lost_during_the_game(match: Match) -> None:
    def losing(spec: MatchSpec[Any], observer: Observer | None = None) -> MatchReport:
        report = random_play(spec, observer)
        cut(others=False)
        return report

    assert play(match.pk, losing) == Attempt.Ending.FINISHED
    assert match.attempts.get().ending == "finished"


def test_a_failed_attempt_is_given_back_although_the_connection_was_lost(match: Match) -> None:
    def losing(spec: MatchSpec[Any], observer: Observer | None = None) -> MatchReport:
        cut(others=False)
        return failing(KeyError("broken"))(spec, observer)

    assert play(match.pk, losing) == Attempt.Ending.FAILED
    match.refresh_from_db()
    assert (match.status, match.attempts_started) == ("queued", 1)


def test_a_worker_whose_connections_are_cut_between_two_tasks_goes_on(site_processes: Processes, match: Match) -> None:
    """A worker keeps its connection for many tasks: it has to look whether that still works."""
    first, *others = Match.objects.order_by("pk")
    site_processes.worker("matches")
    for games in ([first], others):
        for game in games:
            current_app.send_task("ladder.tasks.play_match", args=(game.pk,), queue="matches")
        ids = [game.pk for game in games]
        over = Match.objects.filter(pk__in=ids, status="finished")
        wait_until(lambda over=over, ids=ids: over.count() == len(ids), "the matches are finished")
        cut(others=True)
    assert Attempt.objects.count() == 1 + len(others)
    assert accounts() == []
