"""A match at a set time, with real workers that have more to do than they can, and after a restart of all of them."""

from __future__ import annotations

import os
from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from ladder.creation import open_house
from ladder.exhibitions.requests import request_scheduled
from ladder.matches.schedule import fill
from ladder.models import Attempt, Exhibition, Ladder, Match
from tests.build import DUEL, house_version, person, staff, uploaded
from tests.services.ports import slowness, wait_until
from tests.services.workers import Processes

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

ON_TIME_S = 5.0


def start(processes: Processes) -> None:
    processes.worker("matches,soon,on_time", processes=2)
    processes.worker("default")
    processes.beat()


def test_it_begins_within_five_seconds_of_its_time_though_workers_are_busy_and_were_restarted(
    site_processes: Processes,
) -> None:
    open_house()
    uploaded(person("ada"))
    fill()
    start(site_processes)
    wait_until(lambda: Match.objects.filter(status="finished").count() >= 4, "the ladder plays")
    at = timezone.now() + timedelta(seconds=75)
    versions = [house_version("greedy").pk, house_version("haggler").pk]
    exhibition = request_scheduled(staff("eve"), Ladder.objects.get(slug=DUEL), versions, 2, at, uuid4())
    site_processes.end()
    start(site_processes)
    wait_until(
        lambda: Match.objects.filter(block__exhibition=exhibition, status="finished").count() == 4, "it is played"
    )
    begun = list(
        Attempt.objects.filter(match__block__exhibition=exhibition)
        .order_by("started")
        .values_list("started", flat=True)
    )
    late = (begun[0] - at).total_seconds()
    print(f"begun {late:.1f} s after its time, load {os.getloadavg()[0]:.1f}")
    assert 0 <= late <= ON_TIME_S * slowness()
    assert Match.objects.filter(block__exhibition=None, status="finished").exists()
    assert Exhibition.objects.get(pk=exhibition.pk).state in ("running", "finished")
