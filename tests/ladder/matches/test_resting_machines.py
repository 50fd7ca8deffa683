from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db.models.functions import Now
from django.test import Client
from django.utils import timezone

from bots.runner.failures import PlatformFailure
from bots.runner.launching import Observer
from bots.runner.report import MatchReport
from bots.runner.spec import MatchSpec
from ladder.corrections import withdraw
from ladder.matches.leases import claim
from ladder.matches.play import MANY, REST, play, rests, trouble
from ladder.models import Attempt, Match
from tests.build import report_of, staff

pytestmark = pytest.mark.usefixtures("transactional_db")


def broken(_spec: MatchSpec[Any], _: Observer | None) -> MatchReport:
    raise PlatformFailure("no space left on the device")


def whole(spec: MatchSpec[Any], _: Observer | None) -> MatchReport:
    return report_of(Match.objects.select_related("ladder").get(pk=int(spec.match)))


def queue() -> list[int]:
    Match.objects.filter(status="queued").update(due_at=Now())
    return list(Match.objects.filter(status="queued").order_by("pk").values_list("pk", flat=True))


def test_a_machine_on_which_every_match_fails_rests_and_voids_none(match: Match) -> None:
    for _ in range(5):
        for pk in queue():
            play(pk, broken)
    assert Attempt.objects.count() == MANY
    assert not Match.objects.exclude(status="queued").exists()
    assert trouble() == "no space left on the device"


def test_the_site_says_why_nothing_is_played(match: Match, client: Client) -> None:
    sentence = "No space left on the device."
    assert all(sentence not in client.get(address).content.decode() for address in ("/", "/ladders/"))
    for pk in queue():
        play(pk, broken)
    assert all(sentence in client.get(address).content.decode() for address in ("/", "/ladders/"))


def test_a_machine_tries_again_after_its_rest_and_goes_on_when_it_works(match: Match) -> None:
    pks = queue()
    for pk in pks[:MANY]:
        play(pk, broken)
    assert play(pks[MANY], whole) is None
    Attempt.objects.update(ended=timezone.now() - REST - timedelta(seconds=1))
    assert trouble() == ""
    assert [play(pk, whole) for pk in pks[MANY:]] == ["finished"] * len(pks[MANY:])


def test_one_match_that_fails_again_and_again_is_void_and_stops_nobody(match: Match) -> None:
    endings = [play(pk, broken) for _ in range(3) for pk in queue()[:1]]
    assert endings == ["failed"] * 3
    match.refresh_from_db()
    assert match.status == "void"
    assert play(queue()[0], whole) == "finished"


def test_the_rest_of_one_machine_is_not_that_of_another(match: Match) -> None:
    for pk in queue()[:MANY]:
        play(pk, broken)
    host = Attempt.objects.all()[0].worker.rpartition("/")[0]
    assert rests(host)
    assert not rests("another")


def test_no_machine_rests_because_staff_end_what_it_plays(match: Match) -> None:
    eve = staff("eve")
    for one in queue()[:MANY]:
        assert claim(one, "here/1")
        withdraw(one, "a wrong build", eve)
    assert not rests("here")
    assert trouble() == ""
