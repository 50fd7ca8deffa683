"""Real processes that upload and check at the same time, on the database of the test run (SQLite or PostgreSQL)."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from bots.models import Bot, BotVersion, Upload
from bots.sandbox import SandboxLauncher
from bots.uploads import hints
from bots.uploads.storage import bytes_of, forget_orphans
from bots.uploads.upload import upload_version
from esr_platform.accounts.models import User
from tests.bots.uploads.brought import DUEL, DUEL_ONLY, honest, uploaded
from tests.ladder.hosts import host
from tests.services.ports import wait_until
from tests.services.races import Race, RaceServer
from tests.services.workers import Processes

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def race(race_server: RaceServer, tmp_path: Path) -> Race:
    return race_server.race_of("tests.bots.uploads.races", tmp_path)


def forget_leases() -> None:
    """As if enough time had passed for the leases of lost workers to run out."""
    BotVersion.objects.filter(lease__isnull=False).update(lease_until=timezone.now() - timedelta(seconds=1))


def test_the_same_new_bot_sent_by_three_processes_at_once_is_one_bot(race: Race, ada: User) -> None:
    got = race(*[("uploading_new", {"owner": ada.pk, "names": ["First"]})] * 3)
    version = BotVersion.objects.get()
    assert got == [[version.pk]] * 3
    assert (Bot.objects.count(), Upload.objects.filter(version=version).count()) == (1, 3)


def test_bots_of_the_same_name_of_two_people_get_two_addresses(race: Race, ada: User, bob: User) -> None:
    names = ["Same", "Same again", "Once more", "Still", "Last"]
    got = race(*[("uploading_new", {"owner": owner.pk, "names": names}) for owner in (ada, bob)])
    assert all(isinstance(version, int) for each in got for version in each)
    assert Bot.objects.values("slug").distinct().count() == 2 * len(names)


def test_versions_sent_at_once_are_numbered_without_a_gap_and_the_same_code_once(race: Race, ada: User) -> None:
    bot = uploaded(ada, data=honest(0)).bot
    BotVersion.objects.update(state="ready")
    orders = ([1, 2, 3], [3, 2, 1], [1, 4, 2])
    got = race(*[("uploading_versions", {"bot": bot.pk, "codes": codes}) for codes in orders])
    assert sorted(bot.versions.values_list("number", flat=True)) == [1, 2, 3, 4, 5]
    number_of: dict[int, int] = {}
    for codes, numbers in zip(orders, got, strict=True):
        for code, number in zip(codes, numbers, strict=True):
            assert number_of.setdefault(code, number) == number


def test_no_limit_of_a_person_is_passed_by_being_quick(race: Race, ada: User, settings: Any) -> None:
    names = [[f"{racer}-{number}" for number in range(8)] for racer in range(3)]
    got = race(*[("uploading_new", {"owner": ada.pk, "names": each}) for each in names])
    refusals = [answer for each in got for answer in each if isinstance(answer, str)]
    assert BotVersion.objects.count() == settings.MAX_QUEUED_VALIDATIONS_PER_USER == 24 - len(refusals)
    assert Upload.objects.count() == settings.MAX_UPLOADS_PER_HOUR


def test_an_upload_whose_process_is_killed_counts_and_leaves_a_file_that_is_deleted_after_a_day(
    race: Race, ada: User, tmp_path: Path
) -> None:
    assert race(("dying_in_an_upload", {"owner": ada.pk})) == [None]
    assert (Upload.objects.count(), Bot.objects.count(), BotVersion.objects.count()) == (1, 0, 0)
    version = uploaded(ada, data=honest(0))
    old = (timezone.now() - timedelta(hours=25)).timestamp()
    files = [path for path in tmp_path.rglob("*.py") if path.is_file()]
    for file in files:
        os.utime(file, (old, old))
    assert (len(files), forget_orphans()) == (2, 1)
    assert bytes_of(version) == honest(0)


@pytest.fixture(params=["celery", "host", "both"])
def paths(request: pytest.FixtureRequest, db: None) -> list[dict[str, str]]:
    """Arguments of two racers: what Celery workers do, what a worker host does over the API, or one of each."""
    of_host = {"host": host("racing").name}
    return {"celery": [{}, {}], "host": [of_host, of_host], "both": [{}, of_host]}[request.param]


def test_of_several_workers_one_takes_up_each_check(
    race: Race, ada: User, bob: User, paths: list[dict[str, str]]
) -> None:
    versions = [uploaded(owner, str(number), honest(number)).pk for owner in (ada, bob) for number in range(4)]
    got = race(*[("taking_up", path) for path in paths])
    assert sorted(pk for each in got for pk in each) == sorted(versions)
    assert set(BotVersion.objects.values_list("state", "vain_starts")) == {("checking", 1)}


def test_workers_side_by_side_end_every_check_once(
    race: Race, ada: User, bob: User, sandbox_launcher: SandboxLauncher, paths: list[dict[str, str]]
) -> None:
    versions = [uploaded(owner, str(number), honest(number)).pk for owner in (ada, bob) for number in range(2)]
    got = race(*[("checking_uploads", {"times": 4, **path}) for path in paths])
    of_celery = [pk for each, path in zip(got, paths, strict=True) for pk in each if not path]
    of_host = sum(sum(each) for each, path in zip(got, paths, strict=True) if path)
    assert len(set(of_celery)) + of_host == len(versions)
    assert set(BotVersion.objects.values_list("state", "active", "lease")) == {("ready", True, None)}


def test_a_worker_killed_in_a_check_loses_nothing_that_was_through(
    race: Race, ada: User, sandbox_launcher: SandboxLauncher
) -> None:
    version = uploaded(ada)
    assert race(("dying_in_a_check", {"table": 0})) == [None]
    version.refresh_from_db()
    assert (version.state, version.vain_starts) == ("checking", 1)
    assert version.lease is not None
    assert race(("checking_uploads", {"times": 1})) == [[]]
    forget_leases()
    assert race(("checking_uploads", {"times": 1})) == [[version.pk]]
    version.refresh_from_db()
    assert (version.state, version.active, version.vain_starts) == ("ready", True, 0)


@pytest.mark.slow
def test_an_upload_is_validated_and_joins_its_ladders_without_the_scheduler(
    site_processes: Processes, ada: User, sandbox_launcher: SandboxLauncher
) -> None:
    from ladder.creation import open_house
    from ladder.models import Membership

    open_house()
    first = uploaded(ada)
    refused = upload_version(first.bot, "bot.py", b"raise SystemExit(3)\n", DUEL_ONLY)
    site_processes.worker("validations")
    done = BotVersion.objects.filter(bot=first.bot, state__in=("ready", "refused"))
    wait_until(lambda: done.count() == 2, "both versions are checked")
    assert [version.state for version in done.order_by("number")] == ["ready", "refused"]
    assert refused.bot.active_version == first
    assert {entry.ladder.game for entry in Membership.objects.filter(bot=first.bot, active=True)} == {DUEL}


@pytest.mark.slow
def test_a_task_delivered_many_times_to_two_workers_checks_each_version_once(
    site_processes: Processes, ada: User, bob: User, sandbox_launcher: SandboxLauncher
) -> None:
    versions = [uploaded(owner, str(number), honest(number)) for owner in (ada, bob) for number in range(2)]
    for _ in range(12):
        hints.send()
    for _ in range(2):
        site_processes.worker("validations")
    wait_until(lambda: BotVersion.objects.filter(state="ready").count() == len(versions), "all are ready")
    assert set(BotVersion.objects.values_list("active", "vain_starts")) == {(True, 0)}
