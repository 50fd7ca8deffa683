"""People who play by hand, as the API shows them: players among others, and no code."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.test import Client

from bots.owners import guest_player, player_of
from esr_platform.accounts import tokens
from esr_platform.accounts.models import Scope
from ladder.models import Ladder, Occupant, Outage
from tests.build import DUEL, finished_by_hand, people_match, person, uploaded, verified
from tests.esr_platform.api.conftest import problem, read, walked

pytestmark = pytest.mark.django_db


@pytest.fixture
def people(house: None) -> Ladder:
    """The ladder of people for two."""
    return Ladder.objects.get(slug=f"{DUEL}-people")


def test_human_players_are_listed_among_bots_on_request(people: Ladder) -> None:
    player_of(verified("ann"))
    guest_player()
    assert not {row["slug"] for row in walked("bots", limit=50)} & {"ann", "house-guest"}
    players = {row["slug"]: (row["owner"], row["house"], row["version"]) for row in walked("bots", kind="person")}
    assert players == {"ann": ("ann", False, None), "house-guest": (None, False, None)}
    assert walked("bots", kind="person", house="true") == []


def test_a_human_player_is_shown_like_a_bot_without_versions(people: Ladder) -> None:
    finished_by_hand(people, ("ann", "ben"))
    ann = read("bots/ann")
    assert (ann["kind"], ann["versions"], ann["ladders"][0]["ladder"]) == ("person", [], people.slug)
    problem(Client().get("/api/v1/bots/ann/versions"), 404, "not_found")
    problem(Client().get("/api/v1/bots/ann/versions/1"), 404, "not_found")
    assert len(walked("bots/ann/matches")) == 1


def test_standings_and_matches_mark_human_players(people: Ladder) -> None:
    match = finished_by_hand(people, ("ann", "ben"))
    table = read(f"ladders/{people.slug}/members")["results"]
    assert {(row["bot"], row["kind"], row["owner"]) for row in table} == {
        ("ann", "person", "ann"),
        ("ben", "person", "ben"),
    }
    assert [player["kind"] for player in read(f"matches/{match.pk}")["players"]] == ["person", "person"]


def test_a_user_is_shown_with_the_slug_of_the_player(people: Ladder) -> None:
    ann = verified("ann")
    bot = uploaded(ann, "Magpie")
    assert (read("people/ann")["bots"], read("people/ann")["player"]) == ([bot.slug], None)
    player_of(ann)
    assert (read("people/ann")["bots"], read("people/ann")["player"]) == ([bot.slug], "ann")


def test_occupants_are_shown_when_the_match_is_public(people: Ladder) -> None:
    running, over = people_match(people, ("ann", "ben")), finished_by_hand(people, ("ann", "ben"))
    for match in (running, over):
        for seat in match.seats.select_related("version"):
            Occupant.objects.create(match=match, seat=seat, version=seat.version, from_move=0)
    assert read(f"matches/{running.pk}")["occupants"] == []
    occupants = [
        (occupant["seat"], occupant["bot"], occupant["from_move"], occupant["to_move"])
        for occupant in read(f"matches/{over.pk}")["occupants"]
    ]
    assert occupants == [(0, "ann", 0, None), (1, "ben", 0, None)]


def test_outages_are_shown_when_the_match_is_public(people: Ladder) -> None:
    running, over = people_match(people, ("ann", "ben")), finished_by_hand(people, ("ann", "ben"))
    for match in (running, over):
        Outage.objects.create(match=match, before_move=4, ended=datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC), ms=12_000)
    assert read(f"matches/{running.pk}")["outages"] == []
    assert read(f"matches/{over.pk}")["outages"] == [{"before_move": 4, "ended": "2026-01-02T03:04:05Z", "ms": 12_000}]


def test_a_player_without_games_is_visible_to_themselves_only() -> None:
    """So `esr status` works with the token of an account that an administrator has just made."""
    ada = person("ada")
    _, secret = tokens.issue(ada, "a test", [Scope.READ], None)
    problem(Client().get("/api/v1/people/ada"), 404, "not_found")
    own = Client(headers={"Authorization": f"Bearer {secret}"}).get("/api/v1/people/ada")
    assert (own.status_code, own.json()["username"], own.json()["bots"]) == (200, "ada", [])
