"""Leases of rows, shown on versions that wait for their validation."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db.models import QuerySet
from django.utils import timezone

from bots.models import BotVersion
from esr_platform.accounts.models import User
from esr_platform.leases import EXPIRED, FREE, Lease, claim
from tests.bots.uploads.brought import uploaded

LASTS = timedelta(minutes=1)


@pytest.fixture
def version(db: None) -> BotVersion:
    return uploaded(User.objects.create(username="ada"))


def claimed(version: BotVersion) -> Lease[BotVersion]:
    lease = claim(free(), version.pk, LASTS, state="checking")
    assert lease is not None
    return lease


def free() -> QuerySet[BotVersion]:
    return BotVersion.objects.filter(FREE)


def expire() -> None:
    BotVersion.objects.update(lease_until=timezone.now() - timedelta(seconds=1))


def test_a_row_with_a_lease_cannot_be_claimed_before_the_lease_expires(version: BotVersion) -> None:
    claimed(version)
    assert not BotVersion.objects.filter(EXPIRED).exists()
    assert claim(free(), version.pk, LASTS) is None
    expire()
    assert BotVersion.objects.filter(EXPIRED).get() == version
    claimed(version)


def test_a_claim_and_a_renewal_store_changes_and_extend_the_lease(version: BotVersion) -> None:
    lease = claimed(version)
    expire()
    assert lease.renew(validation_report={"ok": None})
    version.refresh_from_db()
    assert (version.state, version.validation_report, version.lease) == ("checking", {"ok": None}, lease.token)
    assert version.lease_until is not None and version.lease_until > timezone.now()


def test_an_expired_lease_stays_valid_until_the_row_is_claimed_again(version: BotVersion) -> None:
    late = claimed(version)
    expire()
    assert late.row.exists()
    lease = claimed(version)
    assert not late.row.exists()
    assert not late.renew(vain_starts=7)
    assert not late.release(state="ready")
    assert lease.release(state="ready")
    version.refresh_from_db()
    assert (version.state, version.vain_starts, version.lease, version.lease_until) == ("ready", 0, None, None)


def test_a_lease_is_released_only_if_the_row_matches(version: BotVersion) -> None:
    lease = claimed(version)
    assert not lease.release(only=EXPIRED, state="received")
    expire()
    assert lease.release(only=EXPIRED, state="received")
    assert not lease.release(state="received"), "it no longer has a lease"
