from __future__ import annotations

import pytest

from bots.house.catalogue import HOUSE
from bots.models import Bot, BotVersion
from bots.owners import guest_player, player_of
from games.registry import GAMES
from ladder.creation import open_house
from ladder.ledger.rebuild import rerate
from ladder.matches.leases import give_back
from ladder.members.membership import PEOPLE_LIMITS, entry_of
from ladder.models import Entry, Ladder, Match
from ladder.upkeep import sweep
from tests.build import claimed, expire_lease, person, snapshot
from tests.ladder.matches.test_leases import FAILED


def test_every_game_has_a_ladder_for_each_number_of_seats_out_of_the_box(house: None) -> None:
    found = Ladder.objects.filter(players="hosted").order_by("pk").values_list("slug", "game", "seats")
    assert list(found) == [
        ("edel-stein-reich-3", "edel-stein-reich", 3),
        ("edel-stein-reich-4", "edel-stein-reich", 4),
        ("edel-stein-reich-5", "edel-stein-reich", 5),
        ("edel-stein-reich-duel", "edel-stein-reich-duel", 2),
        ("die-weinhaendler-3", "die-weinhaendler", 3),
        ("die-weinhaendler-4", "die-weinhaendler", 4),
        ("die-weinhaendler-5", "die-weinhaendler", 5),
    ]
    assert found.count() == sum(len(game.seat_counts) for game in GAMES.values())


def test_every_ladder_that_takes_them_has_at_least_six_house_entries(house: None) -> None:
    assert all(ladder.entries.count() >= 6 for ladder in Ladder.objects.filter(players__in=["hosted", "open"]))


def test_opening_again_changes_nothing(house: None) -> None:
    before = snapshot(), list(BotVersion.objects.values()), list(Bot.objects.values())
    open_house()
    assert (snapshot(), list(BotVersion.objects.values()), list(Bot.objects.values())) == before


def test_house_bots_belong_to_nobody_and_have_the_installed_code(house: None) -> None:
    for bot in Bot.objects.all():
        assert bot.owner is None
        assert bot.active_version.digest == HOUSE[bot.house_name].digest()


def test_people_have_ladders_of_their_own_with_time_to_think(house: None) -> None:
    for hosted in Ladder.objects.filter(players="hosted"):
        its = Ladder.objects.get(slug=f"{hosted.slug}-people")
        assert (its.game, its.seats, its.limits) == (hosted.game, hosted.seats, PEOPLE_LIMITS)
        assert (its.players, its.live, its.entries.exists(), its.seasons.count()) == ("people", True, False, 1)


def test_opening_again_leaves_guests_and_people_as_they_are(house: None) -> None:
    guest, ann = guest_player(), player_of(person("ann"))
    entry = entry_of(ann, Ladder.objects.get(slug="die-weinhaendler-3-people"))
    open_house()
    assert guest.bot.versions.get().active
    assert ann.bot.versions.get().active
    assert list(Entry.objects.filter(bot=ann.bot)) == [entry]


def test_changed_code_makes_a_new_version_and_keeps_the_rating(ladder: Ladder) -> None:
    bot = Bot.objects.get(house_name="greedy")
    bot.versions.update(digest="0" * 64)
    Entry.objects.filter(bot=bot).update(active=False)
    open_house()
    assert list(bot.versions.values_list("number", "active")) == [(1, False), (2, True)]
    assert not Entry.objects.filter(bot=bot, active=True).exists()


def test_code_that_comes_back_is_the_version_it_was(house: None) -> None:
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
    assert (match.status, match.reason) == (status, f"{version.bot} has a newer version than the one that was to play.")
    assert [rebuild.differences for rebuild in rerate(check=True)] == [[]] * Ladder.objects.count()


def test_running_matches_are_left_to_their_worker(match: Match) -> None:
    claimed(match)
    BotVersion.objects.filter(pk=match.seats.get(index=0).version_id).update(digest="0" * 64)
    open_house()
    match.refresh_from_db()
    assert match.status == "running"


def test_a_match_that_comes_back_after_its_code_was_replaced_is_ended_too(match: Match) -> None:
    claimed(match)
    BotVersion.objects.filter(pk=match.seats.get(index=0).version_id).update(digest="0" * 64)
    open_house()
    expire_lease(match)
    sweep()
    match.refresh_from_db()
    assert match.status == "void"
    assert "has a newer version" in match.reason


def test_a_house_bot_that_the_catalogue_drops_keeps_its_rating_and_gets_no_matches(house: None) -> None:
    Bot.objects.filter(house_name="greedy").update(house_name="former", slug="house-former")
    open_house()
    former = Bot.objects.get(house_name="former")
    assert former.active_version is None
    assert former.entries.filter(ladder__players="hosted").count() == 4


def test_the_names_are_fit_for_people(house: None) -> None:
    assert Ladder.objects.get(slug="edel-stein-reich-4").name == "Edel, Stein & Reich, 4 players"
    assert Ladder.objects.get(slug="edel-stein-reich-duel").name == "Edel, Stein & Reich for two"
