from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
import redis
from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from bots.models import Bot
from bots.uploads.storage import uploads
from esr_platform.accounts.models import User
from ladder import tasks
from ladder.matches.blocks import BlockPlayer, schedule_block
from ladder.matches.dispatch import ON_TIME, QUEUE, SOON, WINDOW, dispatch, send_next
from ladder.matches.leases import give_back
from ladder.matches.results import record_result
from ladder.matches.schedule import QUEUE_LENGTH, fill
from ladder.matches.throughput import recent
from ladder.matches.traffic import OVERDUE, SEND_AGAIN, traffic
from ladder.models import Attempt, Block, Exhibition, Ladder, Match
from ladder.pairings.shares import RATED_WEIGHT, UNRATED_WEIGHT
from tests.build import (
    DUEL,
    active_version,
    claimed,
    fill_with_blocks,
    first_games,
    games_of,
    match_of,
    person,
    report_of,
    uploaded,
    verified,
)
from tests.ladder.cups.cups import due, entered, house_bots, new_cup


def messages(broker: str) -> list[str]:
    """The match ids that wait in the workers' queues, those with priority first, then first sent first."""
    with redis.Redis.from_url(broker) as client:
        waiting = [message for queue in (ON_TIME, SOON, QUEUE) for message in reversed(client.lrange(queue, 0, -1))]
    return [json.loads(message)["headers"]["argsrepr"] for message in waiting]


def named(*matches: int) -> list[str]:
    return [f"({match},)" for match in matches]


def ladders_of(sent: list[str]) -> list[int]:
    """By message, the ladder of its match."""
    ladders = dict(Match.objects.values_list("pk", "ladder"))
    return [ladders[int(message.strip("(),"))] for message in sent]


def unrated(ladder: Ladder, by: User, blocks: int = 1) -> Exhibition:
    """A test of house bots that ``by`` requested, with all its blocks."""
    exhibition = Exhibition.objects.create(
        kind=Exhibition.Kind.TEST,
        ladder=ladder,
        requested_by=by,
        token=uuid4(),
        blocks_wanted=blocks,
        games_wanted=4 * blocks,
        state=Exhibition.State.RUNNING,
    )
    players = [
        BlockPlayer(membership.bot.versions.get(active=True))
        for membership in ladder.memberships.order_by("pk")[: ladder.seats]
    ]
    for _ in range(blocks):
        with transaction.atomic():
            held = Ladder.objects.select_for_update(no_key=True).get(pk=ladder.pk)
            schedule_block(held, players, purpose=Block.Purpose.TEST, priority=-1, sent=False, exhibition=exhibition)
    return exhibition


def names(matches: QuerySet[Match]) -> list[str]:
    """The messages for ``matches``, in their order."""
    return named(*matches.values_list("pk", flat=True))


@pytest.mark.django_db(transaction=True)
def test_scheduled_matches_are_sent_once_they_are_committed(broker: str, ladder: Ladder) -> None:
    fill()
    assert messages(broker) == names(first_games()) != []


def test_nothing_is_sent_of_a_transaction_that_has_not_committed(broker: str, ladder: Ladder) -> None:
    fill()
    assert messages(broker) == []


def test_a_match_on_its_way_is_not_sent_again(broker: str, match: Match) -> None:
    assert dispatch() == Block.objects.count()
    assert dispatch() == 0
    assert messages(broker) == names(first_games())


def test_of_a_block_one_match_is_sent_and_none_while_one_of_its_matches_runs(broker: str, ladder: Ladder) -> None:
    fill_with_blocks(ladder, count=4)
    running, *waiting = Block.objects.order_by("pk")
    claimed(games_of(running)[2])
    assert dispatch() == len(waiting)
    assert messages(broker) == names(first_games().filter(block__in=waiting))


@pytest.mark.parametrize("ending", [Attempt.Ending.FINISHED, Attempt.Ending.FAILED, Attempt.Ending.DELAYED])
def test_the_end_of_an_attempt_sends_the_next_match_of_its_block_and_no_other(
    broker: str, match: Match, ending: Attempt.Ending
) -> None:
    lease, following = claimed(match), games_of(match.block)[1]
    assert send_next(match.pk) == 0, "it is still running"
    if ending == Attempt.Ending.FINISHED:
        assert record_result(lease, report_of(match))
    else:
        assert give_back(lease, ending, "a test")
    assert (send_next(match.pk), messages(broker)) == (1, named(following.pk))
    claimed(following)
    assert send_next(match.pk) == 0, "another match of the block is running"


def test_a_task_sends_the_next_match_of_the_block_also_if_its_own_could_not_be_played(
    broker: str, sandbox_launcher: object, bot: Bot, duel: Ladder
) -> None:
    match = match_of(bot, duel)
    Match.objects.update(sent_at=None)
    code = active_version(bot)
    uploads().delete(code.archive)
    shutil.rmtree(Path(settings.VAR_DIR) / "unpacked" / code.digest, ignore_errors=True)  # other tests unpack it
    tasks.play_match(match.pk)
    assert match.attempts.get().ending == Attempt.Ending.FAILED
    assert messages(broker) == named(games_of(match.block)[1].pk)
    tasks.play_match(match.pk)
    assert len(messages(broker)) == 1, "the match is not due yet, so nothing has ended"


def test_after_the_last_match_of_a_block_nothing_is_sent_until_its_retry_is_due(broker: str, match: Match) -> None:
    last = games_of(match.block)[-1]
    Match.objects.exclude(pk=last.pk).update(status=Match.Status.CANCELLED, reason="A test.", ended=timezone.now())
    give_back(claimed(last), Attempt.Ending.FAILED, "a test")
    assert (send_next(last.pk), dispatch()) == (0, 0)
    Match.objects.filter(pk=last.pk).update(due_at=timezone.now())
    assert (dispatch(), messages(broker)) == (1, named(last.pk))


def test_a_match_that_was_sent_while_its_block_ran_is_sent_again_at_the_end(broker: str, match: Match) -> None:
    """A worker took its message in vain. Nothing waits until the message would have expired."""
    lease, following = claimed(match), games_of(match.block)[1]
    Match.objects.filter(pk=following.pk).update(sent_at=timezone.now())
    tasks.play_match(following.pk)
    record_result(lease, report_of(match))
    assert (send_next(match.pk), messages(broker)) == (1, named(following.pk))


def test_a_match_that_was_not_sent_yet_goes_before_one_of_its_block_that_was(broker: str, match: Match) -> None:
    """Or a match that no worker can begin would keep the others of its block from being sent."""
    sent, following, *_ = games_of(match.block)
    Match.objects.filter(block=match.block).update(due_at=timezone.now() - 2 * SEND_AGAIN)
    Match.objects.filter(pk=sent.pk).update(sent_at=timezone.now() - SEND_AGAIN - timedelta(seconds=1))
    dispatch()
    assert set(messages(broker)) & set(names(sent.block.matches.order_by("pk"))) == {*named(following.pk)}


def test_a_match_whose_message_is_void_by_now_is_sent_again_once(broker: str, match: Match) -> None:
    first_games().update(sent_at=timezone.now())
    Match.objects.filter(pk=match.pk).update(sent_at=timezone.now() - SEND_AGAIN - timedelta(seconds=1))
    assert dispatch() == 1
    assert dispatch() == 0
    assert messages(broker) == named(match.pk)


def test_neither_running_nor_later_matches_are_sent(broker: str, ladder: Ladder) -> None:
    fill_with_blocks(ladder, count=4)
    running, later, *_ = first_games()
    claimed(running)
    Match.objects.filter(block=later.block).update(due_at=timezone.now() + timedelta(hours=1))
    dispatch()
    assert messages(broker) == names(first_games().exclude(pk__in=[running.pk, later.pk])) != []


def test_the_higher_priority_is_sent_first_and_then_the_longer_due(broker: str, ladder: Ladder) -> None:
    fill_with_blocks(ladder, count=4)
    _, third, second, first = first_games()
    Match.objects.filter(pk=first.pk).update(priority=2)
    Match.objects.filter(pk=second.pk).update(priority=1, due_at=timezone.now() - timedelta(hours=2))
    Match.objects.filter(pk=third.pk).update(priority=1, due_at=timezone.now() - timedelta(hours=1))
    dispatch()
    assert messages(broker)[:3] == named(first.pk, second.pk, third.pk)


def test_ladders_take_turns_instead_of_one_after_the_other(broker: str, house: None) -> None:
    hosted = list(Ladder.objects.filter(players="hosted"))
    fill_with_blocks(*hosted)
    dispatch()
    ladders = ladders_of(messages(broker))
    assert len(ladders) == WINDOW
    assert {*ladders[: len(hosted)]} == {ladder.pk for ladder in hosted}


def test_a_ladder_of_twice_the_weight_has_twice_the_share(broker: str, house: None) -> None:
    heavy, light = Ladder.objects.filter(seats=4).order_by("pk")[:2]
    Ladder.objects.exclude(pk__in=[heavy.pk, light.pk]).update(open=False)
    fill_with_blocks(heavy, light, count=12)
    Ladder.objects.filter(pk=heavy.pk).update(weight=4)
    Ladder.objects.filter(pk=light.pk).update(weight=2)
    dispatch()
    first = ladders_of(messages(broker))[:12]
    assert (first.count(heavy.pk), first.count(light.pk)) == (8, 4)


def test_ladders_on_which_people_play_come_before_those_of_the_house_alone(broker: str, house: None) -> None:
    people, alone = Ladder.objects.filter(seats=4).order_by("pk")[:2]
    Ladder.objects.exclude(pk__in=[people.pk, alone.pk]).update(open=False)
    uploaded(person("ada"), formats={people.game: [4]})
    fill_with_blocks(people, alone)
    Match.objects.update(priority=0)
    dispatch()
    first = ladders_of(messages(broker))[:5]
    assert (first.count(people.pk), first.count(alone.pk)) == (4, 1)
    assert alone.pk in ladders_of(messages(broker))


def test_long_games_of_one_ladder_leave_the_others_their_time(broker: str, house: None) -> None:
    long, short = Ladder.objects.filter(seats=4).order_by("pk")[:2]
    Ladder.objects.exclude(pk__in=[long.pk, short.pk]).update(open=False)
    fill_with_blocks(long, short)
    now = timezone.now()
    for ladder, seconds in ((long, 60), (short, 10)):
        match = Match.objects.filter(ladder=ladder).earliest("pk")
        claimed(match)
        times = {"started": now - timedelta(seconds=seconds), "ended": now, "ending": Attempt.Ending.FINISHED}
        Attempt.objects.filter(match=match).update(**times)
    dispatch()
    first = ladders_of(messages(broker))[:7]
    assert (first.count(long.pk), first.count(short.pk)) == (1, 6)


def test_unrated_games_have_their_share_while_rated_ones_wait(broker: str, ladder: Ladder) -> None:
    fill_with_blocks(ladder, count=WINDOW)
    unrated(ladder, person("ada"), blocks=8)
    dispatch()
    rated = dict(Match.objects.values_list("pk", "block__purpose"))
    sent = [rated[int(message.strip("(),"))] == Block.Purpose.LADDER for message in messages(broker)]
    assert len(sent) == WINDOW
    for end in range(RATED_WEIGHT + UNRATED_WEIGHT, WINDOW):
        fifths = (end + RATED_WEIGHT - UNRATED_WEIGHT) // (RATED_WEIGHT + UNRATED_WEIGHT)  # the first comes second
        assert sent[:end].count(False) == fifths


def test_long_unrated_games_have_their_share_of_the_time_and_one_at_least(broker: str, ladder: Ladder) -> None:
    fill_with_blocks(ladder, count=WINDOW + 1)
    exhibition = unrated(ladder, person("ada"), blocks=3)
    slow, being_played, _ = first_games().filter(block__exhibition=exhibition)
    quick = Match.objects.filter(block__exhibition=None).earliest("pk")
    now = timezone.now()
    for match, seconds in ((slow, 100), (quick, 1)):
        claimed(match)
        times = {"started": now - timedelta(seconds=seconds), "ended": now, "ending": Attempt.Ending.FINISHED}
        Attempt.objects.filter(match=match).update(**times)
        Match.objects.filter(pk=match.pk).update(status="void", reason="over", ended=now, lease=None, lease_until=None)
    claimed(being_played)
    requested = set(named(*Match.objects.filter(block__exhibition=exhibition).values_list("pk", flat=True)))
    dispatch()
    assert messages(broker) and not requested & set(messages(broker))
    Match.objects.filter(pk=being_played.pk).update(
        status="void", reason="over", ended=now, lease=None, lease_until=None
    )
    Match.objects.update(sent_at=None)
    dispatch()
    assert len(requested & set(messages(broker))) == 1


def test_one_persons_tests_do_not_wait_behind_all_of_anothers(broker: str, ladder: Ladder) -> None:
    unrated(ladder, person("ada"), blocks=6)
    second = unrated(ladder, person("bob"), blocks=4)
    dispatch()
    exhibitions = dict(Match.objects.values_list("pk", "block__exhibition"))
    sent = [exhibitions[int(message.strip("(),"))] for message in messages(broker)]
    assert sent[:8].count(second.pk) == 4


def test_no_more_are_on_their_way_than_the_workers_will_begin_soon(broker: str, ladder: Ladder) -> None:
    fill_with_blocks(ladder, count=WINDOW + 8)
    assert dispatch() == WINDOW
    assert dispatch() == 0
    for match in Match.objects.exclude(sent_at=None)[:3]:
        claimed(match)
    assert dispatch() == 3


def test_what_nobody_can_begin_takes_no_place_on_the_way(broker: str, ladder: Ladder) -> None:
    fill_with_blocks(ladder, count=WINDOW + 8)
    assert dispatch() == WINDOW
    Match.objects.exclude(sent_at=None).update(due_at=timezone.now() - OVERDUE - timedelta(seconds=1))
    assert dispatch() == 8


def test_who_was_told_of_goes_behind_who_was_not(broker: str, ladder: Ladder) -> None:
    """Or a match that cannot be begun would be the first of every round."""
    fill()
    stuck = Match.objects.earliest("pk")
    others = Match.objects.filter(block=stuck.block).exclude(pk=stuck.pk)
    others.update(status=Match.Status.CANCELLED, reason="A test.", ended=timezone.now())
    Match.objects.filter(pk=stuck.pk).update(due_at=timezone.now() - timedelta(hours=1))
    Match.objects.filter(pk=stuck.pk).update(sent_at=timezone.now() - SEND_AGAIN)
    Match.objects.exclude(pk=stuck.pk).update(due_at=timezone.now() - SEND_AGAIN - timedelta(seconds=5))
    dispatch()
    assert messages(broker)[-1:] == named(stuck.pk)


def test_without_a_broker_nothing_is_lost(no_broker: None, match: Match) -> None:
    assert dispatch() == 0
    assert not Match.objects.filter(sent_at__isnull=False).exists()


def test_if_the_broker_stops_while_a_connection_is_open_nothing_is_lost(
    mortal_broker: Callable[[], None], match: Match
) -> None:
    assert dispatch() > 0
    Match.objects.update(sent_at=None)
    mortal_broker()
    assert dispatch() == 0
    assert not Match.objects.filter(sent_at__isnull=False).exists()


@pytest.mark.django_db(transaction=True)
def test_matches_are_scheduled_without_a_broker_too(no_broker: None, ladder: Ladder) -> None:
    assert fill() == QUEUE_LENGTH
    assert Match.objects.filter(sent_at=None).count() == QUEUE_LENGTH


@pytest.mark.usefixtures("house")
@pytest.mark.parametrize(("share", "overtakes"), [(0.5, True), (0.01, False)])
def test_matches_of_cups_overtake_others_while_cups_have_less_than_their_share(
    broker: str, share: float, overtakes: bool, settings: Any
) -> None:
    settings.CUP_SHARE = share
    cup = due(entered(new_cup("swiss"), house_bots()))
    fill_with_blocks(Ladder.objects.get(slug="edel-stein-reich-4"), count=4)
    Match.objects.update(sent_at=None)
    with redis.Redis.from_url(broker) as client:
        client.flushdb()
    dispatch()
    sent = [int(message.strip("(),")) for message in messages(broker)]
    of_cup = set(Match.objects.filter(block__cup_table__round__cup=cup).values_list("pk", flat=True))
    assert of_cup.intersection(sent)
    assert (sent[0] in of_cup) is overtakes


@pytest.mark.usefixtures("house")
@pytest.mark.parametrize("number", [1, 3])
@pytest.mark.parametrize("with_people", [True, False])
def test_all_cups_together_have_one_share_and_an_eighth_if_only_house_bots_play(number: int, with_people: bool) -> None:
    """With a share of 0.5 for cups, and four of five of the other matches rated."""
    for index in range(number):
        mine = [uploaded(person(f"ada-{index}"), f"Mine {index}")] if with_people else []
        more = {"title": f"Cup {index}", "organizer": verified(f"olga-{index}"), "blocks": 20}
        due(entered(new_cup("swiss", game=DUEL, seats=2, **more), [*mine, *house_bots(DUEL, 2)[:5]]))
    fill_with_blocks(Ladder.objects.get(slug="edel-stein-reich-4"), count=40)
    Match.objects.update(sent_at=None)
    cups = set(Match.objects.filter(block__cup_table__isnull=False).values_list("pk", flat=True))
    sent = traffic(recent()).in_turn[:40]
    assert abs(len(cups.intersection(sent)) - 40 * (1 / 2 if with_people else 1 / 8)) <= 4


@pytest.mark.usefixtures("house")
def test_a_large_round_of_a_cup_leaves_room_for_the_first_matches_of_another_cup(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    large = due(entered(new_cup("swiss", blocks=4), house_bots()))
    small = due(entered(new_cup("knockout"), house_bots()))
    Match.objects.update(sent_at=None)
    monkeypatch.setattr("ladder.matches.traffic.MATCHES_READ", 8)
    assert Match.objects.filter(block__cup_table__round__cup=large, status=Match.Status.QUEUED).count() > 8
    cups = dict(Match.objects.values_list("pk", "block__cup_table__round__cup"))
    read = traffic(recent())
    assert {cups[match_id] for match_id in read.in_turn} == {large.pk, small.pk}
    assert len({match.block_id for match in read.matches}) == len(read.matches) == 8
