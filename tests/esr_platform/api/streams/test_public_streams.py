"""What the public stream of a game does when nothing new is open, and for whom it goes on. Nobody waits here."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import orjson
import pytest
from asgiref.sync import async_to_sync, sync_to_async
from django.test import Client, RequestFactory
from pytest_django import Settings

from esr_platform.accounts import tokens
from esr_platform.accounts.models import Scope, Token, User
from esr_platform.api.streams import match as feed
from esr_platform.api.streams.hub import hub
from esr_platform.api.streams.match import MatchStreamView, SpectatorCursor, SpectatorEvents
from ladder.live.visibility import Cut
from ladder.models import Invitation, Ladder, Match
from ladder.pages.match import round_parts
from tests.build import person
from tests.ladder.live.play import at_random, game_of, play_on, position
from tests.page import page, part

pytestmark = pytest.mark.django_db

SILENCE_S = 1.0
"""Far less than a stream may be silent."""


@pytest.fixture
def match(db: None) -> Match:
    return game_of("edel-stein-reich", 3)


@pytest.fixture
def member(match: Match) -> User:
    """Somebody who may know of the ladder, which nobody else knows of."""
    user = person("mia")
    Ladder.objects.filter(pk=match.ladder_id).update(private=True, by_invitation=True)
    Invitation.objects.create(ladder=match.ladder, person=user)
    return user


async def opened(match: Match, secret: str = "", query: str = "") -> AsyncIterator[bytes]:
    headers = {"Authorization": f"Bearer {secret}"} if secret else {}
    response: Any = await MatchStreamView.as_view()(RequestFactory().get(f"/{query}", headers=headers), match=match.pk)
    assert response.status_code == 200
    pieces: AsyncIterator[bytes] = aiter(response.streaming_content)
    assert orjson.loads(await anext(pieces))["type"] == "game"
    return pieces


async def touched(match: Match, act: Callable[[], object]) -> None:
    """Something has happened at the table, and everybody who watches it is told."""
    await sync_to_async(act)()
    hub().hear({"match": match.pk, "what": "moved"})


def test_nobody_learns_from_a_stream_when_a_move_is_made(match: Match) -> None:
    def moves() -> None:
        play_on(match, at_random(2), 1)

    @async_to_sync
    async def watch() -> bytes:
        pieces = await opened(match)
        following = asyncio.ensure_future(anext(pieces))
        for _ in range(2):
            await touched(match, moves)
            assert await asyncio.wait({following}, timeout=SILENCE_S / 2) == (set(), {following})
        await touched(match, lambda: to_round(match, 2))
        return await following

    event = orjson.loads(watch())
    assert (event["type"], event["round"]) == ("round", 1)


def test_all_who_watch_are_told_the_same_whenever_they_have_come(match: Match, monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[int] = []
    looked = feed.EVENTS.fetch

    async def look(number: int, cursor: SpectatorCursor) -> SpectatorEvents:
        looks.append(cursor.round)
        return await looked(number, cursor)

    monkeypatch.setattr(feed.EVENTS, "fetch", look)

    @async_to_sync
    async def watch() -> tuple[list[Any], list[Any]]:
        early = [await opened(match) for _ in range(5)]
        events: list[list[Any]] = [[] for _ in early]
        for number in (2, 3, 4):
            following = [asyncio.ensure_future(anext(pieces)) for pieces in early]
            await asyncio.sleep(0)
            await touched(match, lambda number=number: to_round(match, number))  # type: ignore[misc]
            for of_reader, piece in zip(events, await asyncio.gather(*following), strict=True):
                of_reader.append(orjson.loads(piece))
        assert len(looks) <= 2 + 3 * 2, "one for all who watch, and one for the clock"
        late = await opened(match)
        return events, [orjson.loads(await anext(late))]

    events, late = watch()
    assert all(of_reader == events[0] for of_reader in events)
    assert [event["round"] for event in events[0]] == [1, 2, 3]
    entries = [entry for event in events[0] for entry in event["log"]]
    assert (late[0]["round"], late[0]["view"], late[0]["log"]) == (3, events[0][-1]["view"], entries)


def to_round(match: Match, number: int) -> None:
    while position(match).state().rounds_begun < number:
        play_on(match, at_random(2), 1)


@pytest.mark.parametrize(
    "end",
    [
        lambda: Token.objects.update(revoked="2026-01-01T00:00Z"),
        lambda: User.objects.filter(username="mia").update(is_active=False),
        lambda: Invitation.objects.all().delete(),
    ],
    ids=["the token is revoked", "its owner is suspended", "its owner is no member any more"],
)
def test_the_stream_of_a_private_ladder_ends_with_the_right_to_see_it(
    match: Match, member: User, end: Callable[[], object]
) -> None:
    secret = tokens.issue(member, "test", [Scope.READ], None)[1]

    @async_to_sync
    async def watch() -> list[bytes]:
        pieces = await opened(match, secret)
        following = asyncio.ensure_future(anext(pieces, b""))
        await asyncio.wait({following}, timeout=SILENCE_S / 3)
        await touched(match, end)
        return [await following]

    assert watch() == [b""]


def test_those_who_ask_for_words_get_the_parts_of_the_page_rendered_once_for_all_of_them(
    match: Match, client: Client, settings: Settings
) -> None:
    settings.STREAM_PARTS = {"round": f"{__name__}.{counted.__name__}"}
    rendered.clear()

    @async_to_sync
    async def watch() -> list[list[Any]]:
        readers = [await opened(match, query=query) for query in ("", "?words=en", "?words=en")]
        events: list[list[Any]] = [[] for _ in readers]
        for number in (2, 3, 4):
            following = [asyncio.ensure_future(anext(pieces)) for pieces in readers]
            await asyncio.sleep(0)
            await touched(match, lambda number=number: to_round(match, number))  # type: ignore[misc]
            for of_reader, piece in zip(events, await asyncio.gather(*following), strict=True):
                of_reader.append(orjson.loads(piece))
        return events

    silent, first, second = watch()
    assert first == second
    assert rendered == [1, 2, 3]
    assert [{name: value for name, value in event.items() if name != "parts"} for event in first] == silent
    told = {div["id"]: div.text for event in first for div in part(event["parts"]).all("div", id=True)}
    shown = page(client, f"/matches/{match.pk}/").one(data_told=True).all("div", id=True)
    assert told == {div["id"]: div.text for div in shown}
    assert len(part(first[-1]["parts"]).all("div", id=True)) == 2, "what was told before is not sent again"


rendered: list[int] = []


def counted(match: int, cut: Cut, told: int) -> str:
    """The parts of the page. Note the round for which they are rendered."""
    rendered.append(cut.round)
    return round_parts(match, cut, told)


def test_a_stream_speaks_the_languages_of_the_site(match: Match, client: Client) -> None:
    refused = client.get(f"/api/v1/matches/{match.pk}/stream?words=tlh")
    assert (refused.status_code, refused.json()["code"]) == (400, "invalid")
