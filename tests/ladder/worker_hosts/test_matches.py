"""Matches on worker hosts: what one that means well gets, and that one that does not gets and changes nothing."""

from __future__ import annotations

import os
import zlib
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from time import time
from typing import Any
from uuid import uuid4

import pytest
from django.conf import settings
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.db.models import F
from django.db.models.functions import Now

from bots.client import Problem
from bots.client.work import TokenRefused, WorkClient
from bots.models import Bot, BotVersion, WorkerHost
from bots.protocol import bot_seeds
from bots.runner.report import ForfeitReport, MachineDelay, MatchReport
from bots.sandbox.status import status
from bots.uploads.storage import uploads
from bots.worker.host import HostProcess, Stopping
from esr_platform.accounts.models import Role
from ladder.matches.assignments import seeds_key
from ladder.matches.leases import MOST_FAILURES, claim
from ladder.models import Attempt, Block, DealSeries, Ladder, LedgerEntry, Match, Result, SeatLog
from ladder.operations import drain, resume_host
from ladder.upkeep import sweep
from ladder.worker_hosts.matches import CANDIDATES
from tests.build import (
    DUEL,
    HONEST,
    expire_lease,
    fill_with_blocks,
    first_games,
    match_of,
    person,
    report_of,
)
from tests.ladder.hosts import (
    ABLE,
    SITE,
    SiteTransport,
    asked,
    client_of,
    host,
    packed_document,
    packed_report,
    play_by_host,
    secret_of,
    send_all,
)
from tests.ladder.matches.test_play import random_play, with_fakes

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def lab() -> WorkerHost:
    return host("lab")


def held(client: WorkClient, **said: Any) -> tuple[Match, str]:
    """A match that the host of ``client`` has got, with its lease."""
    send_all()
    assignment = asked(client, **said)
    assert assignment is not None
    return Match.objects.select_related("ladder", "block").get(pk=assignment["match"]), assignment["lease"]


def refused(call: Any, *arguments: Any) -> tuple[int, str]:
    """Status and code with which the site refuses a call."""
    with pytest.raises(Problem) as problem:
        call(*arguments)
    return problem.value.status, problem.value.code


def result_of(match: Match, **options: Any) -> bytes:
    return packed_report(report_of(match, **options))


# --- A host that means well ------------------------------------------------------------------------------------------


def test_a_host_plays_a_match_and_the_site_says_who_played(match: Match) -> None:
    assert play_by_host(match.pk, with_fakes) == Attempt.Ending.FINISHED
    assert [seat["label"] for seat in Result.objects.get().report["seats"]] == [
        str(seat.version) for seat in match.seats.select_related("version__bot").order_by("index")
    ]
    assert match.attempts.get().worker == "host:lab/0"
    assert WorkerHost.objects.get().state in ("ready", "no_sandbox")


def test_a_host_fetches_the_code_of_its_match_once_and_its_owner_can_read_the_log(
    sandbox_launcher: object, bot: Bot, tmp_path: Path
) -> None:
    first, second = (match_of(bot, Ladder.objects.get(slug=DUEL), number) for number in range(2))
    assert play_by_host(first.pk, cache=tmp_path) == Attempt.Ending.FINISHED
    version = bot.active_version
    assert version is not None
    assert [folder.name for folder in (tmp_path / "unpacked").iterdir()] == [version.digest]
    uploads().delete(version.archive)
    assert play_by_host(second.pk, cache=tmp_path) == Attempt.Ending.FINISHED
    assert set(SeatLog.objects.values_list("seat__match", flat=True)) == {first.pk, second.pk}


def test_a_host_without_a_sandbox_gets_only_matches_of_house_bots(bot: Bot, match: Match) -> None:
    uploaded = match_of(bot, Ladder.objects.get(slug=DUEL))
    send_all()
    client, given = client_of(), set()
    for _ in first_games():
        assignment = asked(client, uploads=False, rated=False, languages=[], problem="no bubblewrap")
        given |= {int(assignment["match"])} if assignment else set()
    assert match.pk in given
    assert uploaded.pk not in given
    assert (WorkerHost.objects.get().state, "no bubblewrap" in WorkerHost.objects.get().message) == ("no_sandbox", True)


def test_a_match_whose_code_is_lost_fails_and_pauses_the_bot_once_it_is_void(bot: Bot) -> None:
    match = match_of(bot, Ladder.objects.get(slug=DUEL))
    version = bot.active_version
    assert version is not None
    uploads().delete(version.archive)
    for number in range(MOST_FAILURES):
        host(f"lab-{number}")
        Match.objects.update(due_at=F("created"))
        client = client_of(f"lab-{number}")
        _, lease = held(client)
        assert refused(client.code, lease, version.digest) == (409, "code_lost")
    match.refresh_from_db()
    bot.refresh_from_db()
    assert (match.status, bot.paused is not None) == ("void", True)


def test_a_host_that_stops_gives_its_match_back_and_that_is_no_failure(match: Match, tmp_path: Path) -> None:
    def stopping(spec: Any, observer: Any = None) -> Any:
        process.stop()

    status()
    send_all()
    process = HostProcess(client_of(), SITE, tmp_path, runner=stopping)
    with pytest.raises(Stopping):
        process.play_next()
    assert Counter(Attempt.objects.values_list("ending", flat=True)) == {"returned": 1}


# --- The edges -------------------------------------------------------------------------------------------------------


def test_a_wrong_token_is_refused_and_guesses_are_counted(match: Match) -> None:
    send_all()
    stranger = WorkClient(SITE, "esrw_guessed", poll_s=0, transport=SiteTransport())
    codes = set()
    for _ in range(settings.REQUESTS_PER_MINUTE["guesses"] + 1):
        with pytest.raises(Problem) as problem:
            asked(stranger)
        codes.add(problem.value.code)
    assert codes == {"authentication_failed", "throttled"}
    assert not Attempt.objects.exists()


def test_a_token_of_a_host_opens_no_other_endpoint_and_an_account_token_none_of_these(match: Match) -> None:
    from django.test import Client

    from esr_platform.accounts import tokens
    from esr_platform.accounts.models import Scope
    from tests.build import person

    known = {"Authorization": f"Bearer {secret_of('lab')}"}
    assert Client().get("/api/v1/token", headers=known).status_code == 401
    _, secret = tokens.issue(person("ada"), "all", list(Scope), None)
    with pytest.raises(TokenRefused):
        asked(WorkClient(SITE, secret, poll_s=0, transport=SiteTransport()))


def test_a_revoked_host_gets_nothing_and_its_match_is_given_to_another(match: Match) -> None:
    client = client_of()
    taken, lease = held(client)
    call_command("worker_hosts", "revoke", "lab")
    with pytest.raises(TokenRefused):
        client.bring(lease, result_of(taken))
    with pytest.raises(TokenRefused):
        asked(client)
    assert client.renew(lease) is False
    expire_lease(taken)
    sweep()
    host("other")
    Match.objects.filter(pk=taken.pk).update(due_at=F("created"))
    assert play_by_host(taken.pk, random_play, name="other") == Attempt.Ending.FINISHED


def test_a_host_without_the_scope_gets_nothing(match: Match, lab: WorkerHost) -> None:
    send_all()
    WorkerHost.objects.update(scopes=[])
    with pytest.raises(TokenRefused):
        asked(client_of())


def test_a_host_of_another_release_gets_no_work_but_what_it_plays_counts(match: Match) -> None:
    client = client_of()
    taken, lease = held(client)
    with pytest.raises(Problem) as problem:
        asked(client, release="0.0.1")
    assert (problem.value.status, problem.value.code, problem.value.retry_after_s) == (409, "other_release", 60)
    assert WorkerHost.objects.get().state == "other_release"
    assert client.bring(lease, result_of(taken)) == "finished"


def test_a_drained_host_gets_no_work_but_what_it_plays_counts(match: Match) -> None:
    client, operator = client_of(), person("olga", role=Role.OPERATOR)
    taken, lease = held(client)
    drain("host:lab", "A new disk", operator)
    with pytest.raises(Problem) as problem:
        asked(client)
    assert (problem.value.status, problem.value.code, problem.value.retry_after_s) == (409, "host_drained", 60)
    assert "A new disk." in str(problem.value)
    assert WorkerHost.objects.get().state == "drained"
    assert claim(first_games().filter(status="queued")[0].pk, "host:lab/7") is None, "also if it asked before"
    assert client.renew(lease)
    assert client.bring(lease, result_of(taken)) == "finished"
    resume_host("host:lab", "It is there", operator)
    send_all()
    assert asked(client) is not None
    assert WorkerHost.objects.get().state == "ready"


@pytest.mark.parametrize("off_s", [-600, 600])
def test_a_host_whose_clock_is_off_is_told_and_loses_nothing(match: Match, off_s: int) -> None:
    send_all()
    client = client_of()
    response = client.ask({**ABLE, "clock": time() + off_s})
    assert "10 min" in response["notice"]
    assert WorkerHost.objects.get().state == "clock_off"
    taken = Match.objects.select_related("ladder", "block").get(pk=response["assignment"]["match"])
    assert client.bring(response["assignment"]["lease"], result_of(taken)) == "finished"


@pytest.mark.parametrize(
    "said",
    [{"slot": -1}, {"languages": 3}, {"languages": ["x" * 41]}, {"release": "\0"}, {"clock": "now"}, {"more": 1}],
)
def test_a_malformed_request_for_work_is_refused(match: Match, said: dict[str, Any]) -> None:
    send_all()
    assert refused(lambda: asked(client_of(), **said)) == (400, "invalid")
    assert not Attempt.objects.exists()


def test_a_host_holds_at_most_as_many_matches_as_a_token_may(match: Match, settings: Any) -> None:
    settings.MAX_LEASES_PER_WORKER_HOST = 1
    client = client_of()
    held(client)
    send_all()
    assert refused(lambda: asked(client)) == (429, "too_many_leases")


def test_a_token_is_shown_once_and_only_its_hash_is_stored(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("worker_hosts", "create", "lab-2")
    secret = capsys.readouterr().out.strip()
    created = WorkerHost.objects.get(name="lab-2")
    assert secret.startswith(created.hint) and len(created.hint) < 12
    assert secret not in str(WorkerHost.objects.filter(name="lab-2").values())
    call_command("worker_hosts", "list")
    listed = capsys.readouterr().out
    assert "lab-2" in listed and secret not in listed
    with pytest.raises(CommandError):
        call_command("worker_hosts", "create", "lab-2")
    with pytest.raises(CommandError):
        call_command("worker_hosts", "revoke", "nowhere")


# --- A hostile host --------------------------------------------------------------------------------------------------


def other_deal(match: Match) -> Match:
    """A match of another block."""
    return Match.objects.select_related("ladder", "block").exclude(block=match.block).order_by("pk")[0]


def with_record(report: MatchReport, **changes: Any) -> bytes:
    return packed_report(replace(report, record={**report.record, **changes}))


FORGERIES: Mapping[str, Callable[[Match, MatchReport], bytes]] = {
    "outcome": lambda _, report: with_record(report, outcome={**report.record["outcome"], "ranks": [1, 1, 1, 1]}),
    "seed": lambda match, _: result_of(other_deal(match)),
    "steps": lambda _, report: with_record(report, steps=report.record["steps"][:-1]),
    "forfeit": lambda match, report: packed_report(
        replace(report, forfeits=report_of(match, forfeits={0: "exit"}).forfeits)
    ),
    "reason": lambda _, report: packed_report(replace(report, forfeits=(ForfeitReport(0, "hated", 0, None, ""),))),
    "seat": lambda _, report: packed_report(replace(report, machine_delays=(MachineDelay(9, 1, 1, 1, 1),))),
    "seats": lambda _, report: packed_report(replace(report, seats=report.seats[:-1])),
    "times": lambda _, report: packed_report(replace(report, wall_us=-1)),
    "types": lambda _, report: packed_document({"record": {"steps": 3}, "report": report.document(), "logs": {}}),
    "no record": lambda *_: packed_document({"record": None, "report": None, "logs": None}),
    "nested": lambda *_: zlib.compress(
        b'{"record":' + b'{"a":' * 5000 + b"1" + b"}" * 5000 + b',"report":{},"logs":{}}'
    ),
    "bomb": lambda *_: zlib.compress(b" " * (64 << 20), 9),
    "large": lambda *_: os.urandom(3 << 20),
    "noise": lambda *_: b"no zlib",
}
"""What a host brings that did not play the match, or that wants the site to fail."""


@pytest.mark.parametrize("kind", FORGERIES)
def test_a_forged_result_ends_the_attempt_and_counts_for_nobody(match: Match, kind: str) -> None:
    client = client_of()
    taken, lease = held(client)
    assert refused(client.bring, lease, FORGERIES[kind](taken, report_of(taken))) == (422, "wrong_record")
    taken.refresh_from_db()
    assert (taken.status, taken.attempts.get().ending) == ("queued", "failed")
    assert not Result.objects.exists()
    assert not LedgerEntry.objects.filter(kind="result").exists()


def test_what_a_host_says_of_labels_and_seeds_of_bots_is_not_believed(match: Match) -> None:
    client = client_of()
    taken, lease = held(client)
    report = report_of(taken)
    seats = tuple(replace(seat, label="<b>me</b>", bot_seed="0" * 64) for seat in report.seats)
    client.bring(lease, packed_report(replace(report, seats=seats)))
    stored = Result.objects.get().report["seats"]
    assert [seat["bot_seed"] for seat in stored] == list(bot_seeds(seeds_key(), str(taken.pk), 4))
    assert "<b>" not in str(stored)


def test_a_repeated_result_counts_once_and_gets_the_same_answer(match: Match) -> None:
    client = client_of()
    taken, lease = held(client)
    assert [client.bring(lease, result_of(taken, variety=number)) for number in range(3)] == ["finished"] * 3
    assert Result.objects.count() == LedgerEntry.objects.filter(kind="result").count() == 1
    assert refused(client.give_up, lease, "failed", "no") == (409, "lease_ended")


def test_a_result_of_an_expired_lease_is_late_and_the_new_one_counts(match: Match) -> None:
    client, other = client_of(), client_of(host("other").name)
    taken, lease = held(client)
    expire_lease(taken)
    sweep()
    assert client.renew(lease) is False
    assert refused(client.bring, lease, result_of(taken)) == (409, "lease_expired")
    assert refused(client.code, lease, "0" * 64) == (409, "lease_expired")
    Match.objects.filter(pk=taken.pk).update(due_at=F("created"))
    Match.objects.filter(status="queued").exclude(pk=taken.pk).update(due_at=Now() + timedelta(hours=1))
    again, new = held(other)
    assert again == taken
    assert refused(client.bring, new, result_of(taken)) == (409, "lease_unknown")
    assert other.bring(new, result_of(taken)) == "finished"
    assert refused(client.bring, lease, result_of(taken, variety=1)) == (409, "lease_expired")
    assert Result.objects.count() == 1


def test_a_result_of_another_match_under_ones_own_lease_is_no_result(match: Match) -> None:
    client = client_of()
    _, lease = held(client)
    second, _ = held(client)
    assert refused(client.bring, lease, result_of(second)) == (422, "wrong_record")
    assert not Result.objects.exists()


def test_a_lease_of_another_host_or_of_nobody_opens_nothing(match: Match) -> None:
    thief = client_of(host("thief").name)
    taken, lease = held(client_of())
    for stolen in (lease, f"matches/{taken.pk}/{uuid4()}"):
        assert refused(thief.bring, stolen, result_of(taken)) == (409, "lease_unknown")
        assert refused(thief.give_up, stolen, "failed", "") == (409, "lease_unknown")
        assert refused(thief.code, stolen, "0" * 64) == (409, "lease_unknown")
        assert thief.renew(stolen) is False
    taken.refresh_from_db()
    assert taken.status == "running"


def test_no_code_is_given_but_that_of_the_seats_of_the_match_that_is_held(bot: Bot) -> None:
    from tests.build import person, uploaded

    other = uploaded(person("eve"), "Secret", HONEST + b"# a secret\n")
    match = match_of(bot, Ladder.objects.get(slug=DUEL))
    client, transport = client_of(), SiteTransport()
    taken, lease = held(client)
    assert taken == match
    foreign = BotVersion.objects.get(bot=other).digest
    house = match.seats.exclude(version__bot=bot)[0].version.digest
    spy = client_of("lab", transport)
    for digest in (foreign, house, "0" * 64):
        assert refused(spy.code, lease, digest) == (404, "code_unknown")
    own = BotVersion.objects.get(bot=bot)
    with uploads().open(own.archive, "rb") as file:
        assert client.code(lease, own.digest) == file.read()
    client.bring(lease, result_of(taken))
    assert refused(spy.code, lease, own.digest)[0] == 409
    with uploads().open(BotVersion.objects.get(bot=other).archive, "rb") as file:
        code = file.read()
    assert not any(code in body for body in transport.received)


def test_a_host_never_receives_a_key_or_a_seed_but_that_of_its_match(match: Match) -> None:
    transport = SiteTransport()
    client = client_of("lab", transport)
    taken, lease = held(client)
    client.renew(lease)
    refused(client.code, lease, "0" * 64)
    client.bring(lease, result_of(taken))
    received = b"".join(transport.received)
    keys = [settings.SECRET_KEY.encode(), seeds_key().hex().encode()]
    keys += [bytes(key).hex().encode() for key in DealSeries.objects.values_list("key", flat=True)]
    others = Block.objects.exclude(pk=taken.block_id).values_list("seed", flat=True)
    assert bytes(taken.block.seed).hex().encode() in received
    assert [key for key in keys if key in received] == []
    assert [seed for seed in others if bytes(seed).hex().encode() in received] == []


def test_a_host_that_withholds_results_rests_and_voids_no_match(ladder: Ladder) -> None:
    fill_with_blocks(ladder, count=5)
    client = client_of()
    withheld = [held(client)[0] for _ in range(3)]
    for taken in withheld:
        expire_lease(taken)
    sweep()
    Match.objects.update(due_at=F("created"))
    send_all()
    assert refused(lambda: asked(client)) == (429, "host_rests")
    assert WorkerHost.objects.get().state == "resting"
    cache.delete("host:lab/failures")
    given = set()
    for _ in range(CANDIDATES):
        assignment = asked(client)
        if assignment is None:
            break
        given.add(int(assignment["match"]))
    assert given.isdisjoint({taken.pk for taken in withheld}), "others may play them first"
    for running in Match.objects.filter(status="running"):
        expire_lease(running)
    sweep()
    Match.objects.update(due_at=F("created"))
    host("other")
    assert play_by_host(withheld[0].pk, random_play, name="other") == Attempt.Ending.FINISHED


def test_what_a_host_says_about_a_failure_is_not_shown_to_the_public(match: Match) -> None:
    client = client_of()
    taken, lease = held(client)
    assert refused(client.give_up, lease, "mine", "") == (400, "invalid")
    client.give_up(lease, "failed", "buy gems at example.org")
    assert taken.attempts.get().failure == "the worker could not play the match"
