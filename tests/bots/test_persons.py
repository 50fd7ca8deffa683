"""The rows by which people sit at tables."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.db import IntegrityError, transaction
from django.test import override_settings
from django.utils import timezone

from bots import owners, remote
from bots.limits import require_new_bot
from bots.models import Bot, BotVersion
from bots.moderation import complain
from bots.names import clean_name, name_for
from bots.uploads.upload import upload_version
from esr_platform.accounts.errors import NameRefused, TooMany
from esr_platform.accounts.models import User
from games.registry import GAMES
from ladder.members import memberships
from tests.refusals import refused

pytestmark = pytest.mark.django_db


@pytest.fixture
def ann() -> User:
    return get_user_model().objects.create_user("ann-lee", "ann@example.org", "a password of hers")


def test_a_person_gets_one_row_when_they_first_play(ann: User) -> None:
    first, again = owners.player_of(ann), owners.player_of(ann)
    assert first == again
    assert (first.bot.kind, first.bot.name, first.bot.slug, first.bot.owner) == ("person", "ann-lee", "ann-lee", ann)
    assert (first.number, first.language, first.active, first.state) == (1, "person", True, "ready")
    assert all(first.supports(game.slug, seats) for game in GAMES.values() for seats in game.seat_counts)
    assert first.digest == owners.DIGEST


def test_a_user_without_games_has_no_player_row(ann: User) -> None:
    assert owners.known_player(ann) is None
    assert not Bot.objects.exists()


def test_closed_accounts_do_not_play(ann: User) -> None:
    get_user_model().objects.filter(pk=ann.pk).update(is_active=False)
    with refused("account_closed"):
        owners.player_of(ann)
    assert not Bot.objects.exists()


def test_a_name_that_a_bot_has_taken_gives_another_address(ann: User) -> None:
    Bot.objects.create(owner=ann, name="Ann Lee", slug="ann-lee")
    assert owners.player_of(ann).bot.slug == "ann-lee-2"


def test_all_guests_share_a_row_that_is_nobodys() -> None:
    first = owners.guest_player()
    assert first == owners.guest_player()
    assert (first.bot.name, first.bot.owner, first.bot.kind) == ("Guest", None, "person")
    assert owners.is_guest(first.bot)


def test_the_row_is_called_like_its_person_in_its_address_too(ann: User) -> None:
    player = owners.player_of(ann)
    get_user_model().objects.filter(pk=ann.pk).update(username="anna")
    ann.refresh_from_db()
    owners.rename_player(ann)
    player.bot.refresh_from_db()
    assert (player.bot.name, player.bot.slug) == ("anna", "anna")


def test_bots_of_code_exclude_guests_and_human_players(ann: User) -> None:
    owners.guest_player()
    owners.player_of(ann)
    bot = Bot.objects.create(owner=ann, name="Code", slug="code")
    assert list(Bot.objects.of_code()) == [bot]


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "hosted", "house_name": "guest"},
        {"kind": "person", "house_name": "greedy"},
        {"kind": "ghost", "house_name": "ghost"},
    ],
)
def test_nothing_else_is_a_person_or_the_guest(wrong: dict[str, Any]) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        Bot.objects.create(name="X", slug="x", **wrong)


def test_a_person_has_one_row_at_most(ann: User) -> None:
    owners.player_of(ann)
    with pytest.raises(IntegrityError), transaction.atomic():
        Bot.objects.create(owner=ann, name="Again", slug="again", kind=Bot.Kind.PERSON)


def test_a_row_of_a_person_has_one_version(ann: User) -> None:
    player = owners.player_of(ann)
    assert list(BotVersion.objects.filter(bot=player.bot)) == [player]


def test_nobody_else_is_called_guest(ann: User) -> None:
    with refused("name_reserved", NameRefused):
        clean_name("guest")
    with refused("name_link", NameRefused):
        clean_name("http://evil.example")


@pytest.mark.parametrize(
    "name",
    [
        "\u3164",
        "\u2800\u2800",
        "Greedy\u3164",
        "Greedy\u2800",
        "Gr\u0435\u0435dy",
        "Gree-dy",
        "Gu\u0435st",
        "Admin",
        "Staff",
        "bob",
        "B0B",
        "Greed\u1ef5",
        "Greedy\u2019",
        "Greedy'",
        "Other\u2019s",
        "Eve",
    ],
)
def test_a_bot_name_cannot_be_invisible_or_imitate_another_player(ann: User, name: str) -> None:
    User.objects.create_user("bob")
    User.objects.create_user("eve", suspended=timezone.now(), suspension_reason="until Monday", is_active=False)
    Bot.objects.create(name="Greedy", slug="house-greedy", house_name="greedy")
    with pytest.raises(NameRefused):
        name_for(ann, name)


def test_a_bot_keeps_the_name_that_it_has(ann: User) -> None:
    bot = Bot.objects.create(owner=ann, name="Greedy\u2019s", slug="greedys")
    assert name_for(ann, "Greedy\u2019s", bot) == "Greedy\u2019s"
    with pytest.raises(NameRefused):
        name_for(ann, "Greedy\u2019s")


def test_human_players_are_not_editable_bots(ann: User) -> None:
    bot = owners.player_of(ann).bot
    for change in (memberships.retire, memberships.restore, lambda it: owners.rename(it, "Other")):
        with refused("not_a_bot"):
            change(bot)
    with refused("not_a_bot"):
        upload_version(bot, "bot.py", b"print()")
    with refused("not_a_bot"):
        remote.version_for(bot, "second")
    with refused("not_a_bot"):
        complain(bot, ann, "no")


@override_settings(MAX_BOTS_PER_USER=1, MAX_BOTS_EVER_PER_USER=1)
def test_people_count_for_no_limit_of_bots(ann: User) -> None:
    owners.player_of(ann)
    require_new_bot(ann)
    Bot.objects.create(owner=ann, name="Code", slug="code")
    with pytest.raises(TooMany):
        require_new_bot(ann)


def test_a_bot_can_have_the_name_of_its_owner_who_also_plays(ann: User) -> None:
    owners.player_of(ann)
    assert name_for(ann, "ann-lee") == "ann-lee"
