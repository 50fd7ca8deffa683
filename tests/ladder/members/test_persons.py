"""People on ladders: who may play for a rating, where they stand, and what of a bot they are not."""

from __future__ import annotations

import pytest

from bots.models import Bot
from bots.owners import guest_player, player_of
from ladder.creation import LadderPlan, found_ladder
from ladder.exhibitions.choices import choices
from ladder.matches import pauses
from ladder.matchmaking.remote_bots import seat
from ladder.members.invitations import invite, remove
from ladder.members.memberships import (
    PEOPLE_LIMITS,
    CannotJoin,
    enter,
    enter_everybody,
    enters_by_itself,
    join,
    kind_sits,
    may_sit,
    membership_of,
    require_rated,
    retire_player,
)
from ladder.members.suspensions import lift_bots_of, suspend, suspend_bots_of
from ladder.models import Ladder, Membership
from tests.build import DUEL, finish_game, finished_by_hand, people_match, person, staff, uploaded, verified
from tests.refusals import refused

pytestmark = pytest.mark.django_db


@pytest.fixture
def people(house: None) -> Ladder:
    """The ladder of people for two."""
    return Ladder.objects.get(slug=f"{DUEL}-people")


def test_people_sit_at_tables_of_people_and_at_open_ones(house: None) -> None:
    ann = player_of(person("ann"))
    for ladder in Ladder.objects.all():
        assert may_sit(ann, ladder) == kind_sits(ann.bot, ladder) == (ladder.players in ("people", "open"))
        assert not enters_by_itself(ann.bot, ladder)


def test_nobody_else_sits_at_tables_of_people(people: Ladder) -> None:
    bot = uploaded(person("ada"))
    with refused("humans_only", CannotJoin):
        join(bot, people)
    seat()
    enter_everybody()
    assert not people.memberships.exists()


def test_an_entry_is_made_when_they_sit_down_and_is_the_same_again(people: Ladder) -> None:
    ann = player_of(person("ann"))
    enter(ann.bot)
    assert not Membership.objects.filter(bot=ann.bot).exists()
    membership = membership_of(ann, people)
    assert (membership.active, membership.points, membership.games) == (True, 1500, 0)
    assert membership_of(ann, people) == membership


def test_nobody_ticks_a_ladder_for_a_person(people: Ladder) -> None:
    with refused("human_player", CannotJoin):
        join(player_of(person("ann")).bot, people)


def test_claims_change_nothing_for_people(people: Ladder) -> None:
    ann = player_of(person("ann"))
    membership = membership_of(ann, people)
    ann.bot.versions.update(formats={})
    enter(ann.bot)
    enter_everybody()
    membership.refresh_from_db()
    assert membership.active


def test_a_rating_takes_an_address_that_is_theirs() -> None:
    ann = person("ann")
    with refused("email_not_verified"):
        require_rated(ann)
    require_rated(verified("ann"))


def test_guests_have_no_rating(people: Ladder) -> None:
    with refused("no_account"):
        membership_of(guest_player(), people)


def test_where_people_do_not_sit_they_have_no_entry(house: None) -> None:
    ann = player_of(person("ann"))
    with refused("bots_only"):
        membership_of(ann, Ladder.objects.get(slug=DUEL))
    Ladder.objects.filter(slug=f"{DUEL}-people").update(open=False)
    with refused("ladder_closed"):
        membership_of(ann, Ladder.objects.get(slug=f"{DUEL}-people"))


def test_a_ladder_by_invitation_is_for_its_members(house: None) -> None:
    ladder = found_ladder(LadderPlan("Club", DUEL, 2, players="people", by_invitation=True), staff("eve"))
    assert (ladder.limits, ladder.memberships.exists()) == (PEOPLE_LIMITS, False)
    ann = person("ann")
    with refused("invitation_only"):
        membership_of(player_of(ann), ladder)
    invite(ladder, [ann])
    membership = membership_of(player_of(ann), ladder)
    remove(ladder, ann)
    membership.refresh_from_db()
    assert not membership.active
    invite(ladder, [ann])
    assert membership_of(player_of(ann), ladder) == membership
    membership.refresh_from_db()
    assert (membership.active, membership.declined) == (True, False)


def test_people_are_rated_like_bots(people: Ladder) -> None:
    match = finished_by_hand(people, ("ann", "ben"))
    ratings = {membership.bot.name: membership.rating for membership in people.memberships.select_related("bot")}
    assert sum(ratings.values()) == 2 * 1_500_000
    assert all(membership.games == 1 for membership in people.memberships.all())
    assert match.seats.filter(result__rating_after__isnull=False).count() == 2


def test_nobody_is_sent_on_leave_for_what_failed_in_their_chair(people: Ladder) -> None:
    for variety in range(pauses.MOST_BAD):
        finish_game(people_match(people, ("ann", "ben")), variety, forfeits={0: "exit"})
    assert not Bot.objects.filter(paused__isnull=False).exists()
    assert not Bot.objects.filter(bad_in_a_row__gt=0).exists()


def test_a_suspended_person_is_off_the_ladders_until_that_is_lifted(people: Ladder) -> None:
    ann = person("ann")
    membership = membership_of(player_of(ann), people)
    suspend_bots_of(ann)
    membership.refresh_from_db()
    assert not membership.active
    with refused("cannot_play"):
        membership_of(player_of(ann), people)
    lift_bots_of(ann)
    membership.refresh_from_db()
    assert membership.active


def test_staff_suspend_the_account_of_a_person_and_not_the_row(people: Ladder) -> None:
    with refused("not_a_bot"):
        suspend(player_of(person("ann")).bot, staff("eve"), "a reason of some length")


def test_who_is_gone_stands_on_no_ladder(people: Ladder) -> None:
    ann = player_of(person("ann"))
    membership = membership_of(ann, people)
    retire_player(ann.bot)
    membership.refresh_from_db()
    assert not membership.active


def test_nobody_orders_matches_with_people(house: None) -> None:
    ann, guest = player_of(person("ann")), guest_player()
    offered = choices(person("ada"), Ladder.objects.get(slug=DUEL)).everybody
    assert offered
    assert not {ann, guest} & set(offered)
