from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

from django.utils import timezone

from bots.models import Bot
from bots.tournaments.seatings import seatings
from ladder.exhibitions.progress import (
    AHEAD,
    READY_BEFORE,
    differences,
    feed,
    over_in_turn,
    rows,
    scores,
    walk_of,
)
from ladder.exhibitions.requests import answer, cancel, request_scheduled
from ladder.matches.blocks import UNRATED_PRIORITY
from ladder.matches.dispatch import AT_A_SET_TIME, dispatch
from ladder.matches.leases import claim
from ladder.models import Exhibition, Ladder, LedgerEntry, Match, SeatResult
from ladder.ratings.sprt import TestVerdict
from ladder.seasons import close
from tests.build import (
    active_version,
    finish_game,
    first_games,
    house_version,
    make_void,
    new_version,
    person,
    staff,
    uploaded,
    variety_of,
)
from tests.ladder.exhibitions.builders import a_comparison, a_test, blocks_of, play_all
from tests.refusals import refused


def test_a_test_is_played_step_by_step_unrated_and_ends(bot: Bot, duel: Ladder) -> None:
    exhibition = a_test(bot.owner, duel, [active_version(bot), house_version("greedy")], blocks=AHEAD + 2)
    assert feed() == AHEAD
    assert feed() == 0
    before = dict(duel.memberships.values_list("pk", "rating"))
    play_all(exhibition)
    assert (exhibition.state, len(blocks_of(exhibition))) == ("finished", AHEAD + 2)
    assert {block.purpose for block in blocks_of(exhibition)} == {"test"}
    assert dict(duel.memberships.values_list("pk", "rating")) == before
    assert not LedgerEntry.objects.filter(kind="result").exists()
    assert set(SeatResult.objects.values_list("rating_after", flat=True)) == {None}
    assert {block.series.name for block in blocks_of(exhibition) if block.series} == {f"test-{duel.slug}"}


def test_the_table_has_means_over_blocks_with_intervals(bot: Bot, duel: Ladder) -> None:
    exhibition = play_all(
        a_test(bot.owner, duel, [active_version(bot), house_version("greedy")], blocks=5), loser=house_version("greedy")
    )
    mine, theirs = rows(exhibition, scores(exhibition), list(exhibition.players.all()))
    assert mine.version == active_version(bot)
    assert mine.score is not None and (mine.score.value, mine.score.high, mine.score.count) == (1.0, 1.0, 5)
    assert mine.score.low is not None and 0.4 < mine.score.low < 1.0, "five equal results are no certainty"
    assert mine.rank is not None and mine.rank.value == 1.0
    assert theirs.score is not None and theirs.score.value == 0.0


def test_a_block_with_a_void_game_does_not_count_at_all(bot: Bot, duel: Ladder) -> None:
    exhibition = a_test(bot.owner, duel, [active_version(bot), house_version("greedy")], blocks=2)
    feed()
    first = Match.objects.filter(block__exhibition=exhibition).earliest("pk")
    make_void(first)
    play_all(exhibition)
    assert exhibition.state == "finished"
    assert list(scores(exhibition)) == [blocks_of(exhibition)[1].pk]


def test_both_versions_play_the_same_deals_against_the_same_opponents(bot: Bot, ladder: Ladder) -> None:
    mine = uploaded(person("bob"), "Four", formats={"edel-stein-reich": [4]})
    older, newer = active_version(mine), new_version(mine, formats={"edel-stein-reich": [4]})
    gauntlet = [house_version(name) for name in ("greedy", "haggler", "magpie", "miser")]
    exhibition = a_comparison(mine.owner, ladder, (newer, older), gauntlet)
    feed()
    for number, block in enumerate(blocks_of(exhibition)):
        tables = [
            {seat.version for match in block.matches.filter(lineup=lineup) for seat in match.seats.all()}
            for lineup in (0, 1)
        ]
        opponents = {gauntlet[(3 * number + place) % 4] for place in range(3)}
        assert tables == [{newer, *opponents}, {older, *opponents}]
        assert block.matches.count() == 2 * len(seatings(4))


def test_a_comparison_stops_as_soon_as_it_is_decided(bot: Bot, duel: Ladder) -> None:
    older, newer = active_version(bot), new_version(bot)
    exhibition = a_comparison(
        bot.owner, duel, (newer, older), [house_version("greedy"), house_version("haggler")], most=100
    )
    play_all(exhibition, loser=older)
    assert (exhibition.state, exhibition.verdict) == ("finished", "better")
    assert len(blocks_of(exhibition)) < 30
    walked = walk_of(exhibition)
    assert walked.verdict is TestVerdict.BETTER
    assert not Match.objects.filter(block__exhibition=exhibition, status__in=["queued", "running"]).exists()


def test_a_comparison_that_finds_nothing_ends_with_its_blocks(bot: Bot, duel: Ladder) -> None:
    older, newer = active_version(bot), new_version(bot)
    exhibition = a_comparison(bot.owner, duel, (newer, older), [house_version("greedy")], most=3)
    play_all(exhibition)
    assert (
        exhibition.state,
        exhibition.verdict,
        len(differences(exhibition, over_in_turn(exhibition), scores(exhibition))),
    ) == (
        "finished",
        "open",
        3,
    )


def test_differences_wait_for_a_block_that_takes_longer(bot: Bot, duel: Ladder) -> None:
    older, newer = active_version(bot), new_version(bot)
    exhibition = a_comparison(bot.owner, duel, (newer, older), [house_version("greedy")])
    feed()
    first, *later = blocks_of(exhibition)
    for match in Match.objects.filter(block__in=later).order_by("pk"):
        finish_game(match, variety_of(match))
    assert differences(exhibition, over_in_turn(exhibition), scores(exhibition)) == []
    for match in first.matches.order_by("pk"):
        finish_game(match, variety_of(match))
    assert len(differences(exhibition, over_in_turn(exhibition), scores(exhibition))) == AHEAD


def test_cancelling_ends_what_nobody_has_begun_and_leaves_the_rest(bot: Bot, duel: Ladder) -> None:
    exhibition = a_test(bot.owner, duel, [active_version(bot), house_version("greedy")], blocks=6)
    feed()
    begun = Match.objects.filter(block__exhibition=exhibition).earliest("pk")
    assert claim(begun.pk, "a test") is not None
    cancel(exhibition, bot.owner)
    exhibition.refresh_from_db()
    assert (exhibition.state, exhibition.reason) == ("cancelled", "Canceled by ada.")
    states = list(Match.objects.filter(block__exhibition=exhibition).values_list("status", flat=True))
    assert (states.count("running"), states.count("cancelled")) == (1, 2 * AHEAD - 1)
    assert [block.ended is None for block in blocks_of(exhibition)] == [True] + [False] * (AHEAD - 1)
    assert feed() == 0
    with refused("already_ended"):
        cancel(exhibition, bot.owner)


def test_an_exhibition_ends_with_a_reason_when_a_bot_is_paused_or_the_ladder_closes(bot: Bot, duel: Ladder) -> None:
    exhibition = a_test(bot.owner, duel, [active_version(bot), house_version("greedy")], blocks=6)
    Bot.objects.filter(pk=bot.pk).update(paused=timezone.now(), pause_reason="It failed.")
    assert feed() == 0
    exhibition.refresh_from_db()
    assert (exhibition.state, exhibition.reason != "") == ("cancelled", True)
    Bot.objects.filter(pk=bot.pk).update(paused=None, pause_reason="")
    other = a_test(bot.owner, duel, [active_version(bot), house_version("greedy")], blocks=6)
    Ladder.objects.filter(pk=duel.pk).update(open=False)
    feed()
    other.refresh_from_db()
    assert (other.state, other.reason == exhibition.reason) == ("cancelled", False)


def test_between_two_seasons_an_order_waits(bot: Bot, duel: Ladder) -> None:
    exhibition = a_test(bot.owner, duel, [active_version(bot), house_version("greedy")])
    close(duel.seasons.get(closed=None), None)
    assert feed() == 0
    exhibition.refresh_from_db()
    assert exhibition.state == "running"


def scheduled(bot: Bot, duel: Ladder, other: Bot, rotated: bool = True) -> Exhibition:
    at = timezone.now() + timedelta(hours=1)
    return request_scheduled(
        bot.owner, duel, [active_version(bot).pk, active_version(other).pk], 2, at, uuid4(), rotated
    )


def test_a_match_is_written_before_its_time_and_begins_at_it(bot: Bot, duel: Ladder) -> None:
    theirs = uploaded(person("bob"), "Theirs")
    exhibition = scheduled(bot, duel, theirs)
    assert feed() == 0
    answer(exhibition, theirs.owner, True)
    assert feed() == 0
    soon = timezone.now() + READY_BEFORE / 2
    Exhibition.objects.filter(pk=exhibition.pk).update(due_at=soon)
    assert feed() == 2
    matches = Match.objects.filter(block__exhibition=exhibition)
    assert set(matches.values_list("due_at", "sent_at")) == {(soon, None)}
    dispatch()
    assert not matches.exclude(sent_at=None).exists()
    assert claim(matches.earliest("pk").pk, "a test") is None
    matches.update(due_at=timezone.now() - timedelta(seconds=1))
    dispatch()
    assert list(matches.exclude(sent_at=None).order_by("pk")) == list(
        first_games().filter(block__exhibition=exhibition)
    )
    assert play_all(exhibition).state == "finished"


def test_only_the_first_deal_of_a_match_is_before_the_ladders_unless_staff_ask_for_it(bot: Bot, duel: Ladder) -> None:
    theirs = uploaded(person("bob"), "Theirs")
    exhibition = scheduled(bot, duel, theirs)
    answer(exhibition, theirs.owner, True)
    table, soon = [active_version(bot).pk, active_version(theirs).pk], timezone.now() + timedelta(hours=1)
    asked_by_staff = request_scheduled(staff("eve"), duel, table, 2, soon, uuid4())
    Exhibition.objects.update(due_at=timezone.now())
    feed()
    for scheduled_match, priorities in (
        (exhibition, [AT_A_SET_TIME, UNRATED_PRIORITY]),
        (asked_by_staff, [AT_A_SET_TIME, AT_A_SET_TIME]),
    ):
        blocks = [
            block.matches.order_by().values_list("priority", flat=True).distinct()
            for block in blocks_of(scheduled_match)
        ]
        assert [list(block_priorities) for block_priorities in blocks] == [[priority] for priority in priorities]


def test_a_deal_can_be_played_once_in_the_given_seats(bot: Bot, duel: Ladder) -> None:
    theirs = uploaded(person("bob"), "Theirs")
    exhibition = scheduled(bot, duel, theirs, rotated=False)
    answer(exhibition, theirs.owner, True)
    Exhibition.objects.filter(pk=exhibition.pk).update(due_at=timezone.now())
    feed()
    for match in Match.objects.filter(block__exhibition=exhibition):
        assert [seat.version.bot for seat in match.seats.order_by("index")] == [bot, theirs]
    assert Match.objects.filter(block__exhibition=exhibition).count() == 2


def test_nothing_more_is_played_for_an_account_that_was_closed(bot: Bot, duel: Ladder) -> None:
    eve = person("eve")
    exhibition = a_test(eve, duel, [house_version("greedy"), house_version("haggler")], blocks=2)
    eve.is_active = False
    eve.save()
    assert feed() == 0
    exhibition.refresh_from_db()
    assert (exhibition.state, exhibition.reason != "") == ("cancelled", True)


def test_owners_who_agreed_can_cancel_until_the_start(bot: Bot, duel: Ladder) -> None:
    theirs = uploaded(person("bob"), "Theirs")
    begun, planned = scheduled(bot, duel, theirs), scheduled(bot, duel, theirs)
    for exhibition in (begun, planned):
        answer(exhibition, theirs.owner, True)
    Exhibition.objects.filter(pk=begun.pk).update(due_at=timezone.now())
    feed()
    with refused("already_started"):
        cancel(begun, theirs.owner)
    cancel(planned, theirs.owner)
    cancel(begun, begun.requested_by)
    assert set(Exhibition.objects.values_list("state", flat=True)) == {"cancelled"}


def test_one_refusal_ends_a_match_and_answers_are_final(bot: Bot, duel: Ladder) -> None:
    theirs = uploaded(person("bob"), "Theirs")
    exhibition = scheduled(bot, duel, theirs)
    with refused("not_asked"):
        answer(exhibition, bot.owner, True)
    assert answer(exhibition, theirs.owner, False).reason == "bob declined."
    assert answer(exhibition, theirs.owner, False).state == "cancelled"
    with refused("answer_final"):
        answer(exhibition, theirs.owner, True)


def test_a_scheduled_match_does_not_start_before_all_owners_agree(bot: Bot, duel: Ladder) -> None:
    exhibition = scheduled(bot, duel, uploaded(person("bob"), "Theirs"))
    Exhibition.objects.filter(pk=exhibition.pk).update(due_at=timezone.now() - timedelta(seconds=1))
    assert feed() == 0
    exhibition.refresh_from_db()
    assert (exhibition.state, exhibition.reason != "") == ("cancelled", True)
