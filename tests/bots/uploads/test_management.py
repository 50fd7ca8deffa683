from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone

from bots.models import Bot, BotVersion, TextRemoval
from bots.owners import describe, publish_source, rename
from bots.uploads.upload import upload_version
from esr_platform.accounts.errors import NameRefused, TooMany
from esr_platform.accounts.models import User
from ladder.members.memberships import activate, restore, retire
from tests.bots.uploads.brought import DUEL_ONLY, honest, uploaded
from tests.refusals import refused


@pytest.fixture
def bot(ada: User) -> Bot:
    """A bot with three ready versions, of which the last is active."""
    bot = uploaded(ada).bot
    for number in (2, 3):
        upload_version(bot, "bot.py", honest(number), DUEL_ONLY)
    BotVersion.objects.update(state="ready")
    bot.versions.filter(number=3).update(active=True)
    return bot


def version(bot: Bot, number: int) -> BotVersion:
    return bot.versions.get(number=number)


def active(bot: Bot) -> list[int]:
    return list(bot.versions.filter(active=True).values_list("number", flat=True))


def test_an_owner_can_activate_an_older_version(bot: Bot) -> None:
    activate(version(bot, 1))
    assert active(bot) == [1]
    activate(version(bot, 1))
    assert active(bot) == [1]


@pytest.mark.parametrize("state", ["received", "checking", "refused"])
def test_only_a_ready_version_is_activated(bot: Bot, state: str) -> None:
    BotVersion.objects.filter(number=2).update(state=state, reason="It crashed." if state == "refused" else "")
    with refused("version_not_ready"):
        activate(version(bot, 2))
    assert active(bot) == [3]


def test_a_renamed_bot_keeps_its_address(bot: Bot) -> None:
    rename(bot, "  Die   Zweite ")
    bot.refresh_from_db()
    assert (bot.name, bot.slug) == ("Die Zweite", "first")
    rename(bot, "die zweite")


@pytest.mark.parametrize(("name", "code"), [("", "name_length"), ("Other", "name_taken")])
def test_a_name_that_will_not_do_is_refused(ada: User, bot: Bot, name: str, code: str) -> None:
    uploaded(ada, "Other", honest(9))
    with refused(code, NameRefused):
        rename(bot, name)
    bot.refresh_from_db()
    assert bot.name == "First"


def test_a_description_is_text_of_so_many_characters(bot: Bot) -> None:
    describe(bot, "  Greedy,\r\n\r\nbut\tfair. <b>Bold</b>\n")
    bot.refresh_from_db()
    assert bot.description == "Greedy,\n\nbut\tfair. <b>Bold</b>"
    for text, code in (
        ("x" * 2001, "description_length"),
        ("a\u202eb", "description_invisible"),
        ("a\0b", "description_invisible"),
    ):
        with refused(code):
            describe(bot, text)
    describe(bot, "")


def test_what_staff_took_away_cannot_be_written_again(bot: Bot, bob: User) -> None:
    TextRemoval.objects.create(bot=bot, by=bob, what="name", before="Rude Word")
    TextRemoval.objects.create(bot=bot, by=bob, what="description", before="Rude\ntext")
    for again in ("RUDE WORD", "Rúde-W0rd!"):
        with refused("removed_by_moderator", NameRefused):
            rename(bot, again)
    with refused("removed_by_moderator"):
        describe(bot, "rude\ntext")
    rename(bot, "Rude")


def test_the_source_is_private_until_its_owner_publishes_it(bot: Bot) -> None:
    assert bot.public_source is False
    publish_source(bot, True)
    bot.refresh_from_db()
    assert bot.public_source is True


def test_a_retired_bot_is_restored_within_the_limit_of_bots(ada: User, bot: Bot, settings: Any) -> None:
    retire(bot)
    since = bot.retired
    retire(bot)
    assert bot.retired == since is not None
    assert not bot.plays
    settings.MAX_BOTS_PER_USER = 1
    uploaded(ada, "Other", honest(9))
    with refused("bots_per_user", TooMany):
        restore(bot)
    settings.MAX_BOTS_PER_USER = 2
    restore(bot)
    assert bot.plays
    restore(bot)


def test_house_bots_cannot_be_changed(db: None) -> None:
    house = Bot.objects.create(slug="house-greedy", name="Greedy", house_name="greedy", retired=timezone.now())
    for change in (
        lambda: rename(house, "Mine"),
        lambda: describe(house, "Mine"),
        lambda: publish_source(house, True),
        lambda: retire(house),
        lambda: restore(house),
    ):
        with refused("house_bot"):
            change()
