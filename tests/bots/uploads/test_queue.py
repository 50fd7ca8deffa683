from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone

from bots.models import BotVersion
from bots.uploads.queue import claim, claim_next, in_turn, waiting
from bots.uploads.upload import upload_version
from esr_platform.accounts.models import User
from tests.bots.uploads.brought import DUEL_ONLY, honest, uploaded
from tests.services.locks import Meanwhile


@pytest.fixture
def of_ada(ada: User) -> list[BotVersion]:
    """Three versions of Ada's that wait."""
    first = uploaded(ada)
    return [first, *(upload_version(first.bot, "bot.py", honest(number), DUEL_ONLY) for number in (2, 3))]


def lost(version: BotVersion) -> None:
    BotVersion.objects.filter(pk=version.pk).update(lease_until=timezone.now() - timedelta(seconds=1))


def taken() -> int:
    lease = claim_next()
    assert lease is not None
    return lease.pk


def test_whoever_has_many_waiting_does_not_keep_others_waiting(of_ada: list[BotVersion], bob: User) -> None:
    of_bob = uploaded(bob)
    assert [taken() for _ in range(3)] == [of_ada[0].pk, of_bob.pk, of_ada[1].pk]


def test_turns_alternate_where_one_worker_does_everything(of_ada: list[BotVersion], bob: User) -> None:
    first = uploaded(bob)
    of_bob = [first, upload_version(first.bot, "bot.py", honest(2), DUEL_ONLY)]
    order = []
    for _ in range(5):
        lease = claim_next()
        assert lease is not None
        assert lease.release(state="ready")
        order.append(lease.pk)
    assert order == [of_ada[0].pk, of_bob[0].pk, of_ada[1].pk, of_bob[1].pk, of_ada[2].pk]
    assert claim_next() is None


def test_a_check_that_pauses_lets_others_in_before_it_goes_on(of_ada: list[BotVersion], bob: User) -> None:
    of_bob = uploaded(bob)
    lease = claim(of_ada[0].pk)
    assert lease is not None
    assert lease.release(vain_starts=0)
    assert taken() == of_bob.pk
    assert taken() == of_ada[0].pk


def test_a_version_is_taken_up_once(of_ada: list[BotVersion]) -> None:
    assert claim(of_ada[0].pk) is not None
    assert claim(of_ada[0].pk) is None
    BotVersion.objects.filter(pk=of_ada[1].pk).update(state="ready")
    assert claim(of_ada[1].pk) is None


def test_a_lost_worker_s_version_is_taken_up_by_another_and_the_late_one_has_no_say(of_ada: list[BotVersion]) -> None:
    late = claim(of_ada[0].pk)
    assert late is not None
    assert late.renew()
    lost(of_ada[0])
    lease = claim(of_ada[0].pk)
    assert lease is not None
    assert not late.renew()
    assert not late.renew(validation_report={})
    assert not late.release(state="ready")
    assert lease.release(state="ready")


def test_after_a_start_in_vain_a_version_waits_a_while(of_ada: list[BotVersion]) -> None:
    version = of_ada[0]
    lease = claim(version.pk)
    assert lease is not None
    assert lease.release()
    assert claim(version.pk) is None
    assert version not in waiting()
    BotVersion.objects.filter(pk=version.pk).update(tried=timezone.now() - timedelta(seconds=31))
    assert claim(version.pk) is not None
    assert BotVersion.objects.get(pk=version.pk).vain_starts == 2


def test_house_bots_and_what_is_through_wait_for_nothing(of_ada: list[BotVersion]) -> None:
    for version, state, reason in zip(of_ada, ("ready", "refused", "ready"), ("", "Why.", ""), strict=True):
        BotVersion.objects.filter(pk=version.pk).update(state=state, reason=reason)
    assert not in_turn().exists()


@pytest.mark.locks
@pytest.mark.django_db(transaction=True)
def test_of_two_that_take_a_version_up_at_once_one_gets_it(ada: User) -> None:
    version = uploaded(ada)
    with transaction.atomic():
        assert claim(version.pk) is not None
        other = Meanwhile(lambda: claim(version.pk))
        other.is_waiting()
    assert other.ended() is None
    version.refresh_from_db()
    assert version.vain_starts == 1
