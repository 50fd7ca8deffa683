from __future__ import annotations

from datetime import timedelta

import pytest
import redis
from django.core.cache import cache
from django.utils import timezone

from bots.models import BotVersion, Machine
from bots.sandbox import SandboxLauncher
from esr_platform.accounts.models import User
from ladder import validations
from ladder.models import Membership
from tests.bots.uploads.brought import DUEL, uploaded
from tests.build import opened_house

pytestmark = pytest.mark.django_db(transaction=True)


def test_workers_are_told_of_as_many_versions_as_wait(broker: str, ada: User, bob: User) -> None:
    assert validations.tell() == 0
    for owner in (ada, bob):
        uploaded(owner)
    assert validations.tell() == 2
    with redis.Redis.from_url(broker) as client:
        assert client.llen("checks") == 2
    BotVersion.objects.update(state="ready")
    assert validations.tell() == 0


def test_without_a_broker_nothing_is_lost(no_broker: None, ada: User) -> None:
    uploaded(ada)
    assert validations.tell() == 0
    assert BotVersion.objects.get().state == "received"


def test_a_bot_is_on_its_ladders_in_the_moment_it_is_ready(ada: User, sandbox_launcher: SandboxLauncher) -> None:
    opened_house()
    ready, refused = uploaded(ada), uploaded(ada, "Second", b"raise SystemExit(3)\n")
    assert [validations.check_next(), validations.check_next(), validations.check_next()] == [ready, refused, None]
    assert [entry.ladder.game for entry in Membership.objects.filter(bot=ready.bot)] == [DUEL]
    assert not Membership.objects.filter(bot=refused.bot).exists()


def test_an_idle_site_has_a_machine_look_whether_its_sandbox_was_repaired(broker: str) -> None:
    Machine.objects.create(host="a", sandbox={"ok": False}, told=timezone.now() - timedelta(minutes=1))
    assert validations.tell() == 1
    assert validations.tell() == 0, "no machine needs to look again so soon"
    cache.clear()
    Machine.objects.update(sandbox={"ok": True, "rated": True})
    assert validations.tell() == 0
