"""Two who do something in the lobby or at a table at the same time: who waits for whom, and who must not."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from functools import partial

import pytest
from django.db import connection, transaction
from django.utils import timezone

from esr_platform.accounts.models import User
from ladder.chat import lines_after, say
from ladder.matchmaking.proposals import create_game, join, rematch
from ladder.matchmaking.quick_pairing import FORGOTTEN, forget, look_for, seen
from ladder.models import Match, Pairing, Proposal
from tests.ladder.matchmaking.people import PEOPLE, THREE_PEOPLE, ended, on, people, running
from tests.services.locks import Meanwhile

pytestmark = [pytest.mark.locks, pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("house")]

rows_alone = pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite has no locks of rows")


@pytest.fixture
def both(house: None) -> Sequence[User]:
    return people("ada", "bob")


def game_of(both: Sequence[User]) -> Match:
    match = join(create_game(both[0], on(PEOPLE)), both[1]).match
    assert match is not None
    return match


def seat(match: Match, user: User) -> int:
    return match.seats.get(version__bot__owner=user).index


def test_concurrent_messages_are_read_in_the_order_of_their_ids(both: Sequence[User]) -> None:
    ada, bob = both
    match = game_of(both)
    with transaction.atomic():
        first = say(match.pk, seat(match, ada), ada, text="Hello")["id"]
        other = Meanwhile(partial(say, match.pk, seat(match, bob), bob, text="Hi"))
        other.is_waiting()  # or whoever reads now would go on after a line that comes before this one
    assert other.ended()["id"] > first
    assert [line["text"] for line in lines_after(match.pk, bob.pk)] == ["Hello", "Hi"]


def test_simultaneous_rematch_requests_accept_each_other(both: Sequence[User]) -> None:
    match = ended(game_of(both))
    with transaction.atomic():
        assert rematch(match, both[0]).state == "open"
        other = Meanwhile(partial(rematch, match, both[1]))
        other.is_waiting()
    assert other.ended().state == "started"
    assert (Proposal.objects.challenges().count(), len(running())) == (1, 1)


@rows_alone
def test_to_be_seen_in_the_lobby_waits_for_nobody(both: Sequence[User]) -> None:
    for user in both:
        create_game(user, on(THREE_PEOPLE))
        look_for(user, on(PEOPLE))
    ago = timezone.now() - timedelta(seconds=6)
    Pairing.objects.update(seen_at=ago)
    Proposal.objects.update(expires=timezone.now() + timedelta(seconds=10))
    with transaction.atomic():
        list(Pairing.objects.select_for_update().filter(bot__owner=both[1]))
        list(Proposal.objects.select_for_update().filter(by=both[1]))
        assert Meanwhile(partial(seen, [user.pk for user in both])).ended() == 2
    assert Pairing.objects.filter(seen_at__gt=ago).get().bot.owner == both[0]


@rows_alone
def test_a_locked_expired_search_does_not_delay_others(both: Sequence[User]) -> None:
    for user in both:
        look_for(user, on(PEOPLE))
    Pairing.objects.update(seen_at=timezone.now() - FORGOTTEN - timedelta(seconds=1))
    with transaction.atomic():
        list(Pairing.objects.select_for_update().filter(bot__owner=both[0]))
        assert Meanwhile(forget).ended() == 1
    assert Pairing.objects.get().bot.owner == both[0]
