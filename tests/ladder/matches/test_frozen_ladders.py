from __future__ import annotations

import re
from datetime import timedelta
from random import Random

import pytest
from django.test import Client
from django.utils import timezone

from bots.models import Bot, BotVersion
from ladder.matches.playing_versions import freeze_all, playing_versions
from ladder.matches.schedule import fill
from ladder.members.memberships import CannotJoin, activate, enter, join, leave, restore, retire
from ladder.models import Ladder, Membership, Seat
from tests.build import active_version, new_version, person, uploaded
from tests.refusals import refused

HOUR = timedelta(hours=1)


def membership_of(bot: Bot, ladder: Ladder) -> Membership:
    return Membership.objects.select_related("frozen").get(bot=bot, ladder=ladder)


def with_deadline(ladder: Ladder, ago: timedelta = HOUR) -> None:
    Ladder.objects.filter(pk=ladder.pk).update(freezes_at=timezone.now() - ago)
    ladder.refresh_from_db()


def test_before_the_deadline_nothing_is_frozen(bot: Bot, duel: Ladder) -> None:
    with_deadline(duel, -HOUR)
    assert freeze_all() == 0
    activate(new_version(bot))
    assert membership_of(bot, duel).frozen is None


def test_after_the_deadline_the_version_of_then_goes_on_playing(bot: Bot, duel: Ladder) -> None:
    Ladder.objects.exclude(pk=duel.pk).update(open=False)
    first, second = active_version(bot), new_version(bot)
    with_deadline(duel)
    activate(second)
    assert membership_of(bot, duel).frozen == first
    assert freeze_all() == 0
    assert active_version(bot) == second
    fill(Random(1))
    assert set(Seat.objects.filter(version__bot=bot).values_list("version", flat=True)) == {first.pk}


def test_the_clock_freezes_each_entry_once(bot: Bot, duel: Ladder) -> None:
    with_deadline(duel)
    assert (freeze_all(), freeze_all()) == (1, 0)
    assert membership_of(bot, duel).frozen == active_version(bot)
    assert playing_versions([membership_of(bot, duel)])[bot.pk] == active_version(bot)


def test_a_later_version_that_drops_the_table_takes_nobody_from_a_frozen_ladder(bot: Bot, duel: Ladder) -> None:
    with_deadline(duel)
    activate(new_version(bot, formats={"die-weinhaendler": [3]}))
    assert membership_of(bot, duel).active
    leave(bot, duel)
    assert not membership_of(bot, duel).active
    assert join(bot, duel).active


def test_retiring_takes_a_bot_from_a_frozen_ladder_until_it_is_taken_back(bot: Bot, duel: Ladder) -> None:
    with_deadline(duel)
    freeze_all()
    retire(bot)
    assert not membership_of(bot, duel).active
    restore(bot)
    assert membership_of(bot, duel).active


def test_nobody_new_enters_a_frozen_ladder(house: None, duel: Ladder) -> None:
    with_deadline(duel)
    late = uploaded(person("bob"), "Late")
    assert not Membership.objects.filter(bot=late, ladder=duel).exists()
    with refused("deadline_passed", CannotJoin):
        join(late, duel)


def test_a_version_whose_check_ends_after_the_deadline_was_not_there_in_time(house: None, duel: Ladder) -> None:
    bot = Bot.objects.create(owner=person("ada"), name="Mine", slug="mine")
    Membership.objects.create(bot=bot, ladder=duel, active=False)
    with_deadline(duel)
    version = new_version(bot)
    BotVersion.objects.filter(pk=version.pk).update(validated=timezone.now())
    activate(version)
    assert freeze_all() == 0
    enter(bot)
    membership = membership_of(bot, duel)
    assert (membership.frozen, membership.active) == (None, False)
    with pytest.raises(CannotJoin):
        join(bot, duel)


def test_the_table_shows_the_version_that_plays_there(bot: Bot, duel: Ladder, client: Client) -> None:
    with_deadline(duel)
    activate(new_version(bot))
    text = client.get(f"/ladders/{duel.slug}/").content.decode()
    assert re.search(r'v1 ·\s+<a [^>]*href="/people/ada/"', text) and "v2" not in text
    assert "versions are frozen" in text.lower()
    assert f"{bot.slug},{bot.name},ada,1," in client.get(f"/ladders/{duel.slug}/standings.csv").content.decode()


def test_houses_bots_are_not_frozen(bot: Bot, duel: Ladder) -> None:
    with_deadline(duel)
    freeze_all()
    assert not Membership.objects.filter(ladder=duel, bot__owner=None, frozen__isnull=False).exists()
