from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.test import override_settings
from django.utils import timezone

from bots.models import Bot
from esr_platform.accounts.errors import TooMany
from esr_platform.accounts.models import User
from ladder.matchmaking.game_start import CLOCKS
from ladder.matchmaking.guests import play_house, play_now
from ladder.matchmaking.limits import MOST_REMATCHES
from ladder.matchmaking.lobby import rematch_request
from ladder.matchmaking.presence import here_among
from ladder.matchmaking.proposals import (
    REMATCH_WITHIN,
    answer,
    call_off,
    create_game,
    join,
    rematch,
    withdraw,
)
from ladder.models import Block, LiveSeat, Match, Proposal
from tests.ladder.matchmaking.people import OPEN, PEOPLE, THREE_OPEN, at, ended, level, on, people, player, running
from tests.refusals import refused

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("house")]


@pytest.fixture
def both(house: None) -> Sequence[User]:
    return people("ada", "bob")


def played(both: Sequence[User], minutes: float = 0, **offered: object) -> Match:
    """A game of the two that ended so long ago."""
    match = join(create_game(both[0], on(PEOPLE), **offered), both[1]).match  # type: ignore[arg-type]
    assert match is not None
    return ended(match, minutes)


def test_the_other_is_asked_and_the_same_clock_runs(both: Sequence[User]) -> None:
    match = played(both, clock="calm")
    made = rematch(match, both[0])
    assert (made.state, made.again, made.rated) == ("open", match, False)
    again = answer(made, player(both[1]), True).match
    assert again is not None and at(again) == {"ada", "bob"}
    assert again.table.limits["move_ms"] == CLOCKS["calm"].move_ms


def test_when_both_ask_the_game_begins(both: Sequence[User]) -> None:
    match = played(both, rated=True)
    assert rematch(match, both[0]) == rematch(match, both[0])
    begun = rematch(match, both[1])
    assert begun.state == "started" and begun.match is not None
    assert begun.match.block.purpose == Block.Purpose.LIVE
    assert len(running()) == 1


def test_to_ask_again_while_it_is_played_is_that_game(both: Sequence[User]) -> None:
    match = played(both)
    rematch(match, both[0])
    begun = rematch(match, both[1])
    assert [rematch(match, user) for user in both] == [begun] * 2
    alone = create_game(both[0], on(OPEN), kind=Proposal.Kind.BOTS).match
    assert alone is not None
    with_bots = ended(alone)
    assert rematch(with_bots, both[0]) == rematch(with_bots, both[0])
    assert len(running()) == 2


def test_all_players_see_the_state_of_a_rematch_request(both: Sequence[User]) -> None:
    match = played(both)
    ada = match.seats.get(version__bot__owner=both[0]).index
    assert rematch_request(match.pk) is None
    made = rematch(match, both[0])
    asked = {"state": "open", "by": ada, "waiting": [1 - ada], "declined": [], "match": None}
    assert rematch_request(match.pk) == asked
    Proposal.objects.filter(pk=made.pk).update(expires=timezone.now() - timedelta(seconds=1))
    assert rematch_request(match.pk) == {**asked, "state": "expired"}
    rematch(match, both[0])
    call_off(match, both[0])
    call_off(match, both[0])
    assert rematch_request(match.pk) == {**asked, "state": "withdrawn"}
    rematch(match, both[0])
    call_off(match, both[1])
    assert rematch_request(match.pk) == {**asked, "state": "declined", "waiting": [], "declined": [1 - ada]}
    rematch(match, both[1])
    begun = rematch(match, both[0]).match
    assert begun is not None
    assert rematch_request(match.pk) == {
        "state": "started",
        "by": 1 - ada,
        "waiting": [],
        "declined": [],
        "match": begun.pk,
    }
    ended(begun)
    assert rematch_request(match.pk) is None
    with refused("not_a_player"):
        call_off(match, people("cid")[0])


def test_bots_keep_their_seats_at_the_table(both: Sequence[User]) -> None:
    first = create_game(both[0], on(THREE_OPEN), kind=Proposal.Kind.BOTS).match
    assert first is not None
    again = rematch(ended(first), both[0])
    assert again.match is not None and at(again.match) == at(first)


def test_only_players_can_ask_for_a_rematch_and_only_for_a_time(both: Sequence[User]) -> None:
    (cid,) = people("cid")
    match = played(both)
    with refused("not_a_player"):
        rematch(match, cid)
    late = played(both, REMATCH_WITHIN.total_seconds() / 60 + 1)
    with refused("rematch_too_late"):
        rematch(late, both[0])
    going_on = create_game(both[0], on(OPEN), kind=Proposal.Kind.BOTS).match
    assert going_on is not None
    with refused("not_ended"):
        rematch(going_on, both[0])


def test_absent_players_are_not_asked(both: Sequence[User]) -> None:
    match = played(both)
    cache.clear()
    assert here_among([both[1].pk]) == {both[1].pk}, "who has just played is"
    LiveSeat.objects.update(seen_at=timezone.now() - timedelta(minutes=10))
    with refused("offline"):
        rematch(match, both[0])


@override_settings(MAX_CHALLENGES_PER_DAY=0)
def test_the_limits_are_those_of_challenges(both: Sequence[User]) -> None:
    with refused("challenges_per_day", TooMany):
        rematch(played(both), both[0])


def test_a_declined_rematch_is_not_asked_again(both: Sequence[User]) -> None:
    match = played(both)
    answer(rematch(match, both[0]), player(both[1]), False)
    with refused("rematch_again", TooMany):
        rematch(match, both[0])
    assert rematch(match, both[1]).state == "open", "who has declined may ask"


def test_unanswered_rematch_requests_are_limited(both: Sequence[User]) -> None:
    match = played(both)
    for _ in range(MOST_REMATCHES):
        withdraw(rematch(match, both[0]), both[0])
    with refused("rematch_again", TooMany):
        rematch(match, both[0])


def test_a_house_bot_plays_its_seats_again(both: Sequence[User]) -> None:
    played_now = ended(play_house(both[0], on(THREE_OPEN), level(2)))
    match = rematch(played_now, both[0]).match
    assert match is not None and match.seats.filter(version__bot=level(2)).count() == 2


def test_a_guest_is_asked_by_nobody(both: Sequence[User]) -> None:
    match = ended(play_now(on(OPEN), level(2), None, "192.0.2.1")[0])
    with refused("not_a_player"):
        rematch(match, both[0])
    assert Bot.objects.filter(house_name=Bot.GUEST).exists()
