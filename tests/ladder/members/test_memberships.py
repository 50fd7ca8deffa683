from __future__ import annotations

from collections.abc import Callable

import pytest

from bots.models import Bot
from bots.owners import make_active
from ladder.creation import open_house
from ladder.matches.play import play
from ladder.matches.schedule import FIRST, fill
from ladder.members.memberships import CannotJoin, activate, enter, join, leave, restore, retire
from ladder.members.standings import standings_of
from ladder.models import Attempt, Ladder, Match, Membership, Seat
from ladder.ratings.elo import START_RATING
from ladder.upkeep import sweep
from tests.build import DUEL, DUEL_ONLY, finished, match_of, new_version, person, uploaded
from tests.refusals import refused

EVERYWHERE = {"edel-stein-reich": [3, 4, 5], "edel-stein-reich-duel": [2]}
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("house")]


def ladders_of(bot: Bot) -> list[str]:
    return list(bot.memberships.filter(active=True).order_by("ladder").values_list("ladder__slug", flat=True))


def test_a_bot_enters_every_open_ladder_that_it_claims() -> None:
    Ladder.objects.filter(slug="edel-stein-reich-5").update(open=False)
    bot = uploaded(person("ada"), formats=EVERYWHERE)
    assert ladders_of(bot) == ["edel-stein-reich-3", "edel-stein-reich-4", "edel-stein-reich-duel"]


def test_entering_again_changes_nothing(bot: Bot) -> None:
    before = list(Membership.objects.order_by("pk").values())
    enter(bot)
    assert list(Membership.objects.order_by("pk").values()) == before


def test_a_bot_without_a_version_that_plays_enters_nothing() -> None:
    bot = Bot.objects.create(owner=person("ada"), name="New", slug="new-one")
    enter(bot)
    assert not bot.memberships.exists()


def test_bots_of_the_house_are_entered_by_the_house_alone(duel: Ladder) -> None:
    membership = duel.memberships.filter(bot__owner=None)[0]
    Membership.objects.filter(pk=membership.pk).update(active=False)
    enter(membership.bot)
    membership.refresh_from_db()
    assert not membership.active


def test_a_ladder_that_is_new_is_entered_when_the_house_opens(bot: Bot, duel: Ladder) -> None:
    bot.memberships.all().delete()
    open_house()
    assert ladders_of(bot) == [duel.slug]


def test_an_unticked_ladder_stays_so_whatever_later_versions_claim(bot: Bot, duel: Ladder) -> None:
    leave(bot, duel)
    activate(new_version(bot, formats=EVERYWHERE))
    assert ladders_of(bot) == ["edel-stein-reich-3", "edel-stein-reich-4", "edel-stein-reich-5"]


def test_a_ladder_can_be_unticked_before_there_is_a_version_for_it(bot: Bot) -> None:
    four = Ladder.objects.get(slug="edel-stein-reich-4")
    leave(bot, four)
    assert bot.pk not in [row.bot.pk for row in standings_of(four)]
    activate(new_version(bot, formats=EVERYWHERE))
    assert four.slug not in ladders_of(bot)


def test_leaving_keeps_the_rating_and_joining_goes_on_with_it(bot: Bot, duel: Ladder) -> None:
    finished(match_of(bot, duel), forfeits={0: "resign"})
    rated = bot.memberships.get()
    leave(bot, duel)
    left = bot.memberships.get()
    assert (left.active, left.declined, left.rating, left.games) == (False, True, rated.rating, 1)
    assert join(bot, duel) == left
    back = bot.memberships.get()
    assert (back.active, back.declined, back.rating) == (True, False, rated.rating)


def test_a_version_that_claims_less_takes_the_bot_off_and_a_later_one_puts_it_back(bot: Bot) -> None:
    activate(new_version(bot, formats={"edel-stein-reich": [3]}))
    assert ladders_of(bot) == ["edel-stein-reich-3"]
    assert not bot.memberships.get(ladder__slug="edel-stein-reich-duel").declined
    activate(bot.versions.get(number=1))
    assert ladders_of(bot) == ["edel-stein-reich-duel"]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda bot, duel: activate(new_version(bot, formats={"edel-stein-reich": [3]})), "unsupported_format"),
        (lambda bot, duel: Ladder.objects.filter(pk=duel.pk).update(open=False), "ladder_closed"),
        (lambda bot, duel: retire(bot), "retired"),
    ],
)
def test_a_ladder_that_a_bot_cannot_join_gives_the_reason(bot: Bot, duel: Ladder, change: object, code: str) -> None:
    change(bot, duel)  # type: ignore[operator]
    with refused(code, CannotJoin):
        join(bot, Ladder.objects.get(pk=duel.pk))


def test_a_version_that_is_not_ready_does_not_play(bot: Bot) -> None:
    version = new_version(bot)
    bot.versions.filter(pk=version.pk).update(state="refused", reason="It crashed.")
    with refused("version_not_ready"):
        activate(version)
    assert bot.active_version == bot.versions.get(number=1)


def untick_and_tick(bot: Bot, duel: Ladder) -> None:
    leave(bot, duel)
    join(bot, duel)


def retire_and_take_back(bot: Bot, duel: Ladder) -> None:
    retire(bot)
    restore(bot)


def claim_less(bot: Bot, duel: Ladder) -> None:
    activate(new_version(bot, formats={"edel-stein-reich": [3]}))


def claim_less_for_a_moment(bot: Bot, duel: Ladder) -> None:
    claim_less(bot, duel)
    activate(bot.versions.get(number=1))


WAYS_OUT = [leave, untick_and_tick, lambda bot, duel: retire(bot), retire_and_take_back, claim_less]
WAYS_BACK = [untick_and_tick, retire_and_take_back, claim_less_for_a_moment]


@pytest.mark.parametrize("go", WAYS_OUT)
def test_what_is_paired_is_played_and_rated_whatever_an_owner_does_meanwhile(
    sandbox_launcher: object, bot: Bot, duel: Ladder, go: Callable[[Bot, Ladder], object]
) -> None:
    """Otherwise a script could look at its waiting pairings and leave those that it does not like."""
    match = match_of(bot, duel)
    go(bot, duel)
    sweep()
    assert [play(game.pk) for game in match.block.matches.all()] == [Attempt.Ending.FINISHED] * 2
    seats = Seat.objects.filter(match__block=match.block, membership__bot=bot).order_by("result__result__pk")
    assert [seat.version for seat in seats] == [bot.versions.get(number=1)] * 2
    membership = bot.memberships.get(ladder=duel)
    assert (membership.games, membership.rating) == (2, seats[1].result.rating_after)
    assert membership.rating != START_RATING


@pytest.mark.parametrize("go", WAYS_BACK)
def test_leaving_and_coming_back_draws_no_other_opponents(
    bot: Bot, duel: Ladder, go: Callable[[Bot, Ladder], object]
) -> None:
    fill()
    drawn = tables_of(bot)
    assert drawn
    for _ in range(3):
        if go is claim_less_for_a_moment and bot.versions.count() > 1:
            activate(bot.versions.get(number=2))
            activate(bot.versions.get(number=1))
        else:
            go(bot, duel)
        sweep()
        fill()
    assert tables_of(bot) == drawn
    assert duel.matches.filter(priority=FIRST).values("block").distinct().count() == 1


def tables_of(bot: Bot) -> list[tuple[int, str]]:
    """The matches of ``bot`` at the duel's ladder, with their states, by id."""
    return list(
        Match.objects.filter(ladder__slug=DUEL, seats__membership__bot=bot).order_by("pk").values_list("pk", "status")
    )


def test_a_retired_bot_gets_no_matches_keeps_its_place_and_can_be_taken_back(bot: Bot, duel: Ladder) -> None:
    match = match_of(bot, duel)
    finished(match)
    retire(bot)
    fill()
    queued = Match.objects.filter(status="queued", seats__membership__bot=bot)
    assert set(queued.values_list("block", flat=True)) == {match.block_id}, "what is paired is played"
    assert bot.pk in [row.bot.pk for row in standings_of(duel)]
    restore(bot)
    assert ladders_of(bot) == [duel.slug]


def test_a_retired_bot_that_never_played_is_not_in_the_table(bot: Bot, duel: Ladder) -> None:
    retire(bot)
    assert bot.pk not in [row.bot.pk for row in standings_of(duel)]


def test_taking_back_respects_what_was_unticked(bot: Bot, duel: Ladder) -> None:
    leave(bot, duel)
    retire(bot)
    restore(bot)
    assert ladders_of(bot) == []


def test_uploaded_bots_are_given_matches_beside_the_house(bot: Bot, duel: Ladder) -> None:
    fill()
    seats = Match.objects.filter(ladder=duel, seats__membership__bot=bot).count()
    assert seats > 0
    assert {seat.version for match in duel.matches.all() for seat in match.seats.filter(membership__bot=bot)} == {
        bot.active_version
    }


def test_bots_of_one_owner_never_meet(duel: Ladder) -> None:
    ada, bob = person("ada"), person("bob")
    bots = [uploaded(ada, f"Ada {number}") for number in range(4)] + [uploaded(bob, "Bob 1")]
    duel.memberships.filter(bot__owner=None).update(active=False)
    fill()
    tables = [
        sorted(match.seats.values_list("membership__bot__owner__username", flat=True)) for match in duel.matches.all()
    ]
    assert tables == [["ada", "bob"]] * len(tables)
    assert tables
    assert bots


def test_one_bot_never_meets_another_version_of_itself_and_meets_the_house_where_it_is_alone(
    bot: Bot, duel: Ladder
) -> None:
    make_active(new_version(bot, formats=DUEL_ONLY))
    duel.memberships.exclude(bot=bot).update(active=False)
    assert not Match.objects.filter(ladder=duel).exists()
    fill()
    tables = [list(match.seats.values_list("version__bot", flat=True)) for match in duel.matches.all()]
    assert {table.count(bot.pk) for table in tables} >= {1}
    assert max(table.count(bot.pk) for table in tables) == 1
