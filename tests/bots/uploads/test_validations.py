from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
import redis
from django.core.cache import cache
from django.db import transaction
from django.utils import timezone

from bots.models import BotVersion, Machine
from bots.sandbox import SandboxLauncher
from bots.uploads import hints
from esr_platform.accounts.errors import TooMany
from esr_platform.accounts.models import User
from ladder import validations
from ladder.models import Membership
from tests.bots.uploads.brought import DUEL, honest, uploaded
from tests.build import opened_house
from tests.refusals import refused

pytestmark = pytest.mark.django_db(transaction=True)


def hints_in(broker: str) -> int:
    """How many hints no worker has taken."""
    with redis.Redis.from_url(broker) as client:
        return client.llen(hints.QUEUE)  # type: ignore[return-value]  # synchronous here


def test_the_commit_of_an_upload_sends_a_hint(broker: str, ada: User, settings: Any) -> None:
    settings.MAX_QUEUED_VALIDATIONS_PER_USER = 1
    with transaction.atomic():
        uploaded(ada)
        assert hints_in(broker) == 0
    assert hints_in(broker) == 1
    with refused("queued_validations", TooMany):
        uploaded(ada, "Second", honest(2))
    assert hints_in(broker) == 1


def test_an_upload_that_queues_a_rejected_version_again_sends_a_hint(broker: str, ada: User) -> None:
    uploaded(ada)
    BotVersion.objects.update(state="refused", reason="It was late.")
    uploaded(ada)
    assert hints_in(broker) == 2


def test_lost_hints_are_replaced_while_versions_wait(broker: str, ada: User, bob: User) -> None:
    assert validations.send_hints() == 0
    for owner in (ada, bob):
        uploaded(owner)
    assert validations.send_hints() == 0, "each upload has sent one"
    with redis.Redis.from_url(broker) as client:
        client.delete(hints.QUEUE)
    assert validations.send_hints() == 2
    assert validations.send_hints() == 0, "workers take old hints before new ones"
    assert hints_in(broker) == 2
    BotVersion.objects.update(state="ready")
    assert validations.send_hints() == 0


def test_an_upload_is_accepted_without_a_broker(no_broker: None, ada: User) -> None:
    uploaded(ada)
    assert validations.send_hints() == 0
    assert BotVersion.objects.get().state == "received"


def test_a_validation_that_gives_way_to_another_owner_sends_a_hint(
    broker: str, ada: User, bob: User, sandbox_launcher: SandboxLauncher
) -> None:
    uploaded(ada, games={"edel-stein-reich": [3, 4]})
    uploaded(bob)
    assert validations.validate_next() is None
    assert hints_in(broker) == 3


def test_a_bot_is_on_its_ladders_in_the_moment_it_is_ready(ada: User, sandbox_launcher: SandboxLauncher) -> None:
    opened_house()
    ready, refused = uploaded(ada), uploaded(ada, "Second", b"raise SystemExit(3)\n")
    assert [validations.validate_next(), validations.validate_next(), validations.validate_next()] == [
        ready,
        refused,
        None,
    ]
    assert [entry.ladder.game for entry in Membership.objects.filter(bot=ready.bot)] == [DUEL]
    assert not Membership.objects.filter(bot=refused.bot).exists()


def test_an_idle_site_has_a_machine_look_whether_its_sandbox_was_repaired(broker: str) -> None:
    Machine.objects.create(host="a", sandbox={"ok": False}, told=timezone.now() - timedelta(minutes=1))
    assert validations.send_hints() == 1
    assert validations.send_hints() == 0, "no machine needs to look again so soon"
    cache.clear()
    Machine.objects.update(sandbox={"ok": True, "rated": True})
    assert validations.send_hints() == 0
