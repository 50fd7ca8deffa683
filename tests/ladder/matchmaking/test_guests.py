from __future__ import annotations

from datetime import timedelta

import pytest
import redis
from django.contrib.sessions.models import Session
from django.db.models import F
from django.test import override_settings
from django.utils import timezone

from bots.models import Bot
from esr_platform.accounts.errors import TooMany
from esr_platform.accounts.sessions import guest_hash
from ladder.creation import Plan, found_ladder
from ladder.matchmaking.begin import QUICK
from ladder.matchmaking.guests import CLOSED, IDLE, KEPT, close_idle, forget_guests, play_house, play_now
from ladder.models import Block, GuestTable, LiveSeat, Match, PlayedMove
from ladder.seasons import close
from tests.build import DUEL, staff
from tests.ladder.matchmaking.people import OPEN, PEOPLE, THREE_OPEN, at, ended, on, people, running
from tests.refusals import refused

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("house")]

HERE, THERE = "192.0.2.1", "192.0.2.2"
WINE = "die-weinhaendler-3-open"
EASY = override_settings(REQUESTS_PER_MINUTE={"guests": 1000})


def an_hour_ago(match: Match, ago: timedelta) -> None:
    Match.objects.filter(pk=match.pk).update(started=F("started") - ago)
    GuestTable.objects.filter(match=match).update(created=F("created") - ago)


def test_a_guest_plays_a_casual_game_with_house_bots_at_once() -> None:
    match, secret = play_now(on(THREE_OPEN), None, HERE)
    assert (match.status, match.block.purpose) == ("running", Block.Purpose.CASUAL)
    live_seat = LiveSeat.objects.get(table__match=match, kind="person")
    assert (live_seat.guest, live_seat.seat.version.bot.house_name) == (guest_hash(secret), Bot.GUEST)
    others = match.seats.exclude(pk=live_seat.seat_id)
    assert set(others.values_list("version__bot__house_name", flat=True)) < set(QUICK)
    assert len(secret) == 43


@pytest.mark.parametrize("slug", [OPEN, THREE_OPEN, WINE])
def test_a_guest_may_choose_among_games(slug: str) -> None:
    assert play_now(on(slug), None, HERE)[0].ladder.slug == slug


def test_the_same_guest_is_given_the_game_that_runs() -> None:
    match, secret = play_now(on(OPEN), None, HERE)
    assert play_now(on(OPEN), secret, HERE) == (match, secret)
    assert play_now(on(THREE_OPEN), secret, THERE) == (match, secret)
    ended(match)
    again, same = play_now(on(OPEN), secret, HERE)
    assert (again != match, same) == (True, secret)


def test_of_secret_and_address_hashes_are_kept() -> None:
    _, secret = play_now(on(OPEN), None, HERE)
    kept = GuestTable.objects.get()
    assert (len(kept.secret_hash), len(kept.address)) == (64, 64)
    assert secret not in (kept.secret_hash, kept.address) and HERE not in kept.address


@pytest.mark.parametrize("slug", [PEOPLE, DUEL, f"{DUEL}-remote", "edel-stein-reich-5-open"])
def test_guests_play_at_small_open_tables_alone(slug: str) -> None:
    with refused("no_guests"):
        play_now(on(slug), None, HERE)


def test_a_private_ladder_has_no_guests() -> None:
    ladder = found_ladder(Plan("Class", DUEL, 2, players="open", private=True), staff("eve"))
    with refused("no_guests"):
        play_now(ladder, None, HERE)


# --- limits ----------------------------------------------------------------------------------------------------------


@EASY
@override_settings(MAX_GUEST_GAMES_PER_IP=2)
def test_from_one_address_a_few_play_at_once() -> None:
    first, _ = play_now(on(OPEN), None, HERE)
    play_now(on(OPEN), None, HERE)
    with refused("guest_games_per_ip", TooMany):
        play_now(on(OPEN), None, HERE)
    assert play_now(on(OPEN), None, THERE)[0].status == "running"
    ended(first)
    assert play_now(on(OPEN), None, HERE)[0].status == "running"


@EASY
@override_settings(MAX_GUEST_GAMES_PER_IP_PER_DAY=2)
def test_from_one_address_so_many_begin_a_day() -> None:
    matches = [ended(play_now(on(OPEN), None, HERE)[0]) for _ in range(2)]
    with refused("guest_games_per_day", TooMany):
        play_now(on(OPEN), None, HERE)
    an_hour_ago(matches[0], timedelta(hours=25))
    assert play_now(on(OPEN), None, HERE)[0].status == "running"


@EASY
@override_settings(MAX_GUEST_GAMES=1)
def test_there_are_so_many_tables_for_guests() -> None:
    play_now(on(OPEN), None, HERE)
    with refused("guest_games", TooMany):
        play_now(on(OPEN), None, THERE)


@override_settings(REQUESTS_PER_MINUTE={"guests": 1})
def test_tries_are_counted_by_address_whatever_the_secret() -> None:
    match, secret = play_now(on(OPEN), None, HERE)
    with refused("too_often", TooMany):
        play_now(on(OPEN), "x" * 43, HERE)
    assert play_now(on(OPEN), secret, HERE)[0] == match, "to come back costs nothing"


@override_settings(MAX_LIVE_HOSTED_SEATS=1)
def test_guests_play_while_there_is_room_for_bots() -> None:
    with refused("no_hosted_seat", TooMany):
        play_now(on(THREE_OPEN), None, HERE)
    assert not GuestTable.objects.exists()


def test_without_a_season_nothing_begins() -> None:
    close(on(OPEN).seasons.get(), then=None)
    with refused("no_season"):
        play_now(on(OPEN), None, HERE)


# --- what is over ----------------------------------------------------------------------------------------------------


def test_a_game_in_which_a_guest_decides_nothing_is_closed() -> None:
    match, _ = play_now(on(OPEN), None, HERE)
    assert close_idle() == 0
    an_hour_ago(match, IDLE * 1.1)
    assert (close_idle(), close_idle()) == (1, 0)
    match.refresh_from_db()
    assert (match.status, match.reason) == ("aborted", CLOSED)


def test_who_decides_is_not_idle() -> None:
    match, _ = play_now(on(OPEN), None, HERE)
    seat = match.seats.get(version__bot__house_name=Bot.GUEST)
    an_hour_ago(match, IDLE * 2)
    move = PlayedMove.objects.create(
        match=match, number=900, seat=seat, decision=900, move="gems", kind="action", round=1, default="absent"
    )
    assert PlayedMove.objects.filter(pk=move.pk).update(default="") == 1
    assert close_idle() == 0
    PlayedMove.objects.filter(pk=move.pk).delete()


def test_guests_are_forgotten_and_so_are_sessions_that_are_over() -> None:
    old, secret = play_now(on(OPEN), None, HERE)
    young, _ = play_now(on(OPEN), None, HERE)
    running_on, _ = play_now(on(OPEN), None, HERE)
    for match in (old, young):
        ended(match)
    for match in (old, running_on):
        an_hour_ago(match, KEPT * 1.1)
    now = timezone.now()
    Session.objects.create(session_key="over", session_data="", expire_date=now - timedelta(days=1))
    Session.objects.create(session_key="on", session_data="", expire_date=now + timedelta(days=1))
    assert (forget_guests(), forget_guests()) == (1, 0)
    assert set(GuestTable.objects.values_list("match", flat=True)) == {young.pk, running_on.pk}
    assert not LiveSeat.objects.filter(guest=guest_hash(secret)).exists()
    assert list(Session.objects.values_list("session_key", flat=True)) == ["on"]


# --- with an account -------------------------------------------------------------------------------------------------


def test_who_has_an_account_plays_the_house_at_once_too() -> None:
    (ada,) = people("ada", verified=False)
    match = play_house(ada, on(THREE_OPEN))
    assert "ada" in at(match)
    assert play_house(ada, on(THREE_OPEN)) == match, "a second click is the same game"
    assert len(running()) == 1


@pytest.mark.django_db(transaction=True)
def test_bots_of_guests_are_asked_when_nobody_else_waits(broker: str) -> None:
    (ada,) = people("ada")
    with redis.Redis.from_url(broker) as client:
        play_now(on(THREE_OPEN), None, HERE)
        play_house(ada, on(THREE_OPEN))
        waiting = {key.decode(): client.llen(key) for key in client.keys("seats*")}
    usual, last = waiting.pop("seats", 0), sum(waiting.values())
    assert usual > 0 and last > 0
