"""A private ladder, and all that stands on it, is there for members and staff alone: every address is walked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from random import Random
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from django.utils import timezone

from bots.models import Bot
from bots.owners import player_of
from esr_platform.accounts.models import User
from ladder.creation import Plan, found_ladder
from ladder.exhibitions.requests import request_scheduled
from ladder.matches.schedule import fill
from ladder.matchmaking.proposals import create_game
from ladder.members.invitations import invite
from ladder.members.memberships import join
from ladder.models import Exhibition, Invitation, Ladder, Match, Pairing, Proposal
from tests.build import DUEL, active_version, finish_game, house_version, person, staff, uploaded, variety_of
from tests.ladder.exhibitions.builders import a_test, play_all
from tests.ladder.pages.walk import ENDLESS

NAME = "Seminar for the very secretive"
SLUG = "seminar-for-the-very-secretive"
OTHERS = ("/static/", "/media/")


@dataclass(frozen=True)
class Class:
    """A private ladder on which ``member`` has a bot, with matches, an exhibition, a match to come, and seats on
    offer.
    """

    ladder: Ladder
    staff: User
    member: User
    bot: Bot
    match: Match
    queued: Match
    exhibition: Exhibition
    game: Proposal

    def values(self, route: str) -> dict[str, Any]:
        """What fills the addresses of ``route``."""
        return {
            "slug": self.bot.slug if route.startswith("bots/") else self.ladder.slug,
            "match_id": self.match.pk,
            "exhibition_id": self.exhibition.pk,
            "bot_id": self.bot.pk,
            "person_id": self.member.pk,
            "number": 1,
            "name": "home.png",
            "index": 0,
            "token": self.game.token if route.startswith("play/links/") else "no-invitation",
            "game_id": self.game.pk,
            "challenge_id": 1,
            "cup_id": 1,
            "line_id": 1,
            "seat": 0,
            "seat_id": self.match.seats.get(index=0).pk,
            "bot": self.bot.slug,
            "username": self.member.username,
            "language": "de",
            "size": 180,
            "version": "some-version",
            "first": self.bot.slug,
            "second": "house-greedy",
        }


@pytest.fixture
def class_(house: None) -> Class:
    return founded()


def founded() -> Class:
    eve, ada = staff("eve"), person("ada")
    Ladder.objects.update(open=False)
    ladder = found_ladder(Plan(NAME, DUEL, 2, house=["greedy", "haggler"], private=True), eve)
    invite(ladder, [ada])
    bot = uploaded(ada, "Mine")
    join(bot, ladder)
    fill(Random(1))
    mine = Match.objects.filter(ladder=ladder, seats__version__bot=bot, status="queued").order_by("pk")
    for match in Match.objects.filter(block=mine[0].block_id).order_by("pk"):
        finish_game(match, variety_of(match))
    played = Match.objects.filter(status="finished").earliest("pk")
    exhibition = play_all(a_test(ada, ladder, [active_version(bot), house_version("greedy")], blocks=1))
    soon = timezone.now() + timedelta(hours=1)
    request_scheduled(ada, ladder, [active_version(bot).pk, house_version("greedy").pk], 1, soon, uuid4())
    seats = {"ladder": ladder, "by": ada, "clock": "usual", "expires": soon}
    Proposal.objects.create(**seats, kind=Proposal.Kind.OPEN)
    game = Proposal.objects.create(**seats, kind=Proposal.Kind.LINK, token="s" * 43)
    return Class(ladder, eve, ada, bot, played, mine[0], exhibition, game)


def routes(patterns: list[Any], before: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every address of the site, with its converters."""
    for one in patterns:
        route = before + str(one.pattern)
        if isinstance(one, URLResolver):
            yield from routes(one.url_patterns, route)
        elif isinstance(one, URLPattern) and hasattr(one.pattern, "_route"):
            yield route, dict(one.pattern.converters)


def addresses(class_: Class) -> list[str]:
    found = []
    for route, converters in routes(get_resolver().url_patterns):
        values = class_.values(route)
        if route.endswith(ENDLESS):
            continue
        if route.startswith(("account/", "static/", "api/")) and set(converters) - set(values):
            continue
        address = f"/{route}"
        for name, converter in converters.items():
            assert name in values or route.startswith("account"), f"say in Class.values what {name} of {route} is"
            kind = type(converter).__name__.removesuffix("Converter").lower().replace("string", "str")
            address = address.replace(f"<{kind}:{name}>", str(values[name])).replace(f"<{name}>", str(values[name]))
        found.append(address)
    assert f"/ladders/{SLUG}/" in found and f"/matches/{class_.match.pk}/" in found
    more = ("state=waiting", f"ladder={SLUG}", "state=running")
    return [*found, f"/matches/{class_.queued.pk}/", *(f"/matches/?{query}" for query in more), "/rules/" + DUEL + "/"]


def told(client: Client, address: str) -> bool:
    """Whether the answer says anything of the private ladder."""
    response = client.get(address)
    content = b"".join(response) if response.streaming else response.content  # type: ignore[arg-type]
    if response.status_code >= 400:  # the address that was asked for is no news
        return NAME.encode() in content
    return NAME.encode() in content or SLUG.encode() in content


def test_nothing_of_a_private_ladder_is_told_to_others(class_: Class, client: Client) -> None:
    for user in (None, person("bob")):
        client.logout()
        if user is not None:
            client.force_login(user)
        found = [address for address in addresses(class_) if told(client, address) and "/login/" not in address]
        redirects = [address for address in found if client.get(address).status_code == 302]
        assert found == redirects, [address for address in found if address not in redirects]


def test_pages_of_its_matches_and_orders_are_not_there_for_others(class_: Class, client: Client) -> None:
    gone = [
        f"/ladders/{SLUG}/",
        f"/ladders/{SLUG}/table.csv",
        f"/ladders/{SLUG}/seasons/",
        f"/ladders/{SLUG}/seasons/1/",
        f"/matches/{class_.match.pk}/",
        f"/matches/{class_.match.pk}/record",
        f"/matches/{class_.match.pk}/replay.json",
        f"/exhibitions/{class_.exhibition.pk}/",
        f"/matches/?ladder={SLUG}",
    ]
    assert {address: client.get(address).status_code for address in gone} == dict.fromkeys(gone, 404)
    bot = client.get(f"/bots/{class_.bot.slug}/").content.decode()
    assert 'data-note="no-ladder"' in bot or DUEL in bot
    assert f"/matches/{class_.match.pk}/" not in bot
    for user in (class_.member, class_.staff):
        client.force_login(user)
        assert {address: client.get(address).status_code for address in gone} == dict.fromkeys(gone, 200)
        assert f"/matches/{class_.match.pk}/" in client.get(f"/bots/{class_.bot.slug}/").content.decode()
        assert NAME in client.get("/").content.decode()
        assert NAME in client.get("/ladders/").content.decode()


def test_what_is_on_offer_on_a_private_ladder_is_on_the_page_of_the_lobby_for_members_alone(class_: Class) -> None:
    ladder = found_ladder(Plan(NAME + " who play", DUEL, 2, players="people", private=True), class_.staff)
    bob, cid, dora = person("bob"), person("cid"), person("dora")
    invite(ladder, [class_.member, cid, dora])
    offered = create_game(class_.member, ladder)
    Pairing.objects.create(bot=player_of(dora).bot, ladder=ladder)
    Invitation.objects.filter(person=dora, ladder=ladder).delete()
    told = (ladder.name, class_.member.username, f"/play/open-games/{offered.pk}/")
    for user, sees in ((class_.member, True), (cid, True), (bob, False), (dora, False), (None, False)):
        client = Client()
        if user is not None:
            client.force_login(user)
        page = client.get("/play/").content.decode()
        found = [word for word in told if word in page]
        assert found == (list(told) if sees else []), user
    for stranger in (bob, dora):
        client = Client()
        client.force_login(stranger)
        page = client.post(f"/play/open-games/{offered.pk}/join/", follow=True).content.decode()
        assert ladder.name not in page
    assert not Match.objects.filter(ladder=ladder).exists()
