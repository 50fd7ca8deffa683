"""Guests who make and join casual games by a link."""

from __future__ import annotations

import pytest
from django.test import override_settings

from bots.models import Bot
from esr_platform.accounts.errors import NameRefused, TooMany
from ladder.creation import LadderPlan, found_ladder
from ladder.live.start import Guest
from ladder.matchmaking.guests import guest_of, play_now
from ladder.matchmaking.lobby import rematch_request
from ladder.matchmaking.proposals import call_off, create_game, create_guest_game, join, leave, rematch
from ladder.models import Block, LiveSeat, Match, Proposal
from tests.build import DUEL, staff
from tests.ladder.matchmaking.people import (
    OPEN,
    PEOPLE,
    THREE_OPEN,
    THREE_PEOPLE,
    at,
    ended,
    level,
    on,
    people,
    running,
)
from tests.refusals import refused

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("house")]

HERE, THERE = "192.0.2.1", "192.0.2.2"


def guest(name: str, address: str = HERE) -> Guest:
    return guest_of(name.ljust(43, "-"), address, name)


def named(match: Match | None) -> set[str]:
    """The names of the guests at a table."""
    return set(LiveSeat.objects.filter(table__match=match).exclude(guest="").values_list("seat__guest_name", flat=True))


def test_two_guests_play_a_casual_game_by_a_link() -> None:
    made = create_guest_game(guest("Anna"), on(PEOPLE), clock="calm")
    assert (made.kind, made.state, made.rated, made.by, made.by_name) == ("link", "open", False, None, "Anna (guest)")
    begun = join(made.token, guest("Bruno", THERE))
    (match,) = running()
    assert (begun.match, match.block.purpose) == (match, Block.Purpose.CASUAL)
    assert match.table.limits["move_ms"] == 120_000
    assert named(match) == {"Anna", "Bruno"}
    assert len(set(LiveSeat.objects.filter(table=match.pk).values_list("guest", "guest_address"))) == 2


def test_a_guest_has_the_seat_with_their_name() -> None:
    made = create_guest_game(guest("Anna"), on(THREE_PEOPLE))
    join(made.token, guest("Bruno"))
    match = join(made.token, guest("Carla")).match
    by_hash = dict(LiveSeat.objects.filter(table__match=match).values_list("guest", "seat__guest_name"))
    assert by_hash == {guest(name).secret_hash: name for name in ("Anna", "Bruno", "Carla")}


def test_a_guest_joins_the_casual_link_of_a_user_and_bots_fill_seats() -> None:
    (ada,) = people("ada")
    bot = Bot.objects.get(house_name="greedy")
    made = create_game(ada, on(THREE_OPEN), kind=Proposal.Kind.LINK, bots=[bot])
    match = join(made.token, guest("Bruno")).match
    assert at(match) == {"ada", "Greedy", "Guest"}
    assert named(match) == {"Bruno"}
    filled = create_guest_game(guest("Anna"), on(THREE_OPEN), bots=[bot])
    assert at(join(filled.token, guest("Carla")).match) == {"Greedy", "Guest"}


def test_joining_and_creating_twice_has_no_further_effect() -> None:
    made = create_guest_game(guest("Anna"), on(PEOPLE))
    assert create_guest_game(guest("Anna"), on(PEOPLE)) == made
    assert join(made.token, guest("Anna")) == made
    match = join(made.token, guest("Bruno")).match
    assert [join(made.token, guest(name)).match for name in ("Anna", "Bruno")] == [match] * 2
    with refused("started"):
        join(made.token, guest("Carla"))
    assert len(running()) == 1


def test_guests_join_only_casual_games_of_which_they_have_the_link() -> None:
    ada, bob = people("ada", "bob")
    rated = create_game(ada, on(PEOPLE), kind=Proposal.Kind.LINK, rated=True)
    with refused("guest_rated"):
        join(rated.token, guest("Anna"))
    for made in (create_game(bob, on(PEOPLE)), create_game(bob, on(PEOPLE), kind=Proposal.Kind.LINK)):
        with refused("needs_link"):
            join(made, guest("Anna"))
    with refused("invalid_link"):
        join("x" * 43, guest("Anna"))


def test_there_are_no_guests_on_ladders_of_bots_or_of_a_group() -> None:
    private = found_ladder(LadderPlan("Class", DUEL, 2, players="open", private=True), staff("eve"))
    for ladder in (on(DUEL), on(f"{DUEL}-remote"), private):
        with refused("no_guests"):
            create_guest_game(guest("Anna"), ladder)


def test_two_at_a_table_do_not_have_the_same_name() -> None:
    made = create_guest_game(guest("Anna"), on(PEOPLE))
    with refused("name_in_game", NameRefused):
        join(made.token, guest_of("other".ljust(43, "-"), THERE, "A-n-n-a"))
    assert made.players.count() == 1


def test_leaving_frees_the_seat_and_a_creator_withdraws_the_game() -> None:
    made = create_guest_game(guest("Anna"), on(THREE_PEOPLE))
    join(made.token, guest("Bruno"))
    leave(made, guest("Bruno"))
    leave(made, guest("Stranger"))
    assert [player.name for player in made.players.all()] == ["Anna (guest)"]
    assert leave(made, guest("Anna")).state == "withdrawn"
    with refused("withdrawn"):
        join(made.token, guest("Bruno"))


def test_starting_a_game_leaves_all_open_games() -> None:
    first = create_guest_game(guest("Anna"), on(PEOPLE))
    second = create_guest_game(guest("Bruno"), on(PEOPLE))
    third = create_guest_game(guest("Carla"), on(THREE_PEOPLE))
    join(third.token, guest("Bruno"))
    assert join(first.token, guest("Bruno")).state == "started"
    second.refresh_from_db()
    assert second.state == "withdrawn"
    assert [player.name for player in third.players.all()] == ["Carla (guest)"]


@override_settings(MAX_LIVE_GAMES_PER_USER=1)
def test_concurrent_games_per_guest_are_limited() -> None:
    create_guest_game(guest("Anna"), on(PEOPLE))
    with refused("games_at_once", TooMany):
        create_guest_game(guest("Anna"), on(OPEN))
    other = create_guest_game(guest("Bruno"), on(THREE_PEOPLE))
    with refused("games_at_once", TooMany):
        join(other.token, guest("Anna"))
    assert other.players.count() == 1


# --- rematches -------------------------------------------------------------------------------------------------------


def played(*names: str, ladder: str = PEOPLE) -> Match:
    """A game of guests that has ended; the first of them made the link."""
    made = create_guest_game(guest(names[0]), on(ladder))
    for name in names[1:]:
        made = join(made.token, guest(name))
    assert made.match is not None
    return ended(made.match)


def test_a_rematch_of_guests_begins_when_all_of_them_agree() -> None:
    match = played("Anna", "Bruno", "Carla", ladder=THREE_PEOPLE)
    made = rematch(match, guest("Bruno"))
    assert (made.kind, made.by, made.by_name, made.state) == ("challenge", None, "Bruno (guest)", "open")
    assert rematch(match, guest("Bruno")) == made
    request = rematch_request(match.pk)
    seats = {seat.guest_name: seat.index for seat in match.seats.all()}
    assert request is not None
    assert (request["by"], request["waiting"]) == (seats["Bruno"], sorted({seats["Anna"], seats["Carla"]}))
    assert rematch(match, guest("Anna")).state == "open"
    again = rematch(match, guest("Carla"))
    assert (again.pk, again.state) == (made.pk, "started")
    assert named(again.match) == {"Anna", "Bruno", "Carla"}
    assert rematch(match, guest("Anna")).match == again.match
    assert len(running()) == 1


def test_a_guest_declines_or_withdraws_a_rematch() -> None:
    match = played("Anna", "Bruno")
    made = rematch(match, guest("Anna"))
    call_off(match, guest("Bruno"))
    made.refresh_from_db()
    assert made.state == "declined"
    with refused("rematch_again", TooMany):
        rematch(match, guest("Anna"))
    other = rematch(match, guest("Bruno"))
    call_off(match, guest("Bruno"))
    other.refresh_from_db()
    assert other.state == "withdrawn"


def test_a_user_and_a_guest_can_both_ask_for_a_rematch() -> None:
    (ada,) = people("ada")
    bot = Bot.objects.get(house_name="greedy")
    made = create_game(ada, on(THREE_OPEN), kind=Proposal.Kind.LINK, bots=[bot])
    match = join(made.token, guest("Bruno")).match
    assert match is not None
    match = ended(match)
    rematch(match, ada)
    second = rematch(match, guest("Bruno")).match
    assert second is not None
    assert at(second) == {"ada", "Greedy", "Guest"}
    second = ended(second)
    rematch(second, guest("Bruno"))
    third = rematch(second, ada).match
    assert third is not None
    assert named(third) == {"Bruno"}
    third = ended(third)
    rematch(third, guest("Bruno"))
    call_off(third, ada)
    assert Proposal.objects.latest("pk").state == "declined"


def test_a_guest_plays_house_bots_again_at_once() -> None:
    match, secret = play_now(on(THREE_OPEN), level(2), None, HERE)
    match = ended(match)
    again = rematch(match, guest_of(secret, HERE)).match
    assert again is not None
    assert at(again) == at(match)
    assert again.seats.filter(version__bot=level(2)).count() == 2


def test_only_players_of_the_last_half_hour_offer_a_rematch() -> None:
    match = played("Anna", "Bruno")
    with refused("not_a_player"):
        rematch(match, guest("Stranger"))
    with refused("not_a_player"):
        rematch(match, *people("ada"))
    with refused("rematch_too_late"):
        rematch(ended(played("Dora", "Emil"), minutes=31), guest("Dora"))
