"""Clients receive the same bytes of every streamed response, whether it is compressed or not.

The streams are asynchronous, as on a site. httpx2 decodes them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from asgiref.sync import async_to_sync
from django.test import AsyncClient, Client
from pytest_django import Settings

from esr_platform.accounts.models import User
from ladder.models import Cup, Ladder, Match
from tests.build import DUEL, PASSWORD, block_on, finish_block, opened_house, uploaded, with_password
from tests.esr_platform.endpoints import STREAMS, filled, routes
from tests.ladder.cups.cups import entered, house_bots, new_cup, played_out

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def cup() -> Cup:
    """A finished cup on the ladder of duels, where a block has also ended."""
    opened_house()
    finish_block(block_on(Ladder.objects.get(slug=DUEL)))
    return played_out(entered(new_cup("swiss", game=DUEL, seats=2, rounds=1), house_bots(DUEL, 2, most=2)))


@pytest.fixture
def ada(client: Client, settings: Settings) -> User:
    """The owner of a bot, signed in with a password in ``client``."""
    settings.REQUESTS_PER_MINUTE = dict.fromkeys(settings.REQUESTS_PER_MINUTE, 100_000)
    settings.EXPORT_PAUSE_SECONDS = 0
    user = with_password("ada")
    uploaded(user)
    client.force_login(user)
    client.post("/account/reauthenticate/", {"password": PASSWORD})
    return user


def addresses(cup: Cup) -> Iterator[str]:
    """The address of every route that ends, with values of ``cup`` and its ladder."""
    match = Match.objects.filter(block__ladder=cup.ladder, status="finished").earliest("pk")
    bots = [seat.version.bot.slug for seat in match.seats.select_related("version__bot")]
    known = {"match_id": [match.pk], "match": [match.pk], "username": ["ada"], "first": bots[:1], "second": bots[1:]}
    for route in routes():
        if route not in STREAMS:
            slug = cup.slug if "cups/" in route else cup.ladder.slug if "ladders/" in route else bots[0]
            yield from filled(route, {**known, "slug": [slug], "bot": bots[:1]})


def streamed(client: Client, cup: Cup) -> dict[tuple[str, str], bytes]:
    """The content of every streamed response, by its method and address."""
    bodies = {}
    for address in addresses(cup):
        method, response = "GET", client.get(address)
        if response.status_code == 405 or address == "/account/export/":
            method, response = "POST", client.post(address)
        if response.streaming:
            bodies[method, address] = response.getvalue()
    return bodies


def test_every_streamed_response_has_the_same_bytes_with_gzip(client: Client, cup: Cup, ada: User) -> None:
    plain = streamed(client, cup)
    assert {("POST", "/account/export/"), ("GET", f"/api/v1/ladders/{DUEL}/records")} <= set(plain)
    program = AsyncClient()
    program.cookies = client.cookies

    async def decoded() -> dict[tuple[str, str], bytes]:
        """The same, but only of compressed responses, as httpx2 decodes them."""
        contents = {}
        for method, address in plain:
            response: Any = await program.generic(method, address, headers={"Accept-Encoding": "gzip"})
            assert response.status_code == 200
            sent = b"".join([piece async for piece in response.streaming_content])
            if response.has_header("Content-Encoding"):
                contents[method, address] = httpx2.Response(200, headers=response.headers, content=sent).content
        return contents

    bodies = async_to_sync(decoded)()
    assert ("GET", f"/cups/{cup.slug}/ledger.json") in bodies
    assert bodies == {key: plain[key] for key in bodies}
