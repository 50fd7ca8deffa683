"""Games that a worker host has played are played again on another machine, and compared."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db.models import F
from django.db.models.functions import Now

from bots.client import Problem
from bots.models import WorkerHost
from bots.worker.host import HostProcess
from ladder.matches.schedule import fill
from ladder.models import Attempt, Ladder, LedgerEntry, Match, Recheck, Result
from ladder.worker_hosts import rechecks
from tests.build import finish_others, first_games, report_of
from tests.ladder.hosts import SITE, asked, client_of, host, packed_document, packed_report, play_by_host
from tests.ladder.matches.test_play import random_play

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def lab() -> WorkerHost:
    return host("lab")


@pytest.fixture
def every_game(settings: Any) -> None:
    settings.WORKER_RECHECK_PERCENT = 100


def rechecked(match: Match, runner: Any, name: str) -> Recheck:
    """The recheck of a match of the host ``lab``, after the host ``name`` has asked for work."""
    finish_others(match)
    Match.objects.filter(status="queued").update(due_at=Now() + timedelta(hours=1))
    host(name)
    HostProcess(client_of(name), SITE, Path("/nowhere"), runner=runner).play_next()
    return Recheck.objects.get()


@pytest.mark.parametrize(("variety", "outcome"), [(0, "same"), (1, "different")])
def test_a_game_of_house_bots_is_played_again_on_another_host_and_compared(
    match: Match, every_game: None, variety: int, outcome: str
) -> None:
    assert play_by_host(match.pk, random_play) == Attempt.Ending.FINISHED
    result = Result.objects.get()
    recheck = rechecked(
        match, lambda spec, _: report_of(Match.objects.get(pk=int(spec.match)), variety=variety), "other"
    )
    assert (recheck.outcome, recheck.worker) == (outcome, "host:other/0")
    assert Result.objects.filter(match=match).get().packed_record == result.packed_record


def test_the_host_that_played_a_game_does_not_play_it_again(match: Match, every_game: None) -> None:
    assert play_by_host(match.pk, random_play) == Attempt.Ending.FINISHED
    assert rechecked(match, random_play, "lab").outcome == "waiting"


def test_a_recheck_that_nobody_brings_ends_without_an_outcome(match: Match, every_game: None) -> None:
    assert play_by_host(match.pk, random_play) == Attempt.Ending.FINISHED
    Recheck.objects.update(tries=5)
    assert rechecks.give_up() == 1
    assert Recheck.objects.get().outcome == "unknown"


def test_a_share_of_the_games_is_played_again(match: Match, settings: Any) -> None:
    settings.WORKER_RECHECK_PERCENT = 0
    assert play_by_host(match.pk, random_play) == Attempt.Ending.FINISHED
    assert not Recheck.objects.exists()


def test_the_games_of_house_bots_follow_from_their_seeds(ladder: Ladder, every_game: None) -> None:
    """A recheck of a host that plays by the rules finds the same game. Real processes play both."""

    fill()
    for game in first_games()[:2]:
        assert play_by_host(game.pk) == Attempt.Ending.FINISHED
        finish_others(game)
    Match.objects.filter(status="queued").update(due_at=Now() + timedelta(hours=1))
    host("other")
    process = HostProcess(client_of("other"), SITE, Path("/nowhere"))
    while process.play_next() and Recheck.objects.filter(outcome="waiting").exists():
        pass
    assert set(Recheck.objects.values_list("outcome", flat=True)) == {"same"}


# --- Celery workers and hostile hosts --------------------------------------------------------------------------------


def waiting(match: Match) -> Recheck:
    """A game of the host ``lab`` that waits to be played again, with no other work."""
    assert play_by_host(match.pk, random_play) == Attempt.Ending.FINISHED
    finish_others(match)
    Match.objects.filter(status="queued").update(due_at=Now() + timedelta(hours=1))
    return Recheck.objects.get()


@pytest.mark.parametrize(("variety", "outcome"), [(0, "same"), (1, "different")])
def test_a_celery_worker_plays_a_game_again_where_there_is_no_second_host(
    match: Match, every_game: None, variety: int, outcome: str
) -> None:
    waiting(match)
    assert rechecks.play(lambda *_: report_of(match, variety=variety)) == outcome
    recheck = Recheck.objects.get()
    assert (recheck.outcome, recheck.worker.startswith("host:"), recheck.lease) == (outcome, False, None)
    assert rechecks.play(random_play) is None
    assert LedgerEntry.objects.filter(result__match=match).count() == 1


def test_a_host_that_keeps_or_forges_a_recheck_does_not_stop_it(match: Match, every_game: None) -> None:
    recheck, client = waiting(match), client_of(host("other").name)
    given = asked(client)
    assert given is not None and client.renew(given["lease"])
    Recheck.objects.update(lease_until=F("lease_until") - timedelta(hours=2))
    assert client.renew(given["lease"]) is False
    assert rechecks.play(random_play) == "same"
    with pytest.raises(Problem) as problem:
        client.bring(given["lease"], packed_report(report_of(match, variety=1)))
    assert (problem.value.status, problem.value.code) == (409, "lease_unknown")
    Recheck.objects.update(outcome="waiting", ended=None, tries=0)
    third = client_of(host("third").name)
    given = asked(third)
    assert given is not None
    with pytest.raises(Problem) as problem:
        third.bring(given["lease"], packed_document([]))
    assert (problem.value.status, problem.value.code) == (422, "wrong_record")
    recheck.refresh_from_db()
    assert (recheck.outcome, recheck.lease) == ("waiting", None)
    assert asked(third) is None
