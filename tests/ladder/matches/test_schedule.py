from __future__ import annotations

from collections import Counter
from datetime import timedelta
from random import Random
from typing import Any

import pytest
from django.db import connection, transaction
from django.test import override_settings
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from bots.models import Bot, BotVersion
from bots.tournaments.seatings import seatings
from esr_platform.accounts.models import User
from games.chance import commitment
from games.registry import GAMES
from ladder.exhibitions.progress import feed
from ladder.matches import leases
from ladder.matches.candidates import LadderCandidates, candidates_of
from ladder.matches.house_bots import ENOUGH_BLOCKS, HOUR, NARROW
from ladder.matches.leases import give_back
from ladder.matches.results import record_result
from ladder.matches.schedule import FIRST, MOST, PATIENCE, QUEUE_LENGTH, fill, house_blocks_for
from ladder.matches.sweep import OVERTAKEN, end_overtaken_matches
from ladder.models import Attempt, Block, Estimate, Ladder, LastSeat, Match, Membership, Season, Seat
from ladder.pairings.candidates import NEW_VERSION_GAMES
from ladder.ratings.draws import packed
from tests.build import active_version, claimed, first_games, new_version, person, report_of, uploaded, variety_of
from tests.build import house_version as house_version
from tests.ladder.exhibitions.builders import a_test

FOUR = {"edel-stein-reich": [4]}


def in_whole_blocks(ladder: Ladder, games: int) -> int:
    """The games of as many blocks as are begun by ``games``."""
    size = len(seatings(ladder.seats))
    return -(-games // size) * size


def wait(matches: object, how_long: timedelta) -> None:
    """Let queued matches have waited for ``how_long``."""
    matches.update(due_at=timezone.now() - how_long)  # type: ignore[attr-defined]


def finish_everything() -> None:
    """Play every queued match, in the order of the queue."""
    for match in Match.objects.filter(status=Match.Status.QUEUED).select_related("ladder", "block").order_by("pk"):
        record_result(claimed(match), report_of(match, variety=variety_of(match)))


def pass_over() -> None:
    """End every queued match without a game, so that there is room."""
    Match.objects.filter(status=Match.Status.QUEUED).update(
        status=Match.Status.CANCELLED, reason="A test goes on.", ended=timezone.now()
    )


def test_every_open_ladder_gets_a_full_queue_of_whole_blocks_and_no_more(house: None) -> None:
    ladders = list(Ladder.objects.filter(players="hosted"))
    assert fill() == sum(in_whole_blocks(ladder, QUEUE_LENGTH) for ladder in ladders)
    assert fill() == 0
    for block in Block.objects.select_related("ladder"):
        assert block.matches.count() == len(seatings(block.ladder.seats))


def test_a_closed_ladder_gets_no_matches(ladder: Ladder) -> None:
    fill()
    assert set(Match.objects.values_list("ladder", flat=True)) == {ladder.pk}


def test_a_ladder_with_more_weight_gets_a_longer_queue(ladder: Ladder) -> None:
    Ladder.objects.filter(pk=ladder.pk).update(weight=3)
    assert fill() == 3 * QUEUE_LENGTH


def test_a_queue_is_as_long_as_what_was_begun_in_the_last_seconds(ladder: Ladder) -> None:
    """Or the workers would have to wait for the clock."""
    fill()
    finish_everything()
    fill()
    finish_everything()
    assert fill() == 2 * QUEUE_LENGTH


def test_running_matches_make_room_for_a_block_and_not_for_more(match: Match) -> None:
    claimed(match)
    assert (fill(), fill()) == (4, 0)


def test_while_all_blocks_run_the_queue_always_has_blocks_that_other_workers_can_begin(ladder: Ladder) -> None:
    """The other games of a running block wait for it, however many blocks run and however long their games last."""
    for _ in range(2 * MOST):
        assert (fill(), fill()) == (QUEUE_LENGTH, 0)
        for match in first_games().filter(status=Match.Status.QUEUED):
            claimed(match)
        Attempt.objects.update(started=timezone.now() - PATIENCE)
        wait(Match.objects.filter(status=Match.Status.QUEUED), PATIENCE + timedelta(seconds=1))
    assert Match.objects.filter(status=Match.Status.QUEUED).count() > MOST * QUEUE_LENGTH


def test_looking_for_room_in_full_queues_takes_no_lock(match: Match) -> None:
    with CaptureQueriesContext(connection) as queries:
        fill()
    assert all(query["sql"].startswith("SELECT") for query in queries)


def test_a_block_is_complete_when_it_is_scheduled(match: Match) -> None:
    games = list(match.block.matches.order_by("seating"))
    seats = [list(game.seats.select_related("membership", "version").order_by("index")) for game in games]
    assert [[seats[0].index(seat) for seat in seats[0]] for _ in seats] == [[0, 1, 2, 3]] * 4
    assert [game.seating for game in games] == [0, 1, 2, 3]
    order = [seat.membership_id for seat in seats[0]]
    assert len(set(order)) == 4
    for game, of_game in zip(games, seats, strict=True):
        assert [seat.membership_id for seat in of_game] == [order[player] for player in seatings(4)[game.seating]]
        for seat in of_game:
            assert seat.membership.ladder_id == match.ladder_id
            assert seat.version.bot_id == seat.membership.bot_id
            assert seat.version.active
    assert match.block.commitment == commitment(bytes(match.block.seed))


def test_no_two_deals_are_the_same_although_the_pairings_are_seeded(house: None) -> None:
    fill(Random(1))
    deals = {bytes(seed) for seed in Block.objects.values_list("seed", flat=True)}
    assert len(deals) == Block.objects.count() > QUEUE_LENGTH


def test_nobody_is_left_behind_counting_the_games_still_queued(ladder: Ladder) -> None:
    fill(Random(2))
    finish_everything()
    fill(Random(3))
    games = [Seat.objects.filter(membership=membership).count() for membership in ladder.memberships.all()]
    assert sum(games) == 4 * 2 * QUEUE_LENGTH
    assert min(games) >= 4


def test_a_bot_that_has_left_is_given_no_matches(ladder: Ladder) -> None:
    away = ladder.memberships.earliest("pk")
    Membership.objects.filter(pk=away.pk).update(active=False)
    fill()
    assert not away.seats.exists()


def test_a_bot_on_leave_is_given_no_matches(ladder: Ladder) -> None:
    away = ladder.memberships.earliest("pk")
    Bot.objects.filter(pk=away.bot_id).update(paused=timezone.now(), pause_reason="It failed.")
    fill()
    assert not away.seats.exists()


def test_code_that_is_not_installed_gets_no_matches(ladder: Ladder) -> None:
    gone = ladder.memberships.earliest("pk")
    BotVersion.objects.filter(bot=gone.bot).update(digest="0" * 64)
    fill()
    assert not gone.seats.exists()


def test_a_row_that_only_calls_itself_a_house_bot_is_not_one(ladder: Ladder) -> None:
    """The catalogue decides: another name or digest gets neither matches nor the freedom to meet its owner's bots."""
    impostor = Bot.objects.create(slug="impostor", name="Impostor", house_name="impostor")
    BotVersion.objects.create(bot=impostor, number=1, digest="1" * 64, active=True)
    membership = Membership.objects.create(ladder=ladder, bot=impostor)
    owner = User.objects.create(username="ada")
    theirs = Bot.objects.create(slug="theirs", name="Theirs", owner=owner)
    real = BotVersion.objects.get(bot__house_name="random", active=True)
    BotVersion.objects.create(bot=theirs, number=1, digest=real.digest, active=True)
    other = Membership.objects.create(ladder=ladder, bot=theirs)
    fill()
    assert not membership.seats.exists()
    assert not other.seats.exists()


def test_the_first_block_of_somebodys_bot_waits_for_no_room_and_goes_first(ladder: Ladder) -> None:
    fill()
    bot = uploaded(person("ada"), formats=FOUR)
    assert fill() in (4, 8)  # a turn of the longest wait may come before
    first = Block.objects.filter(matches__seats__membership__bot=bot).distinct().get()
    assert set(first.matches.values_list("priority", flat=True)) == {FIRST}
    assert not Match.objects.exclude(block=first).filter(priority__gt=0).exists()
    assert fill() == 0


def test_new_bots_of_several_people_have_their_first_blocks_at_once(ladder: Ladder) -> None:
    fill()
    bots = [uploaded(person(name), name, formats=FOUR) for name in ("ada", "bob", "eve")]
    fill()
    assert all(Match.objects.filter(seats__membership__bot=bot).exists() for bot in bots)
    assert Match.objects.filter(priority=FIRST).exists()
    assert fill() == 0


def test_who_brings_many_new_bots_has_one_block_with_priority_at_a_time(ladder: Ladder) -> None:
    fill()
    ada = person("ada")
    bots = [uploaded(ada, name, formats=FOUR) for name in ("a", "b", "c", "d")]

    def first() -> set[int]:
        pending = Match.objects.filter(status__in=Match.PENDING, priority=FIRST, seats__membership__bot__in=bots)
        return set(pending.values_list("block", flat=True))

    fill()
    assert len(first()) == 1
    assert fill() == 0
    finish_everything()
    fill()
    assert len(first()) == 1


def test_who_uploads_versions_without_end_starves_nobody(ladder: Ladder) -> None:
    flooder = uploaded(person("eve"), "flood", formats=FOUR)
    patient = uploaded(person("ada"), "patient", formats=FOUR)
    blocks = Counter[str]()
    for number in range(14):
        version = new_version(flooder, formats=FOUR)
        flooder.versions.filter(active=True).update(active=False)
        BotVersion.objects.filter(pk=version.pk).update(active=True)
        fill(Random(number))
        pass_over()
    for names in Match.objects.filter(seating=0).values_list("seats__membership__bot__name", flat=True):
        blocks[names] += 1
    assert blocks[patient.name] * 4 >= NEW_VERSION_GAMES
    assert min(blocks[membership.bot.name] for membership in ladder.memberships.select_related("bot")) >= 4


def test_a_new_version_is_paired_again_and_again_until_it_has_its_first_games(ladder: Ladder) -> None:
    bot = uploaded(person("ada"), formats=FOUR)
    for _ in range(4):
        fill()
        finish_everything()
    assert LastSeat.objects.get(membership__bot=bot).version_games >= NEW_VERSION_GAMES


def test_a_game_that_never_ends_holds_nothing_but_a_worker(ladder: Ladder) -> None:
    """Its block stays open; the ladder goes on."""
    fill()
    stuck = Match.objects.earliest("pk")
    claimed(stuck)
    for _ in range(3):
        fill()
        others = Match.objects.filter(status=Match.Status.QUEUED).exclude(block=stuck.block)
        for match in others.select_related("ladder", "block").order_by("pk"):
            record_result(claimed(match), report_of(match))
    assert Match.objects.filter(status=Match.Status.FINISHED).count() >= 3 * QUEUE_LENGTH - 1
    assert Block.objects.filter(ended=None).values_list("pk", flat=True).get() == stuck.block_id


def test_games_that_nobody_can_begin_hold_no_place_for_longer_than_a_minute(ladder: Ladder) -> None:
    fill()
    assert fill() == 0
    wait(Match.objects.all(), PATIENCE + timedelta(seconds=1))
    assert fill() == QUEUE_LENGTH
    assert fill() == 0


def test_without_workers_the_queue_grows_to_a_few_times_its_length_and_no_further(ladder: Ladder) -> None:
    for _ in range(8):
        fill()
        wait(Match.objects.all(), PATIENCE + timedelta(seconds=1))
    assert Match.objects.count() == MOST * QUEUE_LENGTH


def test_a_queue_full_of_what_nobody_can_play_is_tried_with_others_and_emptied(ladder: Ladder) -> None:
    """Nothing later would be scheduled beside it otherwise, and so nothing could ever overtake it."""
    for _ in range(MOST):
        fill()
        wait(Match.objects.all(), PATIENCE + timedelta(seconds=1))
    stuck = list(Match.objects.values_list("pk", flat=True))
    assert fill() == 0
    wait(Match.objects.all(), OVERTAKEN + timedelta(seconds=1))
    block = len(seatings(ladder.seats))
    assert (fill(), fill()) == (block, 0)
    assert end_overtaken_matches() == 0
    for match in first_games().exclude(pk__in=stuck):
        claimed(match)
    Match.objects.filter(status="running").update(started=timezone.now() - OVERTAKEN - timedelta(seconds=1))
    assert end_overtaken_matches() == len(stuck) == MOST * QUEUE_LENGTH
    assert fill() == QUEUE_LENGTH


def test_a_match_that_is_given_back_again_and_again_holds_its_ladder_not_up(ladder: Ladder) -> None:
    fill()
    for match in Match.objects.all():
        give_back(claimed(match), Attempt.Ending.DELAYED, "the machine was late")
    wait(Match.objects.all(), PATIENCE + leases.RETRY_AFTER)
    assert fill() == QUEUE_LENGTH


def blocks_of(ladder: Ladder) -> int:
    return Block.objects.filter(ladder=ladder, purpose="ladder").count()


def an_hour_later() -> None:
    Block.objects.update(created=timezone.now() - HOUR)


def estimated(ladder: Ladder, width: int, blocks: int = 10) -> None:
    """Give every version that plays on ``ladder`` an estimate with an interval of this width."""
    season = ladder.seasons.get(closing=None)
    Estimate.objects.filter(season=season).delete()
    for version in BotVersion.objects.filter(
        bot__memberships__ladder=ladder, bot__memberships__active=True, active=True
    ):
        low, high = 1_500_000 - width // 2, 1_500_000 + width - width // 2
        known = {"blocks": blocks, "games": 4 * blocks, "kept_draws": b"", "computed": timezone.now()}
        Estimate.objects.create(season=season, version=version, rating=1_500_000, low=low, high=high, **known)


@override_settings(MAX_HOUSE_BLOCKS_PER_HOUR=3)
def test_house_bots_alone_play_so_many_blocks_an_hour_from_the_first_day(ladder: Ladder) -> None:
    for _ in range(5):
        fill()
        finish_everything()
    assert blocks_of(ladder) == 3
    an_hour_later()
    for _ in range(5):
        fill()
        finish_everything()
    assert blocks_of(ladder) == 6


@override_settings(MAX_HOUSE_BLOCKS_PER_HOUR=3)
def test_house_bots_alone_stop_when_every_interval_is_narrow(ladder: Ladder) -> None:
    estimated(ladder, NARROW)
    assert fill() == 0
    wide = Estimate.objects.latest("pk")
    Estimate.objects.filter(pk=wide.pk).update(high=wide.high + 1)
    assert fill() > 0


@override_settings(MAX_HOUSE_BLOCKS_PER_HOUR=3)
def test_house_bots_alone_stop_when_more_games_would_tell_nothing_new(ladder: Ladder) -> None:
    estimated(ladder, 9 * NARROW, ENOUGH_BLOCKS)
    assert fill() == 0


@override_settings(MAX_HOUSE_BLOCKS_PER_HOUR=3)
def test_a_new_version_of_a_house_bot_wakes_its_ladder(ladder: Ladder) -> None:
    estimated(ladder, NARROW)
    bot = Bot.objects.filter(memberships__ladder=ladder, memberships__active=True).latest("pk")
    assert fill() == 0
    Estimate.objects.filter(version__bot=bot).delete()  # as after an update
    assert fill() > 0


@override_settings(MAX_HOUSE_BLOCKS_PER_HOUR=3)
def test_a_new_version_of_a_house_bot_does_not_wait_for_the_next_hour(ladder: Ladder) -> None:
    while fill():
        finish_everything()
    blocks, old = blocks_of(ladder), house_version("greedy")
    BotVersion.objects.filter(pk=old.pk).update(active=False)
    new = BotVersion.objects.create(
        bot=old.bot, number=99, digest=old.digest, chosen="new", active=True, formats=old.formats
    )
    assert fill() > 0
    assert Seat.objects.filter(version=new).exists()
    finish_everything()
    assert fill() == 0
    assert blocks_of(ladder) == blocks + 1


@override_settings(MAX_HOUSE_BLOCKS_PER_HOUR=0)
def test_where_house_bots_play_no_blocks_a_new_version_waits(ladder: Ladder) -> None:
    assert fill() == 0


@override_settings(MAX_HOUSE_BLOCKS_PER_HOUR=3)
def test_a_bot_of_somebody_is_served_at_once_on_a_ladder_that_rests(ladder: Ladder) -> None:
    estimated(ladder, NARROW)
    assert fill() == 0
    bot = uploaded(person("ada"), "magpie", formats=FOUR)
    assert fill() > 0
    assert Seat.objects.filter(version__bot=bot, match__priority=FIRST).exists()
    for _ in range(5):
        finish_everything()
        fill()
    assert blocks_of(ladder) > 5, "as before: there is no bound where somebody's bot plays"


@override_settings(MAX_HOUSE_BLOCKS_PER_HOUR=0)
def test_what_somebody_orders_is_played_on_a_ladder_that_rests(bot: Bot, duel: Ladder) -> None:
    Membership.objects.filter(bot=bot).update(active=False)
    assert fill() == 0
    a_test(bot.owner, duel, [active_version(bot), house_version("greedy")])
    feed()
    assert Match.objects.filter(block__purpose="test", status="queued").exists()


def test_a_run_is_allowed_the_matches_that_it_is_to_show() -> None:
    round_ = sum(len(seatings(seats)) for game in GAMES.values() for seats in game.seat_counts)
    assert all(house_blocks_for(matches) * round_ > matches for matches in (60, 1000))


@override_settings(MAX_HOUSE_BLOCKS_PER_HOUR=3)
def test_looking_at_ladders_that_rest_takes_no_lock(ladder: Ladder) -> None:
    fill()
    with CaptureQueriesContext(connection) as queries:
        assert fill() == 0
    assert all(query["sql"].startswith("SELECT") for query in queries)


def ready(ladder: Ladder) -> LadderCandidates:
    with transaction.atomic():
        return candidates_of(Ladder.objects.select_for_update(no_key=True).get(pk=ladder.pk))


def test_candidates_are_read_with_as_many_queries_however_many_there_are(
    ladder: Ladder, django_assert_num_queries: Any
) -> None:
    ready(ladder)
    for number in range(12):
        uploaded(person(f"p{number}"), f"bot {number}", formats=FOUR)
    ready(ladder)
    with django_assert_num_queries(7 + 2):  # and the two of a transaction inside a test's
        assert len(ready(ladder).candidates) == 20


def test_who_comes_waits_from_the_last_block_on(ladder: Ladder) -> None:
    fill()
    bot = uploaded(person("ada"), formats=FOUR)
    (mine,) = [candidate for candidate in ready(ladder).candidates if candidate.owner is not None]
    last = ladder.blocks.latest("pk")
    assert (mine.since, mine.games, mine.version_games) == (last.pk, 0, 0)
    fill()
    assert LastSeat.objects.get(membership__bot=bot).since > last.pk
    ours = next(candidate for candidate in ready(ladder).candidates if candidate.membership == mine.membership)
    assert ours.games == ours.version_games == Match.objects.filter(seats__membership=mine.membership).count() > 0


def test_another_version_starts_again_and_its_bots_games_stay(ladder: Ladder) -> None:
    bot = uploaded(person("ada"), formats=FOUR)
    fill()
    version = new_version(bot, formats=FOUR)
    bot.versions.filter(active=True).update(active=False)
    BotVersion.objects.filter(pk=version.pk).update(active=True)
    (mine,) = [candidate for candidate in ready(ladder).candidates if candidate.owner is not None]
    assert mine.version_games == 0
    assert mine.games > 0


def test_a_frozen_version_goes_on_playing(ladder: Ladder) -> None:
    bot = uploaded(person("ada"), formats=FOUR)
    first = bot.versions.get(active=True)
    Membership.objects.filter(bot=bot, ladder=ladder).update(frozen=first)
    second = new_version(bot, formats={})
    bot.versions.filter(active=True).update(active=False)
    BotVersion.objects.filter(pk=second.pk).update(active=True)
    membership = ladder.memberships.get(bot=bot)
    assert ready(ladder).players[membership.pk].version == first


def test_the_width_is_that_of_the_open_seasons_estimate(ladder: Ladder) -> None:
    membership = ladder.memberships.select_related("bot").earliest("pk")
    season = Season.objects.get(ladder=ladder, closed=None)
    Estimate.objects.create(
        season=season,
        version=membership.bot.active_version,
        rating=1_500_000,
        low=1_400_000,
        high=1_640_000,
        blocks=3,
        games=12,
        kept_draws=packed([1_500_000]),
        computed=timezone.now(),
    )
    widths = {candidate.membership: candidate.width for candidate in ready(ladder).candidates}
    assert widths.pop(membership.pk) == 240_000
    assert set(widths.values()) == {None}


@pytest.fixture
def lonely(ladder: Ladder) -> Ladder:
    """A ladder without bots of the house."""
    Membership.objects.filter(ladder=ladder).update(active=False)
    return ladder


def test_house_bots_fill_up_a_table_for_which_too_few_are_there(lonely: Ladder) -> None:
    bot = uploaded(person("ada"), formats=FOUR)
    assert fill() > 0
    match = Match.objects.earliest("pk")
    assert match.seats.filter(membership__bot=bot).count() == 1
    assert match.seats.filter(version__bot__owner=None).count() == 3
    assert not Membership.objects.filter(ladder=lonely, active=True, bot__owner=None).exists()


def test_house_bots_that_were_never_entered_are_entered_only_to_fill_up(lonely: Ladder) -> None:
    Membership.objects.filter(ladder=lonely).delete()
    uploaded(person("ada"), formats=FOUR)
    fill()
    house = Membership.objects.filter(ladder=lonely, bot__owner=None)
    assert house.count() >= 3
    assert not house.filter(active=True).exists()


def test_enough_people_play_among_themselves(lonely: Ladder) -> None:
    for name in ("ada", "bob", "eve", "joe"):
        uploaded(person(name), name, formats=FOUR)
    assert fill() > 0
    assert not lonely.memberships.filter(bot__owner=None, seats__isnull=False).exists()


def test_an_empty_ladder_is_played_by_the_house(lonely: Ladder) -> None:
    assert fill() > 0
    assert not Match.objects.filter(seats__version__bot__owner__isnull=False).exists()


def test_without_any_bot_that_plays_there_nothing_is_scheduled(lonely: Ladder) -> None:
    BotVersion.objects.filter(bot__owner=None).update(active=False)
    assert fill() == 0
