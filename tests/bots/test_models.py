from __future__ import annotations

from typing import Any

import pytest
from django.db import IntegrityError, transaction

from bots.house.catalogue import HOUSE
from bots.models import Bot, BotVersion
from bots.programs import NotHere, house_bot, program_of
from bots.runner.spec import HouseProgram
from esr_platform.accounts.models import User

pytestmark = pytest.mark.django_db


@pytest.fixture
def greedy() -> Bot:
    return Bot.objects.create(slug="house-greedy", name="Greedy", house_name="greedy")


@pytest.fixture
def ada() -> User:
    return User.objects.create(username="ada")


def version(bot: Bot, number: int = 1, digest: str = "1" * 64, **options: Any) -> BotVersion:
    return BotVersion.objects.create(bot=bot, number=number, digest=digest, **options)


def refused(create: Any) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        create()


def test_a_bot_belongs_to_a_person_or_to_the_house_and_never_to_both(ada: User) -> None:
    refused(lambda: Bot.objects.create(slug="a", name="A"))
    refused(lambda: Bot.objects.create(slug="a", name="A", owner=ada, house_name="greedy"))
    Bot.objects.create(slug="a", name="A", owner=ada)
    Bot.objects.create(slug="b", name="B", owner=ada)


def test_a_house_bot_exists_once(greedy: Bot) -> None:
    refused(lambda: Bot.objects.create(slug="another", name="Greedy", house_name="greedy"))


def test_versions_are_numbered_from_one_and_named_by_their_hash(greedy: Bot) -> None:
    version(greedy)
    refused(lambda: version(greedy, 1, "2" * 64))
    refused(lambda: version(greedy, 2))
    refused(lambda: version(greedy, 0, "2" * 64))
    refused(lambda: version(greedy, 2, "short"))


def test_two_bots_can_have_the_same_code(greedy: Bot, ada: User) -> None:
    version(greedy)
    version(Bot.objects.create(slug="twin", name="Twin", owner=ada))


def test_one_version_of_a_bot_is_active(greedy: Bot) -> None:
    assert greedy.active_version is None
    version(greedy)
    active = version(greedy, 2, "2" * 64, active=True)
    refused(lambda: version(greedy, 3, "3" * 64, active=True))
    assert greedy.active_version == active


def test_the_catalogue_says_which_code_is_the_house_s(greedy: Bot) -> None:
    installed = version(greedy, digest=HOUSE["greedy"].digest())
    assert house_bot(installed) is HOUSE["greedy"]
    assert program_of(installed) == HouseProgram("greedy", installed.digest)


def test_neither_a_name_nor_a_digest_alone_makes_a_house_bot(greedy: Bot, ada: User) -> None:
    renamed = version(greedy)
    copied = version(Bot.objects.create(slug="copy", name="Copy", owner=ada), digest=HOUSE["greedy"].digest())
    swapped = version(greedy, 2, HOUSE["haggler"].digest())
    for bot_version in (renamed, copied, swapped):
        assert house_bot(bot_version) is None
        with pytest.raises(NotHere):
            program_of(bot_version)
