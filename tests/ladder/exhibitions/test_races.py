"""Real processes that order, agree, cancel and freeze at the same moment, on the database of the test run."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.conf import settings
from django.utils import timezone

from bots.models import Bot
from ladder.creation import open_house
from ladder.exhibitions.progress import AHEAD, feed
from ladder.exhibitions.requests import request_scheduled
from ladder.models import Exhibition, Invitation, Ladder, Match, Membership
from tests.build import DUEL, active_version, house_version, new_version, person, uploaded
from tests.ladder.exhibitions.builders import a_test, blocks_of
from tests.services.races import Race, RaceServer

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def race(race_server: RaceServer, tmp_path: Path) -> Race:
    open_house()
    return race_server.race_of("tests.ladder.exhibitions.races", tmp_path)


@pytest.fixture
def mine(race: Race) -> Bot:
    return uploaded(person("ada"), "Mine")


def ladder() -> Ladder:
    return Ladder.objects.get(slug=DUEL)


def ordering(bot: Bot, tokens: list[str]) -> tuple[str, dict[str, Any]]:
    versions = [active_version(bot).pk, house_version("greedy").pk]
    return "ordering", {"ladder": ladder().pk, "person": bot.owner_id, "versions": versions, "tokens": tokens}


def test_a_form_sent_twice_at_once_is_one_order(race: Race, mine: Bot) -> None:
    tokens = [str(uuid4()), str(uuid4())]
    got = race(*[ordering(mine, tokens)] * 3)
    assert got == [got[0]] * 3 and len(got[0]) == 2
    assert Exhibition.objects.count() == 2


def test_nobody_is_quicker_than_the_limit(race: Race, mine: Bot) -> None:
    got = race(*(ordering(mine, [str(uuid4()) for _ in range(3)]) for _ in range(3)))
    assert sum(len(ids) for ids in got) == settings.MAX_OPEN_EXHIBITIONS_PER_USER == Exhibition.objects.count()


def test_several_clerks_write_each_block_once(race: Race, mine: Bot) -> None:
    exhibition = a_test(mine.owner, ladder(), [active_version(mine), house_version("greedy")], blocks=9)
    got = race(*[("feeding", {"times": 4})] * 3)
    assert sum(got) == AHEAD == len(blocks_of(exhibition))
    assert [block.number for block in blocks_of(exhibition)] == list(range(1, AHEAD + 1))


def test_a_match_agreed_twice_is_fixed_once_and_written_once(race: Race, mine: Bot) -> None:
    theirs = uploaded(person("bob"), "Theirs")
    at = timezone.now() + timedelta(hours=1)
    exhibition = request_scheduled(
        mine.owner, ladder(), [active_version(mine).pk, active_version(theirs).pk], 3, at, uuid4()
    )
    yes = ("answering", {"exhibition": exhibition.pk, "person": theirs.owner_id, "agreed": True})
    assert race(yes, yes) == ["planned", "planned"]
    Exhibition.objects.filter(pk=exhibition.pk).update(due_at=timezone.now())
    assert sum(race(*[("feeding", {"times": 2})] * 3)) == 3
    assert Match.objects.filter(block__exhibition=exhibition).count() == 6


def test_yes_and_no_at_once_are_one_answer(race: Race, mine: Bot) -> None:
    theirs = uploaded(person("bob"), "Theirs")
    at = timezone.now() + timedelta(hours=1)
    exhibition = request_scheduled(
        mine.owner, ladder(), [active_version(mine).pk, active_version(theirs).pk], 1, at, uuid4()
    )
    arguments = {"exhibition": exhibition.pk, "person": theirs.owner_id}
    got = race(("answering", {**arguments, "agreed": True}), ("answering", {**arguments, "agreed": False}))
    exhibition.refresh_from_db()
    assert sorted(map(str, got)) in (["None", "planned"], ["None", "cancelled"])
    assert exhibition.state in got


def test_an_order_cancelled_while_it_is_fed_and_begun_ends_once_and_leaves_nothing_waiting(
    race: Race, mine: Bot
) -> None:
    exhibition = a_test(mine.owner, ladder(), [active_version(mine), house_version("greedy")], blocks=9)
    feed()
    cancelling = ("cancelling", {"exhibition": exhibition.pk, "person": mine.owner_id})
    got = race(cancelling, cancelling, ("feeding", {"times": 5}), ("claiming_ordered", {"exhibition": exhibition.pk}))
    assert sorted(got[:2]) == [False, True]
    matches = Match.objects.filter(block__exhibition=exhibition)
    assert not matches.filter(status="queued").exists()
    assert sorted(matches.filter(status="running").values_list("pk", flat=True)) == got[3]
    for block in blocks_of(exhibition):
        assert (block.ended is None) == matches.filter(block=block, status="running").exists()


def test_a_version_activated_after_the_deadline_does_not_play(race: Race, mine: Bot) -> None:
    new_version(mine)
    new_version(mine)
    Ladder.objects.filter(slug=DUEL).update(freezes_at=timezone.now())
    activating = ("activating", {"bot": mine.pk, "numbers": [2, 3, 2]})
    race(activating, ("freezing", {"times": 5}), activating, ("freezing", {"times": 5}))
    membership = Membership.objects.get(bot=mine, ladder=ladder())
    assert membership.frozen is not None and membership.frozen.number == 1
    assert membership.active


def test_a_user_who_is_invited_twice_has_one_invitation(race: Race, mine: Bot) -> None:
    Ladder.objects.filter(slug=DUEL).update(by_invitation=True)
    inviting = ("inviting", {"ladder": ladder().pk, "person": mine.owner_id})
    assert sorted(race(inviting, inviting, inviting)) == [0, 0, 1]
    assert Invitation.objects.count() == 1
