from __future__ import annotations

from dataclasses import dataclass
from random import Random

import pytest

from bots.models import Bot
from esr_platform.accounts.models import User
from ladder.matches.schedule import fill
from ladder.models import Ladder, Match
from tests.bots.conftest import sandbox_launcher
from tests.build import DUEL, built_once, finish_all, opened_house, person, staff, uploaded

__all__ = ["sandbox_launcher"]


@dataclass(frozen=True)
class Stage:
    """The ladder for four, the only one that is open, and a queued match, the first of several, if there is one."""

    ladder: Ladder
    match: Match | None = None


def _open() -> Stage:
    opened_house()
    Ladder.objects.exclude(slug="edel-stein-reich-4").update(open=False)
    return Stage(Ladder.objects.get(slug="edel-stein-reich-4"))


def _queued() -> Stage:
    ladder = _open().ladder
    fill(Random(1))
    return Stage(ladder, Match.objects.select_related("ladder", "block").order_by("pk")[0])


def _played() -> Stage:
    stage = _queued()
    finish_all(stage.ladder)
    return stage


STAGES = {"played": _played, "match": _queued, "ladder": _open}


@pytest.fixture
def stage(request: pytest.FixtureRequest, db: None) -> Stage:
    """The last stage that the test needs, as rows that were made once per process."""
    name = next(name for name in STAGES if name in request.fixturenames)
    return built_once(f"stage {name}", STAGES[name])


@pytest.fixture
def house(request: pytest.FixtureRequest, db: None) -> None:
    """All ladders with the house's bots on them."""
    if STAGES.keys() & set(request.fixturenames):
        request.getfixturevalue("stage")
    else:
        opened_house()


@pytest.fixture
def ladder(stage: Stage) -> Ladder:
    """The ladder for four, the only one that is open."""
    return stage.ladder


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
def match(stage: Stage) -> Match:
    """A queued match for four, the first of several in the queue. With ``played``, it is finished."""
    assert stage.match is not None
    return stage.match


@pytest.fixture
def played(stage: Stage) -> Ladder:
    """The ladder for four after all that was queued."""
    return stage.ladder
