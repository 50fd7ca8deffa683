"""Real processes that sit down, challenge, accept and declare at the same moment, on the database of the test run."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from bots.models import Bot
from bots.remote import note_seen
from esr_platform.accounts.models import User
from ladder.creation import open_house
from ladder.matchmaking.proposals import challenge
from ladder.matchmaking.remote_bots import seat
from ladder.models import Ladder, Match, Proposal, Seat
from tests.build import person
from tests.ladder.matchmaking.online_bots import OPEN, REMOTE, online_bots, only, waited
from tests.services.races import Race, RaceServer

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def race(race_server: RaceServer, tmp_path: Path) -> Race:
    open_house()
    return race_server.race_of("tests.ladder.matchmaking.racing_seats", tmp_path)


def games() -> Counter[int]:
    """How many games run, by remote bot."""
    seats = Seat.objects.filter(match__status=Match.Status.RUNNING, version__bot__kind="remote")
    return Counter(seats.values_list("version__bot", flat=True))


def test_concurrent_seating_gives_no_bot_more_games_than_wanted(race: Race) -> None:
    only(REMOTE, OPEN)
    bots = online_bots("ada", "bob", "cid", "dora", "emil", games_at_once=2)
    here = [bot.pk for bot in bots]
    got = race(
        *[("seating", {"times": 3})] * 3,
        ("seeing", {"bots": here, "times": 20}),
        ("seeing", {"bots": here[::-1], "times": 20}),
        ("declaring", {"bot": here[0], "labels": ["a", "b", "main"], "games": 2}),
    )
    assert sum(got[:3]) == Match.objects.filter(status=Match.Status.RUNNING).count()
    assert max(games().values()) <= 2
    assert got[5] == [2, 3, 1]
    seat()  # a table of a state that another has replaced meanwhile was not opened
    note_seen(here)
    waited()  # who is the last one free keeps waiting for another remote bot first, then sits down with hosted code
    seat()
    assert games() == dict.fromkeys(here, 2)


def test_a_challenge_ends_once(race: Race) -> None:
    pair = online_bots("ada", "bob")
    made = challenge(_owner(pair[0]), Ladder.objects.get(slug=REMOTE), pair)
    arguments = {"challenge": made.pk, "bot": pair[1].pk}
    got = race(
        *[("answering", {**arguments, "accepted": True})] * 2,
        ("answering", {**arguments, "accepted": False}),
        ("withdrawing", {"challenge": made.pk, "person": pair[0].owner_id}),
        ("expiring", {}),
    )
    made.refresh_from_db()
    assert {state for state in got[:4] if state is not None} == {made.state}
    assert Match.objects.filter(status=Match.Status.RUNNING).count() == (made.state == "started")


def test_the_same_proposal_sent_at_once_is_one(race: Race) -> None:
    pair = online_bots("ada", "bob")
    ladder = Ladder.objects.get(slug=REMOTE)
    same = {"person": pair[0].owner_id, "ladder": ladder.pk, "bots": [bot.pk for bot in pair], "times": 2}
    got = race(*[("challenging", same)] * 3)
    assert {pk for made in got for pk in made} == {Proposal.objects.get().pk}


def test_accepting_a_challenge_during_seating_starts_one_game(race: Race) -> None:
    only(REMOTE)
    pair = online_bots("ada", "bob")
    made = challenge(_owner(pair[0]), Ladder.objects.get(slug=REMOTE), pair)
    race(("seating", {"times": 3}), ("answering", {"challenge": made.pk, "bot": pair[1].pk, "accepted": True}))
    assert games() == {pair[0].pk: 1, pair[1].pk: 1}
    assert Match.objects.filter(status=Match.Status.RUNNING).count() == 1


def test_a_bot_that_is_registered_several_times_at_once_is_one(race: Race) -> None:
    ada = person("ada")
    got = race(*[("registering", {"person": ada.pk, "name": "Afar"})] * 3)
    assert got == [Bot.objects.get(owner=ada).pk] * 3


def test_bots_that_two_people_register_with_one_name_get_two_addresses(race: Race) -> None:
    owners, names = [person("ada"), person("bob")], ["Same", "Once more", "Still", "Last"]
    got = race(*[("registering", {"person": owner.pk, "name": name}) for name in names for owner in owners])
    assert len(set(got)) == 2 * len(names)
    assert Bot.objects.filter(owner__in=owners).values("slug").distinct().count() == 2 * len(names)


def _owner(bot: Bot) -> User:
    return User.objects.get(bots=bot)
