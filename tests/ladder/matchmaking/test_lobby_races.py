"""Real processes that look, sit down, stop and accept at the same moment, on the database of the test run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.cache import caches
from django.test import override_settings
from django.utils import timezone

from esr_platform.accounts.models import User
from ladder.creation import open_house
from ladder.matchmaking import quick_pairing
from ladder.matchmaking.guests import guest_of
from ladder.matchmaking.limits import guest_seats
from ladder.matchmaking.proposals import challenge, create_game, create_guest_game, join
from ladder.models import Block, ChatLine, Match, Pairing, Proposal, Seat
from tests.ladder.accounts import accounts
from tests.ladder.matchmaking.people import OPEN, PEOPLE, THREE_PEOPLE, ended, on, people, player, running
from tests.services.races import Race, RaceServer

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def race(race_server: RaceServer, tmp_path: Path) -> Race:
    open_house()
    return race_server.race_of("tests.ladder.matchmaking.races", tmp_path)


def games(rated: bool = True) -> Counter[int]:
    """How many games of the kind run, by person."""
    purpose = Block.Purpose.LIVE if rated else Block.Purpose.CASUAL
    seats = Seat.objects.filter(match__status="running", match__block__purpose=purpose, version__bot__kind="person")
    return Counter(seats.values_list("version__bot__owner", flat=True))


def time_enough() -> None:
    """However long the racers take to get ready, nobody has gone by then."""
    later = timezone.now() + timedelta(hours=1)
    Pairing.objects.update(seen_at=later)
    Proposal.objects.update(expires=later)
    Proposal.objects.update(expires=later)


def all_ended() -> None:
    for match in running():
        ended(match)


def test_concurrent_pairing_gives_nobody_two_games(race: Race) -> None:
    here = people(*(f"p{number}" for number in range(6)))
    for user in here:
        quick_pairing.look_for(user, on(PEOPLE))
    time_enough()
    got = race(*[("pairing", {"times": 4})] * 3)
    assert sum(got) == len(running()) == 3
    assert games() == {user.pk: 1 for user in here}
    assert not Pairing.objects.exists()
    all_ended()
    assert accounts() == []


def test_a_search_canceled_during_pairing_either_plays_or_ends(race: Race) -> None:
    here = people("ada", "bob", "cid", "dora")
    where = on(PEOPLE).pk
    race(
        *[("pairing", {"times": 12})] * 2,
        *[("looking", {"person": user.pk, "ladder": where, "times": 6}) for user in here],
        ("tidying_up", {"times": 6}),
    )
    time_enough()
    for _ in range(3):
        quick_pairing.pair()
    playing, looking = games(), Counter(Pairing.objects.values_list("bot__owner", flat=True))
    assert max((playing + looking).values()) == 1, "nobody plays twice, or looks while they play"
    assert len(looking) < 2
    assert sum(playing.values()) == 2 * len(running())


def test_the_last_seat_is_taken_once(race: Race) -> None:
    ada, *others = people("ada", "bob", "cid", "dora")
    made = create_game(ada, on(PEOPLE))
    time_enough()
    got = race(
        *(("taking", {"seek": made.pk, "person": player.pk}) for player in others), ("withdrawing", {"seek": made.pk})
    )
    made.refresh_from_db()
    assert made.state in ("started", "withdrawn")
    assert got[:3].count("started") == (made.state == "started") == len(running())


def test_people_who_join_and_leave_several_games_play_one_rated_game_each(race: Race) -> None:
    makers, others = people("ada", "bob", "cid"), people("dora", "emil", "fred", "gus")
    made = [create_game(maker, on(THREE_PEOPLE), rated=True) for maker in makers]
    for user in others[:2]:
        quick_pairing.look_for(user, on(PEOPLE))
    time_enough()
    race(
        *(
            ("taking", {"seek": made[(place + turn) % 3].pk, "person": user.pk, "times": 3})
            for place, user in enumerate(others)
            for turn in range(2)
        ),
        ("pairing", {"times": 6}),
        ("tidying_up", {"times": 6}),
    )
    assert max(games().values(), default=1) == 1
    for game in Proposal.objects.filter(state="started"):
        assert game.match is not None
        assert set(game.players.values_list("bot", flat=True)) == set(
            game.match.seats.values_list("version__bot", flat=True)
        )
    all_ended()
    assert accounts() == []


def test_the_same_offer_sent_at_once_is_one(race: Race) -> None:
    (ada,) = people("ada")
    for slug, kind in ((PEOPLE, "open"), (PEOPLE, "link"), (OPEN, "bots")):
        same = {"person": ada.pk, "ladder": on(slug).pk, "kind": kind, "times": 2}
        got = race(*[("offering", same)] * 3)
        assert {pk for made in got for pk in made} == {Proposal.objects.get(kind=kind).pk}
    assert len(running()) == 1


def test_a_challenge_of_people_begins_once_and_never_during_another_rated_game(race: Race) -> None:
    ada, bob, cid = people("ada", "bob", "cid")
    first = challenge(ada, on(PEOPLE), [player(ada), player(bob)], rated=True)
    second = challenge(cid, on(PEOPLE), [player(cid), player(bob)], rated=True)
    third = challenge(ada, on(PEOPLE), [player(ada), player(cid)], rated=True)
    time_enough()
    got = race(
        *[("accepting", {"challenge": first.pk, "bot": player(bob).pk})] * 2,
        *[("accepting", {"challenge": second.pk, "bot": player(bob).pk})] * 2,
        ("accepting", {"challenge": third.pk, "bot": player(cid).pk}),
    )
    assert len(running()) == Proposal.objects.filter(state="started").count() == 1
    assert "started" in got
    assert max(games().values()) == 1


def test_two_simultaneous_rematch_requests_start_one_game(race: Race) -> None:
    ada, bob = both = people("ada", "bob")
    match = join(create_game(ada, on(PEOPLE)), bob).match
    assert match is not None
    ended(match)
    caches["default"].clear()
    _at_a_table(both)
    race(*[("rematching", {"match": match.pk, "person": user.pk}) for user in both * 2])
    rematches = Proposal.objects.filter(again=match)
    assert rematches.get().state == "started"
    assert len(running()) - len(both) == 1


def test_guests_have_no_more_seats_than_they_may(race: Race) -> None:
    limits = {"MAX_GUEST_SEATS": 3, "MAX_GUEST_SEATS_PER_IP": 2}
    common = {"secret": None, "times": 2, "limits": limits}
    places = [on(OPEN).pk, on("edel-stein-reich-3-open").pk]
    race(
        *(
            ("playing_now", {**common, "ladder": places[turn % 2], "address": f"192.0.2.{turn // 2}"})
            for turn in range(6)
        )
    )
    assert len(running()) == guest_seats().count() <= 3
    assert max(Counter(guest_seats().values_list("guest_address", flat=True)).values()) <= 2


def test_the_same_guest_at_once_has_one_table(race: Race) -> None:
    same = {"secret": "s" * 43, "times": 2, "limits": {"MAX_GUEST_SEATS": 9}, "address": "192.0.2.1"}
    places = [on(OPEN).pk, on("edel-stein-reich-3-open").pk]
    got = race(*(("playing_now", {**same, "ladder": places[turn % 2]}) for turn in range(4)))
    assert {pk for begun in got for pk in begun} == {guest_seats().get().table_id}


def test_guests_take_the_last_place_of_a_link_once_and_each_of_them_one(race: Race) -> None:
    """The same form, submitted twice by each of three guests, for the two places of a game."""
    made = create_guest_game(guest_of("m" * 43, "192.0.2.9", "Maker"), on(THREE_PEOPLE))
    time_enough()
    race(
        *(
            ("joining", {"token": made.token, "secret": letter * 43, "name": f"Friend {letter}", "times": 2})
            for letter in "abc"
            for _ in range(2)
        )
    )
    made.refresh_from_db()
    assert made.state == "started"
    seated = guest_seats().values_list("guest", flat=True)
    assert len(seated) == len(set(seated)) == 3
    assert len(running()) == 1


def test_guests_who_create_and_join_games_concurrently_stay_within_limits(race: Race) -> None:
    letters = "abcd"
    made = [create_guest_game(guest_of(letter * 43, "192.0.2.9", f"Friend {letter}"), on(PEOPLE)) for letter in letters]
    time_enough()
    race(
        *(
            ("joining", {"token": game.token, "secret": letter * 43, "name": f"Friend {letter}", "times": 1})
            for letter in letters
            for game in made
        )
    )
    assert max(Counter(guest_seats().values_list("guest", flat=True)).values()) <= 3
    assert Proposal.objects.filter(state="started").count() == len(running()) >= 2


def test_two_simultaneous_guest_rematch_requests_start_one_game(race: Race) -> None:
    made = create_guest_game(guest_of("a" * 43, "192.0.2.9", "Anna"), on(PEOPLE))
    match = join(made.token, guest_of("b" * 43, "192.0.2.9", "Bruno")).match
    assert match is not None
    ended(match)
    race(*[("rematching_as_guest", {"match": match.pk, "secret": letter * 43}) for letter in "abab"])
    assert Proposal.objects.filter(again=match).get().state == "started"
    assert len(running()) == 1


def test_concurrent_messages_stay_within_the_chat_limit(race: Race) -> None:
    ada, bob = people("ada", "bob")
    match = join(create_game(ada, on(PEOPLE)), bob).match
    assert match is not None
    place = match.seats.get(version__bot__owner=ada).index
    got = race(*[("talking", {"match": match.pk, "seat": place, "person": ada.pk, "times": 4, "most": 5})] * 3)
    assert sum(got) == ChatLine.objects.count() == 5


def _at_a_table(both: Sequence[User]) -> None:
    """Let these people be seen by other processes, too: they play with bots meanwhile."""
    with override_settings(MAX_LIVE_GAMES_PER_USER=9):
        for user in both:
            assert isinstance(create_game(user, on(OPEN), kind=Proposal.Kind.BOTS).match, Match)
