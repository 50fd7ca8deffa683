from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.utils import timezone

from bots.house.catalogue import HOUSE
from bots.models import Bot
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.models import User
from ladder.creation import LIVE_LIMITS, Plan, found_ladder, invite, member_by_link, new_link, remove
from ladder.members.membership import CannotJoin, join, register
from ladder.models import Entry, Ladder
from tests.build import DUEL, person, staff, uploaded


@pytest.fixture
def eve(house: None) -> User:
    return staff("eve")


def plan(**changes: Any) -> Plan:
    return Plan(**{"name": "Fast duels", "game": DUEL, "seats": 2, **changes})


def test_a_ladder_for_everybody_opens_with_a_season_the_chosen_house_and_every_bot_that_claims_it(
    bot: Bot, eve: User
) -> None:
    ladder = found_ladder(plan(limits={"move_ms": 200}, house=["greedy", "vintner"], weight=2), eve)
    assert (ladder.slug, ladder.limits, ladder.weight, ladder.invitation) == ("fast-duels", {"move_ms": 200}, 2, "")
    assert ladder.seasons.get().series.count() == 3
    names = set(Entry.objects.filter(ladder=ladder, active=True).values_list("bot__name", flat=True))
    assert names == {"Greedy", "Mine"}


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"game": "chess"}, "no such table"),
        ({"seats": 4}, "no such table"),
        ({"name": "!!!"}, "needs letters"),
        ({"name": "Test duels"}, "cannot begin with"),
        ({"name": "Live duels"}, "cannot begin with"),
        ({"limits": {"move_ms": 0}}, "These limits are none"),
        ({"limits": {"game_ms": 600_000}}, "workers are cut short"),
        ({"players": "remote", "limits": {"game_ms": 3_600_001}}, "60 min at most"),
        ({"players": "nobody"}, "Choose who plays"),
        ({"freezes_at": timezone.now()}, "still to come"),
        ({"name": "Edel Stein Reich 4", "game": "edel-stein-reich", "seats": 4}, "address edel-stein-reich-4 already"),
    ],
)
def test_a_plan_that_cannot_be_is_refused_with_what_to_do(eve: User, changes: dict[str, Any], sentence: str) -> None:
    before = Ladder.objects.count()
    with pytest.raises(Refused, match=sentence):
        found_ladder(plan(**changes), eve)
    assert Ladder.objects.count() == before


def test_a_ladder_for_remote_bots_opens_with_those_that_claim_it_and_limits_for_networks(eve: User) -> None:
    afar = register(person("ada"), "Afar", {DUEL: [2]}).bot
    ladder = found_ladder(plan(players="remote", house=["greedy"]), eve)
    assert (ladder.live, ladder.limits) == (True, LIVE_LIMITS)
    assert list(ladder.entries.values_list("bot", flat=True)) == [afar.pk]


def test_an_open_ladder_has_the_house_to_play_with(bot: Bot, eve: User) -> None:
    chosen = found_ladder(plan(players="open", house=["greedy"], limits={"game_ms": 3_600_000}), eve)
    assert (chosen.entries.get().bot.name, chosen.limits) == ("Greedy", {"game_ms": 3_600_000})
    everybody = found_ladder(plan(name="Everybody", players="open"), eve)
    names = set(everybody.entries.values_list("bot__house_name", flat=True))
    assert names == {name for name, one in HOUSE.items() if one.plays(DUEL, 2)}


def test_a_class_is_seen_and_entered_by_members_alone(bot: Bot, eve: User) -> None:
    ladder = found_ladder(plan(private=True, freezes_at=timezone.now() + timedelta(days=1)), eve)
    carl = person("carl")
    assert not Entry.objects.filter(ladder=ladder).exists()
    with pytest.raises(CannotJoin, match="by invitation"):
        join(bot, ladder)
    assert member_by_link(ladder.invitation, bot.owner) == ladder
    assert member_by_link(ladder.invitation, bot.owner) == ladder
    assert join(bot, ladder).active
    seen = {user: ladder in Ladder.objects.visible_to(user) for user in (bot.owner, eve, carl, AnonymousUser())}
    assert list(seen.values()) == [True, True, False, False]
    assert Ladder.objects.visible_to(bot.owner).count() == Ladder.objects.count()


def test_a_new_upload_enters_no_ladder_by_invitation_by_itself(eve: User) -> None:
    ladder = found_ladder(plan(by_invitation=True), eve)
    ada = person("ada")
    invite(ladder, [ada])
    assert not Entry.objects.filter(ladder=ladder, bot=uploaded(ada)).exists()
    assert ladder in Ladder.objects.visible_to(AnonymousUser())


def test_a_link_ends_with_the_next_one(eve: User) -> None:
    ladder = found_ladder(plan(private=True), eve)
    old, ada = ladder.invitation, person("ada")
    assert new_link(ladder) != old
    assert member_by_link(old, ada) is None
    assert member_by_link("", ada) is None
    assert member_by_link("\0", ada) is None


def test_who_is_removed_sees_it_no_more_and_their_bots_leave_with_their_ratings(eve: User) -> None:
    ladder = found_ladder(plan(private=True), eve)
    ada = person("ada")
    invite(ladder, [ada])
    bot = uploaded(ada, claims={ladder.game: [ladder.seats]})
    join(bot, ladder)
    Entry.objects.filter(ladder=ladder, bot=bot).update(rating=1_512_000)
    assert remove(ladder, ada)
    assert not remove(ladder, ada)
    assert ladder not in Ladder.objects.visible_to(ada)
    entry = Entry.objects.get(ladder=ladder, bot=bot)
    assert (entry.active, entry.rating) == (False, 1_512_000)
    with pytest.raises(CannotJoin, match="by invitation"):
        join(bot, ladder)


def test_nobody_is_invited_to_what_is_for_everybody(eve: User) -> None:
    ladder = found_ladder(plan(), eve)
    with pytest.raises(Refused, match="is for everybody"):
        invite(ladder, [person("ada")])
    assert member_by_link("", person("bob")) is None
