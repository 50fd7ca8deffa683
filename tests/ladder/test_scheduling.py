from __future__ import annotations

from random import Random

from django.db import connection
from django.test.utils import CaptureQueriesContext

from bots.models import Bot, BotVersion
from esr_platform.accounts.models import User
from games.chance import commitment
from ladder.models import Entry, Ladder, Match, Seat
from ladder.results import record_result
from ladder.scheduling import FIRST, QUEUE_LENGTH, fill
from tests.ladder.reports import report_of
from tests.ladder.test_leases import claimed
from tests.ladder.uploaded import person, uploaded


def test_every_open_ladder_gets_a_full_queue_and_no_more(house: None) -> None:
    assert fill() == Ladder.objects.count() * QUEUE_LENGTH
    assert fill() == 0
    assert all(ladder.matches.count() == QUEUE_LENGTH for ladder in Ladder.objects.all())


def test_a_closed_ladder_gets_no_matches(ladder: Ladder) -> None:
    fill()
    assert set(Match.objects.values_list("ladder", flat=True)) == {ladder.pk}


def test_a_ladder_with_more_weight_gets_a_longer_queue(ladder: Ladder) -> None:
    Ladder.objects.filter(pk=ladder.pk).update(weight=3)
    assert fill() == 3 * QUEUE_LENGTH


def test_running_matches_make_room_for_new_ones(match: Match) -> None:
    claimed(match)
    assert fill() == 1


def test_looking_for_room_in_full_queues_takes_no_lock(match: Match) -> None:
    with CaptureQueriesContext(
        connection,
    ) as queries:
        fill()
    assert all(query["sql"].startswith("SELECT") for query in queries)


def test_a_match_is_complete_when_it_is_scheduled(match: Match) -> None:
    seats = list(match.seats.select_related("entry", "version").order_by("index"))
    assert [seat.index for seat in seats] == [0, 1, 2, 3]
    assert len({seat.entry_id for seat in seats}) == 4
    for seat in seats:
        assert seat.entry.ladder_id == match.ladder_id
        assert seat.version.bot_id == seat.entry.bot_id
        assert seat.version.active
    assert match.commitment == commitment(bytes(match.seed))


def test_no_two_deals_are_the_same_although_the_pairings_are_seeded(house: None) -> None:
    scheduled = fill(Random(1))
    assert len({bytes(seed) for seed in Match.objects.values_list("seed", flat=True)}) == scheduled > QUEUE_LENGTH


def test_nobody_is_left_behind_counting_the_games_still_queued(ladder: Ladder) -> None:
    fill(Random(2))
    for match in Match.objects.select_related("ladder"):
        record_result(claimed(match), report_of(match, variety=match.pk))
    fill(Random(3))
    games = [Seat.objects.filter(entry=entry).count() for entry in ladder.entries.all()]
    assert sum(games) == 8 * QUEUE_LENGTH
    assert min(games) >= 2 * QUEUE_LENGTH // len(games)


def test_a_bot_on_leave_is_given_no_matches(ladder: Ladder) -> None:
    away = ladder.entries.first()
    Entry.objects.filter(pk=away.pk).update(active=False)
    fill()
    assert not away.seats.exists()


def test_code_that_is_not_installed_gets_no_matches(ladder: Ladder) -> None:
    gone = ladder.entries.first()
    BotVersion.objects.filter(bot=gone.bot).update(digest="0" * 64)
    fill()
    assert not gone.seats.exists()


def test_too_few_bots_for_a_table_is_no_error(ladder: Ladder) -> None:
    keep = list(ladder.entries.values_list("pk", flat=True)[:3])
    Entry.objects.exclude(pk__in=keep).update(active=False)
    assert fill() == 0


def test_a_row_that_only_calls_itself_a_house_bot_is_not_one(ladder: Ladder) -> None:
    """The catalogue decides: another name or digest gets neither matches nor the freedom to meet its owner's bots."""
    impostor = Bot.objects.create(slug="impostor", name="Impostor", house_name="impostor")
    BotVersion.objects.create(bot=impostor, number=1, digest="1" * 64, active=True)
    entry = Entry.objects.create(ladder=ladder, bot=impostor)
    owner = User.objects.create(username="ada")
    theirs = Bot.objects.create(slug="theirs", name="Theirs", owner=owner)
    real = BotVersion.objects.get(bot__house_name="random", active=True)
    BotVersion.objects.create(bot=theirs, number=1, digest=real.digest, active=True)
    other = Entry.objects.create(ladder=ladder, bot=theirs)
    fill()
    assert not entry.seats.exists()
    assert not other.seats.exists()


def test_the_first_match_of_somebodys_bot_waits_for_no_room_and_goes_first(ladder: Ladder) -> None:
    fill()
    bot = uploaded(person("ada"), claims={"edel-stein-reich": [4]})
    assert fill() == 1
    first = Match.objects.get(seats__entry__bot=bot)
    assert first.priority == FIRST
    assert not Match.objects.exclude(pk=first.pk).filter(priority__gt=0).exists()
    assert fill() == 0


def test_several_new_bots_have_their_first_matches_at_once(ladder: Ladder) -> None:
    fill()
    bots = [uploaded(person(name), name, claims={"edel-stein-reich": [4]}) for name in ("ada", "bob", "eve")]
    fill()
    assert all(Match.objects.filter(seats__entry__bot=bot, priority=FIRST).exists() for bot in bots)
    assert fill() == 0


def test_who_has_a_match_to_play_is_not_new_any_more(ladder: Ladder) -> None:
    bot = uploaded(person("ada"), claims={"edel-stein-reich": [4]})
    fill()
    assert Match.objects.filter(seats__entry__bot=bot, priority=FIRST).count() == 1
