from __future__ import annotations

from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from bots.models import BotVersion
from ladder.matches.candidates import StandingBy, standing_by
from ladder.matches.schedule import fill
from ladder.models import Entry, Estimate, Ladder, LastSeat, Match, Season
from ladder.ratings.draws import packed
from tests.build import new_version, person, uploaded

FOUR = {"edel-stein-reich": [4]}


def ready(ladder: Ladder) -> StandingBy:
    with transaction.atomic():
        return standing_by(Ladder.objects.select_for_update(no_key=True).get(pk=ladder.pk))


def test_candidates_are_read_with_as_many_queries_however_many_there_are(
    ladder: Ladder, django_assert_num_queries: Any
) -> None:
    ready(ladder)
    for number in range(12):
        uploaded(person(f"p{number}"), f"bot {number}", claims=FOUR)
    ready(ladder)
    with django_assert_num_queries(7 + 2):  # and the two of a transaction inside a test's
        assert len(ready(ladder).candidates) == 20


def test_who_comes_waits_from_the_last_block_on(ladder: Ladder) -> None:
    fill()
    bot = uploaded(person("ada"), claims=FOUR)
    (mine,) = [one for one in ready(ladder).candidates if one.owner is not None]
    last = ladder.blocks.latest("pk")
    assert (mine.since, mine.games, mine.version_games) == (last.pk, 0, 0)
    fill()
    assert LastSeat.objects.get(entry__bot=bot).since > last.pk
    ours = next(one for one in ready(ladder).candidates if one.entry == mine.entry)
    assert ours.games == ours.version_games == Match.objects.filter(seats__entry=mine.entry).count() > 0


def test_another_version_starts_again_and_its_bots_games_stay(ladder: Ladder) -> None:
    bot = uploaded(person("ada"), claims=FOUR)
    fill()
    version = new_version(bot, claims=FOUR)
    bot.versions.filter(active=True).update(active=False)
    BotVersion.objects.filter(pk=version.pk).update(active=True)
    (mine,) = [one for one in ready(ladder).candidates if one.owner is not None]
    assert mine.version_games == 0
    assert mine.games > 0


def test_a_frozen_version_goes_on_playing(ladder: Ladder) -> None:
    bot = uploaded(person("ada"), claims=FOUR)
    first = bot.versions.get(active=True)
    Entry.objects.filter(bot=bot, ladder=ladder).update(frozen=first)
    second = new_version(bot, claims={})
    bot.versions.filter(active=True).update(active=False)
    BotVersion.objects.filter(pk=second.pk).update(active=True)
    entry = ladder.entries.get(bot=bot)
    assert ready(ladder).players[entry.pk].version == first


def test_the_width_is_that_of_the_open_seasons_estimate(ladder: Ladder) -> None:
    entry = ladder.entries.select_related("bot").earliest("pk")
    season = Season.objects.get(ladder=ladder, closed=None)
    Estimate.objects.create(
        season=season,
        version=entry.bot.active_version,
        rating=1_500_000,
        low=1_400_000,
        high=1_640_000,
        blocks=3,
        games=12,
        kept_draws=packed([1_500_000]),
        computed=timezone.now(),
    )
    widths = {one.entry: one.width for one in ready(ladder).candidates}
    assert widths.pop(entry.pk) == 240_000
    assert set(widths.values()) == {None}


@pytest.fixture
def lonely(ladder: Ladder) -> Ladder:
    """A ladder without bots of the house."""
    Entry.objects.filter(ladder=ladder).update(active=False)
    return ladder


def test_house_bots_fill_up_a_table_for_which_too_few_are_there(lonely: Ladder) -> None:
    bot = uploaded(person("ada"), claims=FOUR)
    assert fill() > 0
    match = Match.objects.earliest("pk")
    assert match.seats.filter(entry__bot=bot).count() == 1
    assert match.seats.filter(version__bot__owner=None).count() == 3
    assert not Entry.objects.filter(ladder=lonely, active=True, bot__owner=None).exists()


def test_house_bots_that_were_never_entered_are_entered_only_to_fill_up(lonely: Ladder) -> None:
    Entry.objects.filter(ladder=lonely).delete()
    uploaded(person("ada"), claims=FOUR)
    fill()
    house = Entry.objects.filter(ladder=lonely, bot__owner=None)
    assert house.count() >= 3
    assert not house.filter(active=True).exists()


def test_enough_people_play_among_themselves(lonely: Ladder) -> None:
    for name in ("ada", "bob", "eve", "joe"):
        uploaded(person(name), name, claims=FOUR)
    assert fill() > 0
    assert not lonely.entries.filter(bot__owner=None, seats__isnull=False).exists()


def test_an_empty_ladder_is_played_by_the_house(lonely: Ladder) -> None:
    assert fill() > 0
    assert not Match.objects.filter(seats__version__bot__owner__isnull=False).exists()


def test_without_any_bot_that_plays_there_nothing_is_scheduled(lonely: Ladder) -> None:
    BotVersion.objects.filter(bot__owner=None).update(active=False)
    assert fill() == 0
