from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import AnonymousUser
from django.db import transaction
from django.utils import timezone

from bots.house.catalogue import HOUSE
from bots.models import Bot, BotVersion
from bots.owners import guest_player, player_of
from esr_platform.accounts.models import User
from games.registry import GAMES
from ladder.creation import LIVE_LIMITS, LadderPlan, found_ladder, open_house
from ladder.ledger.rebuild import rerate
from ladder.matches.leases import give_back
from ladder.members.invitations import invite, member_by_link, new_link, remove
from ladder.members.memberships import PEOPLE_LIMITS, CannotJoin, join, membership_of, register
from ladder.models import Ladder, Match, Membership
from ladder.upkeep import sweep
from tests.build import DUEL, FAILED, claimed, expire_lease, opened_house, person, snapshot, staff, uploaded
from tests.refusals import refused

pytestmark = pytest.mark.django_db


@pytest.fixture
def eve(house: None) -> User:
    return staff("eve")


def plan(**changes: Any) -> LadderPlan:
    return LadderPlan(**{"name": "Fast duels", "game": DUEL, "seats": 2, **changes})


def test_a_public_ladder_opens_with_a_season_and_all_supporting_bots(bot: Bot, eve: User) -> None:
    ladder = found_ladder(plan(limits={"move_ms": 200}, house=["greedy", "vintner"], weight=2), eve)
    assert (ladder.slug, ladder.limits, ladder.weight, ladder.invitation) == ("fast-duels", {"move_ms": 200}, 2, "")
    assert ladder.seasons.get().series.count() == 3
    names = set(Membership.objects.filter(ladder=ladder, active=True).values_list("bot__name", flat=True))
    assert names == {"Greedy", "Mine"}


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"game": "chess"}, "unknown_format"),
        ({"seats": 4}, "unknown_format"),
        ({"name": "!!!"}, "no_slug"),
        ({"name": "Test duels"}, "reserved_slug"),
        ({"name": "Live duels"}, "reserved_slug"),
        ({"limits": {"move_ms": 0}}, "invalid_limits"),
        ({"limits": {"game_ms": 600_000}}, "match_too_long"),
        ({"players": "remote", "limits": {"game_ms": 3_600_001}}, "game_too_long"),
        ({"players": "nobody"}, "players"),
        ({"freezes_at": timezone.now()}, "deadline_passed"),
        ({"name": "Edel Stein Reich 4", "game": "edel-stein-reich", "seats": 4}, "slug_taken"),
    ],
)
def test_an_invalid_plan_is_refused(eve: User, changes: dict[str, Any], code: str) -> None:
    before = Ladder.objects.count()
    with refused(code):
        found_ladder(plan(**changes), eve)
    assert Ladder.objects.count() == before


def test_a_ladder_for_remote_bots_opens_with_those_that_claim_it_and_limits_for_networks(eve: User) -> None:
    afar = register(person("ada"), "Afar", {DUEL: [2]}).bot
    ladder = found_ladder(plan(players="remote", house=["greedy"]), eve)
    assert (ladder.live, ladder.limits) == (True, LIVE_LIMITS)
    assert list(ladder.memberships.values_list("bot", flat=True)) == [afar.pk]


def test_an_open_ladder_has_the_house_to_play_with(bot: Bot, eve: User) -> None:
    chosen = found_ladder(plan(players="open", house=["greedy"], limits={"game_ms": 3_600_000}), eve)
    assert (chosen.memberships.get().bot.name, chosen.limits) == ("Greedy", {"game_ms": 3_600_000})
    everybody = found_ladder(plan(name="Everybody", players="open"), eve)
    names = set(everybody.memberships.values_list("bot__house_name", flat=True))
    assert names == {name for name, program in HOUSE.items() if program.plays(DUEL, 2)}


def test_a_class_is_seen_and_entered_by_members_alone(bot: Bot, eve: User) -> None:
    ladder = found_ladder(plan(private=True, freezes_at=timezone.now() + timedelta(days=1)), eve)
    carl = person("carl")
    assert not Membership.objects.filter(ladder=ladder).exists()
    with refused("invitation_only", CannotJoin):
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
    assert not Membership.objects.filter(ladder=ladder, bot=uploaded(ada)).exists()
    assert ladder in Ladder.objects.visible_to(AnonymousUser())


def test_a_link_ends_with_the_next_one(eve: User) -> None:
    ladder = found_ladder(plan(private=True), eve)
    old, ada = ladder.invitation, person("ada")
    assert new_link(ladder) != old
    assert member_by_link(old, ada) is None
    assert member_by_link("", ada) is None
    assert member_by_link("\0", ada) is None


def test_removed_users_no_longer_see_a_ladder_and_their_bots_keep_ratings(eve: User) -> None:
    ladder = found_ladder(plan(private=True), eve)
    ada = person("ada")
    invite(ladder, [ada])
    bot = uploaded(ada, formats={ladder.game: [ladder.seats]})
    join(bot, ladder)
    Membership.objects.filter(ladder=ladder, bot=bot).update(rating=1_512_000)
    assert remove(ladder, ada)
    assert not remove(ladder, ada)
    assert ladder not in Ladder.objects.visible_to(ada)
    membership = Membership.objects.get(ladder=ladder, bot=bot)
    assert (membership.active, membership.rating) == (False, 1_512_000)
    with refused("invitation_only", CannotJoin):
        join(bot, ladder)


def test_nobody_is_invited_to_a_public_ladder(eve: User) -> None:
    ladder = found_ladder(plan(), eve)
    with refused("not_by_invitation"):
        invite(ladder, [person("ada")])
    assert member_by_link("", person("bob")) is None


def test_every_game_has_a_ladder_for_each_number_of_seats_out_of_the_box(house: None) -> None:
    ladders = Ladder.objects.filter(players="hosted").order_by("pk").values_list("slug", "game", "seats")
    assert list(ladders) == [
        ("edel-stein-reich-3", "edel-stein-reich", 3),
        ("edel-stein-reich-4", "edel-stein-reich", 4),
        ("edel-stein-reich-5", "edel-stein-reich", 5),
        ("edel-stein-reich-duel", "edel-stein-reich-duel", 2),
        ("die-weinhaendler-3", "die-weinhaendler", 3),
        ("die-weinhaendler-4", "die-weinhaendler", 4),
        ("die-weinhaendler-5", "die-weinhaendler", 5),
    ]
    assert ladders.count() == sum(len(game.seat_counts) for game in GAMES.values())


def test_every_ladder_that_takes_them_has_at_least_six_house_entries(house: None) -> None:
    assert all(ladder.memberships.count() >= 6 for ladder in Ladder.objects.filter(players__in=["hosted", "open"]))


def test_opening_again_changes_nothing(house: None) -> None:
    before = snapshot(), list(BotVersion.objects.values()), list(Bot.objects.values())
    open_house()
    assert (snapshot(), list(BotVersion.objects.values()), list(Bot.objects.values())) == before


def test_house_bots_belong_to_nobody_and_have_the_installed_code(house: None) -> None:
    for bot in Bot.objects.all():
        assert bot.owner is None
        assert bot.active_version.digest == HOUSE[bot.house_name].digest()


def test_human_players_have_separate_ladders_with_longer_clocks(house: None) -> None:
    for hosted in Ladder.objects.filter(players="hosted"):
        of_people = Ladder.objects.get(slug=f"{hosted.slug}-people")
        assert (of_people.game, of_people.seats, of_people.limits) == (hosted.game, hosted.seats, PEOPLE_LIMITS)
        assert (of_people.players, of_people.live, of_people.memberships.exists(), of_people.seasons.count()) == (
            "people",
            True,
            False,
            1,
        )


def test_opening_again_leaves_guests_and_people_as_they_are(house: None) -> None:
    guest, ann = guest_player(), player_of(person("ann"))
    membership = membership_of(ann, Ladder.objects.get(slug="die-weinhaendler-3-people"))
    open_house()
    assert guest.bot.versions.get().active
    assert ann.bot.versions.get().active
    assert list(Membership.objects.filter(bot=ann.bot)) == [membership]


def test_changed_code_makes_a_new_version_and_keeps_the_rating(ladder: Ladder) -> None:
    bot = Bot.objects.get(house_name="greedy")
    bot.versions.update(digest="0" * 64)
    Membership.objects.filter(bot=bot).update(active=False)
    open_house()
    assert list(bot.versions.values_list("number", "active")) == [(1, False), (2, True)]
    assert not Membership.objects.filter(bot=bot, active=True).exists()


def test_restored_house_code_is_its_former_version(house: None) -> None:
    bot = Bot.objects.get(house_name="greedy")
    bot.versions.update(active=False)
    bot.versions.create(number=2, digest="0" * 64, active=True)
    open_house()
    assert list(bot.versions.values_list("number", "active")) == [(1, True), (2, False)]


@pytest.mark.parametrize(("attempts", "status"), [(0, "cancelled"), (1, "void")])
def test_queued_matches_with_code_that_is_gone_are_ended_and_say_why(match: Match, attempts: int, status: str) -> None:
    for _ in range(attempts):
        give_back(claimed(match), FAILED, "broken")
    version = match.seats.get(index=0).version
    BotVersion.objects.filter(pk=version.pk).update(digest="0" * 64)
    open_house()
    match.refresh_from_db()
    assert (match.status, match.reason) == (
        status,
        f"{version.bot} has a newer active version than the one scheduled for this match.",
    )
    assert [rebuild.differences for rebuild in rerate(check=True)] == [[]] * Ladder.objects.count()


def test_running_matches_are_left_to_their_worker(match: Match) -> None:
    claimed(match)
    BotVersion.objects.filter(pk=match.seats.get(index=0).version_id).update(digest="0" * 64)
    open_house()
    match.refresh_from_db()
    assert match.status == "running"


def test_a_match_whose_house_code_was_replaced_also_ends(match: Match) -> None:
    claimed(match)
    BotVersion.objects.filter(pk=match.seats.get(index=0).version_id).update(digest="0" * 64)
    open_house()
    expire_lease(match)
    sweep()
    match.refresh_from_db()
    assert match.status == "void"
    assert "has a newer active version" in match.reason


def test_a_house_bot_that_the_catalogue_drops_keeps_its_rating_and_gets_no_matches(house: None) -> None:
    Bot.objects.filter(house_name="greedy").update(house_name="former", slug="house-former")
    open_house()
    former = Bot.objects.get(house_name="former")
    assert former.active_version is None
    assert former.memberships.filter(ladder__players="hosted").count() == 4


def test_the_names_are_fit_for_people(house: None) -> None:
    assert Ladder.objects.get(slug="edel-stein-reich-4").name == "Edel, Stein & Reich, 4 players"
    assert Ladder.objects.get(slug="edel-stein-reich-duel").name == "Edel, Stein & Reich for two"


_OF_ITS_OWN = {"created", "opened", "seed", "key", "key_hash", "hash", "document", "ledger_head"}


class _Undo(Exception):
    pass


def _everything() -> dict[str, list[dict[str, Any]]]:
    """All rows of our own tables, without what is drawn anew or says when."""
    labels = ("bots", "ladder")
    models = [model for label in labels for model in apps.get_app_config(label).get_models()]
    return {
        model.__name__: [
            {name: value for name, value in row.items() if name not in _OF_ITS_OWN}
            for row in model._base_manager.order_by("pk").values()
        ]
        for model in models
    }


def test_the_restored_test_house_equals_the_opened_one() -> None:
    contents = []
    for opens in (open_house, opened_house, opened_house):
        try:
            with transaction.atomic():
                opens()
                contents.append(_unnumbered(_everything()))
                raise _Undo
        except _Undo:
            pass
    assert contents[0] == contents[1] == contents[2]


def _unnumbered(rows: dict[str, list[dict[str, Any]]]) -> dict[str, list[dict[str, Any]]]:
    """Without ids, which depend on what was there before."""
    return {
        name: [
            {key: value for key, value in row.items() if key != "id" and not key.endswith("_id")} for row in of_table
        ]
        for name, of_table in rows.items()
    }
