from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.db.models.functions import Now

from ladder.creation import open_house
from ladder.matchmaking.presence import here_among
from ladder.matchmaking.proposals import create_game, join, rematch
from ladder.matchmaking.quick_pairing import seen
from ladder.models import Proposal
from tests.ladder.matchmaking.people import PEOPLE, ended, on, people

pytestmark = pytest.mark.django_db


def test_players_are_online_during_and_shortly_after_a_game() -> None:
    open_house()
    ada, bob = people("ada", "bob")
    match = join(create_game(ada, on(PEOPLE)), bob).match
    assert match is not None
    cache.clear()  # nobody is in the lobby
    assert here_among([ada.pk, bob.pk]) == {ada.pk, bob.pk}
    over = ended(match)
    assert here_among([ada.pk, bob.pk]) == {ada.pk, bob.pk}
    assert rematch(over, ada).state == "open"
    ended(match, 4)
    assert here_among([ada.pk, bob.pk]) == set()


def test_while_the_cache_is_away_offers_stay_and_nobody_is_seen(settings: Any) -> None:
    open_house()
    ada, bob = people("ada", "bob")
    made = create_game(ada, on(PEOPLE))
    settings.CACHES = {
        "default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": "redis://127.0.0.1:9"}
    }
    Proposal.objects.update(expires=Now() + timedelta(seconds=10))
    assert seen([ada.pk, bob.pk]) == 1
    assert here_among([ada.pk, bob.pk]) == set()
    assert join(made, bob).match is not None
    assert here_among([ada.pk, bob.pk]) == {ada.pk, bob.pk}
