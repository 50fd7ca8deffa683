"""What those are told who stand in the lobby: everybody what is on offer, people what concerns them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import orjson
import pytest
from asgiref.sync import async_to_sync, sync_to_async
from django.test import Client, RequestFactory
from pytest_django import Settings

from bots.owners import player_of
from esr_platform.accounts.models import User
from esr_platform.accounts.sessions import end_all
from esr_platform.api.streams.hub import hub
from esr_platform.api.streams.lobby import InLobby, LobbyStreamView, lobby_news
from ladder.live.presence import note_seen
from ladder.matchmaking import proposals, quick_pairing
from ladder.models import Invitation, Ladder, Match, Pairing, Proposal
from ladder.pages.lobby import parts_for_strangers
from tests.esr_platform.api.streams.people import people, window
from tests.esr_platform.api.streams.programs import Site, Stream
from tests.ladder.live.play import live_ladder
from tests.page import Element, page, part
from tests.services.ports import wait_until


@pytest.fixture
def ladder(db: None) -> Ladder:
    return live_ladder("edel-stein-reich-duel", 2, "people")


@pytest.fixture
def users(db: None) -> list[User]:
    return people(3)


def look(*who: InLobby) -> list[list[str]]:
    """The types of the events for each."""
    return [[event["type"] for event in news.events] for news in lobby_news(0, list(who))]


def offered_by(stream: Stream) -> set[int]:
    """The numbers of the seats on offer that a stream has told of so far."""
    return {offer["id"] for event in stream.of("lobby") for offer in event["offers"]}


@pytest.mark.django_db
def test_offers_are_told_when_they_change_and_only_then(ladder: Ladder, users: list[User]) -> None:
    (first,) = lobby_news(0, [InLobby()])
    assert first.events == [{"type": "lobby", "offers": [], "looking": {}}]
    assert look(first.known) == [[]]
    offered = proposals.create_game(users[0], ladder)
    (then,) = lobby_news(0, [first.known])
    (offer,) = then.events[0]["offers"]
    assert {name: offer[name] for name in ("id", "by", "free", "rated", "players")} == {
        "id": offered.pk,
        "by": "anna0",
        "free": 1,
        "rated": False,
        "players": ["anna0"],
    }
    proposals.withdraw(offered, users[0])
    assert look(then.known, first.known) == [["lobby"], []]


@pytest.mark.django_db
def test_who_sits_down_is_told_of_the_game_and_nobody_else(ladder: Ladder, users: list[User]) -> None:
    offered = proposals.create_game(users[0], ladder)
    here = [news.known for news in lobby_news(0, [InLobby(user.pk) for user in users] + [InLobby()])]
    match = proposals.join(offered, users[1]).match
    assert match is not None
    news = lobby_news(0, here)
    for item in news[:2]:
        assert item.events[0] == {"type": "game", "game": match.pk, "href": f"/play/tables/{match.pk}/"}
    assert [event["type"] for item in news[2:] for event in item.events] == ["lobby", "lobby"]
    assert look(*(item.known for item in news)) == [[]] * 4
    assert look(InLobby(users[0].pk)) == [["game", "lobby"]], "a stream that opens tells of a game they missed"
    seats = {user: match.seats.get(version__bot__owner=user).index for user in users[:2]}
    note_seen({match.pk: {seats[users[0]]}})
    assert look(InLobby(users[0].pk), InLobby(users[1].pk)) == [["lobby"], ["game", "lobby"]]


@pytest.mark.django_db
def test_what_is_not_for_everybody_is_told_to_those_whom_it_is_for(ladder: Ladder, users: list[User]) -> None:
    Ladder.objects.filter(pk=ladder.pk).update(private=True, by_invitation=True)
    ladder.refresh_from_db()
    for user in users[:2]:
        Invitation.objects.create(ladder=ladder, person=user)
    proposals.create_game(users[0], ladder)
    linked = live_ladder("die-weinhaendler", 3, "people")
    proposals.create_game(users[2], linked, kind=Proposal.Kind.LINK)
    everybody = [InLobby(user.pk) for user in users] + [InLobby()]
    shown = [[offer["ladder"] for offer in news.events[0]["offers"]] for news in lobby_news(0, everybody)]
    assert shown == [[ladder.slug], [ladder.slug], [linked.slug], []]


@pytest.mark.django_db
def test_visitors_without_an_account_share_one_read_and_the_parts_of_the_page(
    ladder: Ladder, users: list[User], client: Client, settings: Settings
) -> None:
    settings.STREAM_PARTS = {"lobby": f"{__name__}.{counted.__name__}"}
    rendered.clear()

    async def opened(query: str) -> AsyncIterator[bytes]:
        request = RequestFactory().get(f"/{query}", headers={"accept": "application/x-ndjson"})
        response: Any = await LobbyStreamView.as_view()(request)
        pieces: AsyncIterator[bytes] = aiter(response.streaming_content)
        await anext(pieces)
        return pieces

    @async_to_sync
    async def watch() -> list[list[Any]]:
        readers = [await opened(query) for query in ("", "?words=en", "?words=en")]
        events = [[orjson.loads(await anext(pieces)) for pieces in readers]]
        offered = await sync_to_async(proposals.create_game)(users[0], ladder)
        following = [asyncio.ensure_future(anext(pieces)) for pieces in readers]
        await asyncio.sleep(0)
        hub().hear({"match": None, "what": "lobby"})
        events.append([orjson.loads(piece) for piece in await asyncio.gather(*following)])
        assert events[1][0]["offers"][0]["id"] == offered.pk
        return events

    for silent, first, second in watch():
        assert first == second
        assert {name: value for name, value in first.items() if name != "parts"} == silent
    assert len(rendered) == 2
    shown = page(client, "/play/")
    for section in part(rendered[-1]).content:
        if isinstance(section, Element):
            assert section.text == shown.one(id=section["id"]).text


rendered: list[str] = []


def counted() -> str:
    """The parts of the page. Note them."""
    rendered.append(parts_for_strangers())
    return rendered[-1]


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_people_find_each_other_through_streams(site: Site) -> None:
    users, ladder = people(2), live_ladder("edel-stein-reich-duel", 2, "people")
    streams = [window(site, user).stream("lobby/stream?words=en") for user in users]
    guest = window(site).stream("lobby/stream?words=en")
    parts = ["parts" in stream.wait_for("lobby") for stream in (*streams, guest)]
    assert parts == [False, False, True], "people with an account may see more than others"
    offered = proposals.create_game(users[0], ladder)
    for stream in (*streams, guest):
        assert stream.wait_for("lobby", 2)["offers"][0]["id"] == offered.pk
    proposals.join(offered, users[1])
    match = Match.objects.get()
    for stream in streams:
        assert stream.wait_for("game")["href"] == f"/play/tables/{match.pk}/"
    assert guest.wait_for("lobby", 3)["offers"] == []
    assert not guest.of("game")
    end_all(users[0])
    assert streams[0].wait_for("closed")["reason"]
    wait_until(lambda: streams[0].ended, "the stream ends")
    assert not streams[1].of("closed")


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_what_is_on_offer_on_a_private_ladder_comes_through_the_streams_of_members_alone(site: Site) -> None:
    ada, cid, dora, bob = people(4)
    private, public = (live_ladder(game, 3, "people") for game in ("edel-stein-reich", "die-weinhaendler"))
    Ladder.objects.filter(pk=private.pk).update(
        private=True, by_invitation=True, name="A seminar for the few", slug="for-the-few"
    )
    private.refresh_from_db()
    Invitation.objects.bulk_create(Invitation(ladder=private, person=invited) for invited in (ada, cid, dora))
    members, others = (
        [window(site, user).stream("lobby/stream") for user in group] for group in ((ada, cid), (bob, None))
    )
    left = window(site, dora).stream("lobby/stream")
    for stream in (*members, *others, left):
        stream.wait_for("lobby")
    Invitation.objects.filter(person=dora).delete()
    secret = proposals.create_game(ada, private)
    Pairing.objects.create(bot=player_of(cid).bot, ladder=private)
    public_game = proposals.create_game(bob, public)
    for stream in (*members, *others, left):
        wait_until(lambda stream=stream: public_game.pk in offered_by(stream), "what everybody may see comes")
    assert [secret.pk in offered_by(stream) for stream in (*members, *others, left)] == [True] * 2 + [False] * 3
    for stream in (*others, left):
        text = repr(stream.lines)
        assert not [word for word in (private.slug, private.name, ada.username, cid.username) if word in text]
    looking = [
        {slug for event in stream.of("lobby") for slug in event["looking"]} for stream in (*members, *others, left)
    ]
    assert looking == [{private.slug}] * 2 + [set()] * 3


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_who_is_in_the_lobby_stays_in_what_they_look_for(site: Site) -> None:
    (user,), ladder = people(1), live_ladder("edel-stein-reich-duel", 2, "people")
    offered = proposals.create_game(user, ladder)
    before = offered.expires
    Proposal.objects.filter(pk=offered.pk).update(expires=before - proposals.GRACE / 2)
    window(site, user).stream("lobby/stream").wait_for("lobby")
    wait_until(lambda: Proposal.objects.get(pk=offered.pk).expires > before, "the offer stays")
    assert quick_pairing.seen([user.pk]) == 0
