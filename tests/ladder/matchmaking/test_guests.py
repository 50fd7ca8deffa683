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
from ladder.creation import LadderPlan, found_ladder
from ladder.live.presence import note_seen
from ladder.matchmaking.guests import CLOSED, IDLE, KEPT, close_idle, forget_guests, guest_of, play_house, play_now
from ladder.matchmaking.proposals import create_guest_game, join, leave
from ladder.models import Attempt, Block, LiveSeat, Match, Outage, Proposal, ProposalPlayer
from ladder.seasons import close
from tests.build import DUEL, staff
from tests.ladder.matchmaking.people import OPEN, PEOPLE, THREE_OPEN, at, ended, level, on, people, running
from tests.refusals import refused

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("house")]

HERE, THERE = "192.0.2.1", "192.0.2.2"
WINE = "die-weinhaendler-3-open"
EASY = override_settings(REQUESTS_PER_MINUTE={"guests": 1000})


def ago(match: Match, time: timedelta) -> None:
    """As if the game had begun earlier, and no player had been seen since. The site has watched it all the time."""
    Match.objects.filter(pk=match.pk).update(started=F("started") - time)
    LiveSeat.objects.filter(table=match.pk, seen_at__isnull=False).update(seen_at=F("seen_at") - time)


def clocks_stopped(match: Match) -> None:
    """As if every decision of a person had been lost by now."""
    LiveSeat.objects.filter(table=match.pk, owes=True, kind="person").update(deadline=timezone.now())


def test_a_guest_plays_a_casual_game_with_house_bots_at_once() -> None:
    match, secret = play_now(on(THREE_OPEN), level(2), None, HERE)
    assert (match.status, match.block.purpose) == ("running", Block.Purpose.CASUAL)
    live_seat = LiveSeat.objects.get(table__match=match, kind="person")
    assert (live_seat.guest, live_seat.seat.version.bot.house_name) == (guest_hash(secret), Bot.GUEST)
    others = match.seats.exclude(pk=live_seat.seat_id)
    assert list(others.values_list("version__bot", flat=True)) == [level(2).pk] * 2
    assert len(secret) == 43


@pytest.mark.parametrize(("slug", "name"), [(OPEN, "level-2"), (THREE_OPEN, "level-2"), (WINE, "vintner")])
def test_a_guest_can_choose_a_game(slug: str, name: str) -> None:
    assert play_now(on(slug), Bot.objects.get(house_name=name), None, HERE)[0].ladder.slug == slug


def test_the_same_guest_is_given_the_game_that_runs() -> None:
    match, secret = play_now(on(OPEN), level(2), None, HERE)
    assert play_now(on(OPEN), level(2), secret, HERE) == (match, secret)
    assert play_now(on(THREE_OPEN), level(2), secret, THERE) == (match, secret)
    ended(match)
    again, same = play_now(on(OPEN), level(2), secret, HERE)
    assert (again != match, same) == (True, secret)


def test_of_secret_and_address_hashes_are_kept() -> None:
    _, secret = play_now(on(OPEN), level(2), None, HERE)
    kept = LiveSeat.objects.exclude(guest="").get()
    assert (len(kept.guest), len(kept.guest_address)) == (64, 64)
    assert secret not in (kept.guest, kept.guest_address) and HERE not in kept.guest_address


@pytest.mark.parametrize("slug", [PEOPLE, DUEL, f"{DUEL}-remote"])
def test_guests_play_on_ladders_that_are_open_to_all_alone(slug: str) -> None:
    with refused("no_guests"):
        play_now(on(slug), level(2), None, HERE)


def test_a_private_ladder_has_no_guests() -> None:
    ladder = found_ladder(LadderPlan("Class", DUEL, 2, players="open", private=True), staff("eve"))
    with refused("no_guests"):
        play_now(ladder, level(2), None, HERE)


# --- limits ----------------------------------------------------------------------------------------------------------


@EASY
@override_settings(MAX_GUEST_SEATS_PER_IP=2)
def test_from_one_address_a_few_play_at_once() -> None:
    first, _ = play_now(on(OPEN), level(2), None, HERE)
    play_now(on(OPEN), level(2), None, HERE)
    with refused("guest_seats_per_ip", TooMany):
        play_now(on(OPEN), level(2), None, HERE)
    assert play_now(on(OPEN), level(2), None, THERE)[0].status == "running"
    ended(first)
    assert play_now(on(OPEN), level(2), None, HERE)[0].status == "running"


@EASY
@override_settings(MAX_GUEST_SEATS_PER_IP=2)
def test_waiting_guests_count_for_their_address_and_free_their_places_when_they_leave() -> None:
    first, second, third = (guest_of(letter * 43, HERE, f"Guest {letter}") for letter in "abc")
    made = create_guest_game(first, on(PEOPLE))
    create_guest_game(second, on(PEOPLE))
    with refused("guest_seats_per_ip", TooMany):
        create_guest_game(third, on(PEOPLE))
    Proposal.objects.filter(pk=made.pk).update(expires=timezone.now())
    assert create_guest_game(third, on(PEOPLE)).state == "open"


@EASY
@override_settings(MAX_GUEST_SEATS_PER_IP_PER_DAY=2)
def test_guest_games_per_ip_address_and_day_are_limited() -> None:
    matches = [ended(play_now(on(OPEN), level(2), None, HERE)[0]) for _ in range(2)]
    with refused("guest_seats_per_day", TooMany):
        play_now(on(OPEN), level(2), None, HERE)
    ago(matches[0], timedelta(hours=25))
    assert play_now(on(OPEN), level(2), None, HERE)[0].status == "running"


@EASY
@override_settings(MAX_GUEST_SEATS_PER_IP_PER_DAY=2)
def test_links_that_are_made_and_withdrawn_count_for_the_day() -> None:
    guests = [guest_of(letter * 43, HERE, f"Friend {letter}") for letter in "abc"]
    for guest in guests[:2]:
        leave(create_guest_game(guest, on(PEOPLE)), guest)
    with refused("guest_seats_per_day", TooMany):
        create_guest_game(guests[2], on(PEOPLE))
    assert create_guest_game(guest_of("d" * 43, THERE, "Friend d"), on(PEOPLE)).state == "open"
    Proposal.objects.update(created=F("created") - timedelta(hours=25))
    assert create_guest_game(guests[2], on(PEOPLE)).state == "open"


@EASY
@override_settings(MAX_GUEST_SEATS=1)
def test_seats_for_guests_are_limited() -> None:
    play_now(on(OPEN), level(2), None, HERE)
    with refused("guest_seats", TooMany):
        play_now(on(OPEN), level(2), None, THERE)
    made = create_guest_game(guest_of("a" * 43, THERE, "Anna"), on(PEOPLE))
    with refused("guest_seats", TooMany):
        join(made.token, guest_of("b" * 43, THERE, "Bruno"))
    made.refresh_from_db()
    assert (made.state, made.players.count()) == ("open", 1), "nobody has lost a place"


def test_a_class_of_forty_plays_behind_one_address() -> None:
    """The defaults of a site: forty guest seats an address, thirty joins a minute."""
    made = [create_guest_game(guest_of(f"{n:043}", HERE, f"Pupil {n}"), on(PEOPLE)) for n in range(20)]
    for n, game in enumerate(made):
        join(game.token, guest_of(f"{100 + n:043}", HERE, f"Pupil {100 + n}"))
    assert len(running()) == 20
    with refused("guest_seats_per_ip", TooMany):
        create_guest_game(guest_of("x" * 43, HERE, "Pupil 40"), on(PEOPLE))


@EASY
@override_settings(MAX_GUEST_HOSTED_SEATS_PER_IP=3, MAX_GUEST_HOSTED_SEATS=5)
def test_hosted_seats_in_guest_games_have_separate_limits() -> None:
    play_now(on(THREE_OPEN), level(2), None, HERE)
    with refused("guest_hosted_seats_per_ip", TooMany):
        play_now(on(THREE_OPEN), level(2), None, HERE)
    play_now(on(THREE_OPEN), level(2), None, THERE)
    with refused("guest_hosted_seats", TooMany):
        play_now(on(THREE_OPEN), level(2), None, "192.0.2.3")
    join(create_guest_game(guest_of("a" * 43, HERE, "Anna"), on(PEOPLE)).token, guest_of("b" * 43, HERE, "Bruno"))
    assert len(running()) == 3, "without bots there is room"


@override_settings(REQUESTS_PER_MINUTE={"guests": 1})
def test_attempts_are_counted_by_ip_address() -> None:
    match, secret = play_now(on(OPEN), level(2), None, HERE)
    with refused("too_often", TooMany):
        play_now(on(OPEN), level(2), "x" * 43, HERE)
    assert play_now(on(OPEN), level(2), secret, HERE)[0] == match, "to come back costs nothing"


@override_settings(MAX_LIVE_HOSTED_SEATS=1)
def test_guests_play_while_there_is_room_for_bots() -> None:
    with refused("no_hosted_seat", TooMany):
        play_now(on(THREE_OPEN), level(2), None, HERE)
    assert not running()


def test_without_a_season_nothing_begins() -> None:
    close(on(OPEN).seasons.get(), then=None)
    with refused("no_season"):
        play_now(on(OPEN), level(2), None, HERE)


# --- what is over ----------------------------------------------------------------------------------------------------


@pytest.fixture
def match() -> Match:
    """A game of two guests in which no clock is running."""
    made = create_guest_game(guest_of("a" * 43, HERE, "Anna"), on(PEOPLE))
    match = join(made.token, guest_of("b" * 43, THERE, "Bruno")).match
    assert match is not None
    clocks_stopped(match)
    return match


def test_a_game_of_guests_that_nobody_has_open_ends_after_two_minutes(match: Match) -> None:
    ago(match, IDLE * 0.9)
    assert close_idle() == 0
    ago(match, IDLE * 0.2)
    assert (close_idle(), close_idle()) == (1, 0)
    match.refresh_from_db()
    assert (match.status, match.reason) == ("aborted", CLOSED)
    assert play_now(on(OPEN), level(2), None, HERE)[0].status == "running"


def test_one_of_the_players_keeps_a_game_of_guests(match: Match) -> None:
    ago(match, IDLE * 2)
    note_seen({match.pk: {1}})
    assert close_idle() == 0


def test_a_running_clock_keeps_a_game_of_guests(match: Match) -> None:
    ago(match, IDLE * 2)
    seat = LiveSeat.objects.filter(table=match.pk, owes=True).first()
    assert seat is not None
    LiveSeat.objects.filter(pk=seat.pk).update(deadline=timezone.now() + timedelta(seconds=1))
    assert close_idle() == 0
    clocks_stopped(match)
    assert close_idle() == 1


def test_an_outage_of_the_site_ends_no_game_of_guests(match: Match) -> None:
    ago(match, IDLE * 2)
    Attempt.objects.filter(match=match).update(heartbeat_at=F("heartbeat_at") - IDLE * 2)
    assert close_idle() == 0
    assert not Outage.objects.exists()


def test_a_guest_who_resigned_does_not_keep_a_game_open(match: Match) -> None:
    ago(match, IDLE * 2)
    note_seen({match.pk: {1}})
    LiveSeat.objects.filter(table=match.pk, seat__index=1).update(resigned=True)
    assert close_idle() == 1


def test_guests_are_forgotten_and_so_are_sessions_that_are_over() -> None:
    old, secret = play_now(on(OPEN), level(2), None, HERE)
    young, _ = play_now(on(OPEN), level(2), None, HERE)
    running_on, _ = play_now(on(OPEN), level(2), None, HERE)
    friends = create_guest_game(guest_of("a" * 43, HERE, "Anna"), on(PEOPLE))
    by_link = join(friends.token, guest_of("b" * 43, HERE, "Bruno")).match
    assert by_link is not None
    for match in (old, young, by_link):
        ended(match)
    for match in (old, running_on, by_link):
        ago(match, KEPT * 1.1)
    Proposal.objects.update(created=F("created") - KEPT * 1.1)
    now = timezone.now()
    Session.objects.create(session_key="over", session_data="", expire_date=now - timedelta(days=1))
    Session.objects.create(session_key="on", session_data="", expire_date=now + timedelta(days=1))
    assert (forget_guests(), forget_guests()) == (2, 0)
    known = LiveSeat.objects.exclude(guest="", guest_address="")
    assert set(known.values_list("table", flat=True)) == {young.pk, running_on.pk}
    assert not LiveSeat.objects.filter(guest=guest_hash(secret)).exists()
    assert set(by_link.seats.values_list("guest_name", flat=True)) == {""}
    assert not ProposalPlayer.objects.exclude(guest="").exists()
    friends.refresh_from_db()
    assert friends.by_name == "Guest"
    assert list(Session.objects.values_list("session_key", flat=True)) == ["on"]


# --- with an account -------------------------------------------------------------------------------------------------


def test_users_can_also_play_house_bots_immediately() -> None:
    (ada,) = people("ada", verified=False)
    match = play_house(ada, on(THREE_OPEN), level(2))
    assert at(match) == {"ada", "Level 2"}
    assert play_house(ada, on(THREE_OPEN), level(2)) == match, "a second click is the same game"
    assert len(running()) == 1


@pytest.mark.django_db(transaction=True)
def test_bots_of_guests_are_asked_when_nobody_else_waits(broker: str) -> None:
    (ada,) = people("ada")
    with redis.Redis.from_url(broker) as client:
        play_now(on(THREE_OPEN), level(2), None, HERE)
        play_house(ada, on(THREE_OPEN), level(2))
        waiting = {key.decode(): client.llen(key) for key in client.keys("seats*")}
    usual, last = waiting.pop("seats", 0), sum(waiting.values())
    assert usual > 0 and last > 0
