from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone

from bots.models import Bot
from esr_platform.accounts.errors import TooMany
from esr_platform.accounts.models import Role
from ladder.exhibitions.choices import choices, games_left
from ladder.exhibitions.requests import cancel, request_comparison, request_scheduled, request_test
from ladder.members.memberships import activate, leave
from ladder.models import Exhibition, Invitation, Ladder
from tests.build import active_version, house_version, new_version, person, uploaded
from tests.ladder.exhibitions.builders import a_comparison, a_test
from tests.refusals import refused


def test_a_test_pins_an_inactive_version_against_the_house(bot: Bot, duel: Ladder) -> None:
    older, newer = active_version(bot), new_version(bot)
    exhibition = a_test(bot.owner, duel, [newer, house_version("greedy")])
    assert (exhibition.kind, exhibition.state, exhibition.games_wanted) == ("test", "running", 4)
    assert [player.version for player in exhibition.players.order_by("index")] == [newer, house_version("greedy")]
    assert a_test(bot.owner, duel, [newer, older]).kind == "test"


def test_other_peoples_bots_make_a_challenge_and_only_with_what_they_play(bot: Bot, duel: Ladder) -> None:
    theirs = uploaded(person("bob"), "Theirs")
    assert a_test(bot.owner, duel, [active_version(bot), active_version(theirs)]).kind == "challenge"
    with refused("version_not_available"):
        a_test(bot.owner, duel, [active_version(bot), new_version(theirs)])


@pytest.mark.parametrize("state", [{"retired": timezone.now()}, {"paused": timezone.now(), "pause_reason": "Lost."}])
def test_paused_and_retired_bots_cannot_be_chosen(bot: Bot, duel: Ladder, state: dict[str, Any]) -> None:
    Bot.objects.filter(pk=bot.pk).update(**state)
    with refused("version_not_available"):
        a_test(bot.owner, duel, [active_version(bot), house_version("greedy")])


def test_a_table_is_full_and_has_nobody_twice(bot: Bot, duel: Ladder) -> None:
    with refused("wrong_number_of_seats"):
        a_test(bot.owner, duel, [active_version(bot)])
    with refused("version_twice"):
        a_test(bot.owner, duel, [active_version(bot), active_version(bot)])
    with refused("version_not_available"):
        a_test(bot.owner, duel, [active_version(bot), house_version("vintner")])
    Ladder.objects.filter(pk=duel.pk).update(open=False)
    duel.refresh_from_db()
    with refused("ladder_closed"):
        a_test(bot.owner, duel, [active_version(bot), house_version("greedy")])


def test_a_comparison_is_of_ones_own_versions_against_enough_opponents(bot: Bot, duel: Ladder) -> None:
    older, newer = active_version(bot), new_version(bot)
    exhibition = a_comparison(
        bot.owner, duel, (newer, older), [house_version("greedy"), house_version("haggler")], most=30
    )
    assert (exhibition.kind, exhibition.games_wanted, exhibition.margin) == ("comparison", 120, 100)
    with refused("too_few_opponents"):
        a_comparison(bot.owner, duel, (newer, older), [])
    with refused("not_your_versions"):
        a_comparison(bot.owner, duel, (newer, house_version("greedy")), [house_version("haggler")])
    with refused("unknown_margin"):
        request_comparison(bot.owner, duel, (newer.pk, older.pk), [house_version("greedy").pk], 5, 33, uuid4())


def test_a_form_sent_twice_is_one_order(bot: Bot, duel: Ladder) -> None:
    token, ids = uuid4(), [active_version(bot).pk, house_version("greedy").pk]
    first = request_test(bot.owner, duel, ids, 2, token)
    assert request_test(bot.owner, duel, ids, 2, token) == first
    with refused("token_used"):
        request_test(person("bob"), duel, [house_version("haggler").pk, house_version("greedy").pk], 2, token)
    assert Exhibition.objects.count() == 1


def test_open_exhibitions_and_games_per_day_of_a_user_are_limited(bot: Bot, duel: Ladder, settings: Any) -> None:
    settings.MAX_OPEN_EXHIBITIONS_PER_USER, settings.MAX_EXHIBITION_MATCHES_PER_DAY = 2, 20
    table = [active_version(bot), house_version("greedy")]
    first = a_test(bot.owner, duel, table, blocks=3)
    assert games_left(bot.owner) == 14
    with refused("exhibition_matches_per_day", TooMany):
        a_test(bot.owner, duel, table, blocks=8)
    a_test(bot.owner, duel, table, blocks=1)
    with refused("open_exhibitions", TooMany):
        a_test(bot.owner, duel, table, blocks=1)
    cancel(first, bot.owner)
    assert games_left(bot.owner) == 18
    a_test(bot.owner, duel, table, blocks=1)


def test_canceled_exhibitions_count_toward_the_daily_limit(bot: Bot, duel: Ladder, settings: Any) -> None:
    settings.MAX_EXHIBITIONS_PER_DAY = 3
    table = [active_version(bot), house_version("greedy")]
    for _ in range(3):
        cancel(a_test(bot.owner, duel, table, blocks=1), bot.owner)
    with refused("exhibitions_per_day", TooMany):
        a_test(bot.owner, duel, table, blocks=1)
    Exhibition.objects.update(created=timezone.now() - timedelta(hours=25))
    a_test(bot.owner, duel, table, blocks=1)


@pytest.mark.parametrize("blocks", [0, -1, 101])
def test_an_order_has_some_blocks_and_not_too_many(bot: Bot, duel: Ladder, blocks: int) -> None:
    with refused("blocks_out_of_range"):
        a_test(bot.owner, duel, [active_version(bot), house_version("greedy")], blocks=blocks)


def test_a_match_at_a_set_time_waits_for_the_other_owners_but_staffs_does_not(bot: Bot, duel: Ladder) -> None:
    theirs, at = uploaded(person("bob"), "Theirs"), timezone.now() + timedelta(hours=1)
    ids = [active_version(bot).pk, active_version(theirs).pk]
    exhibition = request_scheduled(bot.owner, duel, ids, 1, at, uuid4())
    assert (exhibition.state, [agreement.person for agreement in exhibition.agreements.all()]) == (
        "invited",
        [theirs.owner],
    )
    alone = request_scheduled(
        bot.owner, duel, [active_version(bot).pk, house_version("greedy").pk], 3, at, uuid4(), rotated=False
    )
    assert (alone.state, alone.games_wanted) == ("planned", 3)
    eve = person("eve")
    with refused("no_bot_of_yours"):
        request_scheduled(eve, duel, ids, 1, at, uuid4())
    eve.role = Role.MODERATOR
    eve.save()
    assert request_scheduled(eve, duel, ids, 1, at, uuid4()).state == "planned"


@pytest.mark.parametrize(("delta", "code"), [(timedelta(), "time_too_early"), (timedelta(days=91), "time_too_late")])
def test_a_time_is_still_to_come_and_not_too_far(bot: Bot, duel: Ladder, delta: timedelta, code: str) -> None:
    ids = [active_version(bot).pk, house_version("greedy").pk]
    with refused(code):
        request_scheduled(bot.owner, duel, ids, 1, timezone.now() + delta, uuid4())


def test_one_is_offered_ones_own_versions_the_house_and_the_others_that_play(bot: Bot, duel: Ladder) -> None:
    newer, theirs = new_version(bot), uploaded(person("bob"), "Theirs")
    new_version(theirs)
    uploaded(person("carl"), "Wine only", formats={"die-weinhaendler": [3]})
    offered = choices(bot.owner, duel)
    assert list(offered.own) == [newer, active_version(bot)]
    assert house_version("greedy") in offered.house and house_version("vintner") not in offered.house
    assert list(offered.others) == [active_version(theirs)]


def test_former_members_and_versions_that_do_not_play_on_the_ladder_cannot_be_chosen(bot: Bot, duel: Ladder) -> None:
    theirs = uploaded(person("bob"), "Theirs")
    frozen, newer = active_version(theirs), new_version(theirs)
    theirs.memberships.filter(ladder=duel).update(frozen=frozen)
    activate(newer)
    with refused("version_not_available"):
        a_test(bot.owner, duel, [active_version(bot), newer])
    assert a_test(bot.owner, duel, [active_version(bot), frozen]).kind == "challenge"
    leave(theirs, duel)
    with refused("version_not_available"):
        a_test(bot.owner, duel, [active_version(bot), frozen])


def test_on_a_ladder_by_invitation_only_members_can_be_challenged(bot: Bot, duel: Ladder) -> None:
    theirs = uploaded(person("bob"), "Theirs")
    Ladder.objects.filter(pk=duel.pk).update(by_invitation=True)
    duel.refresh_from_db()
    Invitation.objects.create(ladder=duel, person=bot.owner)
    assert a_test(bot.owner, duel, [active_version(bot), active_version(theirs)]).kind == "challenge"
    theirs.memberships.filter(ladder=duel).update(active=False, declined=True)
    with refused("version_not_available"):
        a_test(bot.owner, duel, [active_version(bot), active_version(theirs)])
