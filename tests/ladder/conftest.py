from __future__ import annotations

from random import Random

import pytest

from bots.models import Bot
from esr_platform.accounts.models import User
from ladder.matches.schedule import fill
from ladder.models import Ladder, Match
from tests.bots.conftest import sandbox_launcher
from tests.build import DUEL, finish_all, opened_house, person, staff, uploaded

__all__ = ["sandbox_launcher"]


@pytest.fixture
def house(db: None) -> None:
    """All ladders with the house's bots on them."""
    opened_house()


@pytest.fixture
def ladder(house: None) -> Ladder:
    """The ladder for four, the only one that is open."""
    Ladder.objects.exclude(slug="edel-stein-reich-4").update(open=False)
    return Ladder.objects.get(slug="edel-stein-reich-4")


@pytest.fixture
def duel(house: None) -> Ladder:
    return Ladder.objects.get(slug=DUEL)


@pytest.fixture
def bot(house: None) -> Bot:
    """An uploaded bot on the ladder for two."""
    return uploaded(person("ada"))


@pytest.fixture
def eve(db: None) -> User:
    """A site admin."""
    return staff("eve")


@pytest.fixture
def match(ladder: Ladder) -> Match:
    """A queued match for four, the first of several in the queue."""
    fill(Random(1))
    return Match.objects.select_related("ladder", "block").order_by("pk")[0]


@pytest.fixture
def played(match: Match) -> Ladder:
    """The ladder for four after all that was queued."""
    return finish_all(match.ladder)
