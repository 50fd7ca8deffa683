"""Celery workers, beat and Redis as they run in the site, killed in the middle of rated games of the house's bots."""

from __future__ import annotations

from random import Random

import pytest
from celery import current_app

from ladder.models import Attempt, Ladder, Match, Result
from ladder.scheduling import QUEUE_LENGTH, fill
from tests.ladder.chaos import accounts, site, under_fire
from tests.services.ports import wait_until
from tests.services.workers import Processes

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]


def ended() -> int:
    return Match.objects.filter(status__in=("finished", "void")).count()


def test_a_task_delivered_five_times_to_two_workers_plays_each_match_once(
    site_processes: Processes, ladder: Ladder
) -> None:
    fill()
    for match in list(Match.objects.all()) * 4:
        current_app.send_task("ladder.tasks.play_match", args=(match.pk,), queue="matches")
    for _ in range(2):
        site_processes.worker("matches")
    wait_until(lambda: ended() == QUEUE_LENGTH, "all matches have ended", 120)
    assert Result.objects.count() == Attempt.objects.count() == QUEUE_LENGTH
    assert accounts() == []


def test_sixty_matches_under_fire_give_sixty_results(site_processes: Processes, house: None) -> None:
    environment = {key: site_processes.environment[key] for key in ("DATABASE_URL", "SECRET_KEY")}
    with site(environment, Random(1)) as running:
        under_fire(running, matches=60, kill_every=4)
    scheduled = Match.objects.count()
    assert scheduled >= 60
    assert list(Match.objects.exclude(status="finished").values_list("status", "reason")) == []
    assert Result.objects.count() == scheduled
    assert len(running.kills) == 6
    assert accounts() == []
