"""Reading code takes the site long: who has it is not sent it again, and nobody asks for it without end."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from bots.models import Bot, BotVersion
from bots.uploads.storage import uploads
from tests.build import person, uploaded


@pytest.fixture
def bot(db: None) -> Bot:
    """A bot that plays and whose source is public."""
    bot = uploaded(person("ada"), "Open")
    BotVersion.objects.filter(bot=bot).update(state="ready", active=True)
    Bot.objects.filter(pk=bot.pk).update(public_source=True)
    bot.refresh_from_db()
    return bot


@pytest.fixture(params=["source/", "download"])
def address(bot: Bot, request: pytest.FixtureRequest) -> str:
    return f"/bots/{bot.slug}/versions/1/{request.param}"


def test_code_that_a_visitor_has_is_neither_read_nor_sent_again(bot: Bot, address: str, client: Client) -> None:
    first = client.get(address)
    assert first.status_code == 200
    assert "no-store" not in first["Cache-Control"]
    uploads().delete(bot.versions.get().archive)
    again = client.get(address, headers={"If-None-Match": first["ETag"]})
    assert (again.status_code, again.content, again["ETag"]) == (304, b"", first["ETag"])
    assert client.get(address).status_code == 404


def test_what_a_visitor_has_is_not_the_page_of_somebody_else_or_of_a_private_source(
    bot: Bot, address: str, client: Client
) -> None:
    assert bot.owner is not None
    known = {"If-None-Match": client.get(address)["ETag"]}
    owner = Client()
    owner.force_login(bot.owner)
    if address.endswith("/"):
        assert owner.get(address, headers=known).status_code == 200
    Bot.objects.update(public_source=False)
    assert client.get(address, headers=known).status_code == 403


def test_the_page_in_another_language_is_another_page(bot: Bot, client: Client, settings: Any) -> None:
    page = f"/bots/{bot.slug}/versions/1/source/"
    known = {"If-None-Match": client.get(page)["ETag"]}
    client.cookies[settings.LANGUAGE_COOKIE_NAME] = "de"
    assert client.get(page, headers=known).status_code == 200


def test_an_address_reads_so_much_code_a_minute(bot: Bot, address: str, client: Client, settings: Any) -> None:
    settings.REQUESTS_PER_MINUTE = {**settings.REQUESTS_PER_MINUTE, "source": 2}
    answers = [client.get(address, headers={"X-Forwarded-For": f"198.51.100.{n}"}) for n in range(6)]
    refused = [answer for answer in answers if answer.status_code == 429]
    assert len(refused) >= 2  # a minute of the clock may end in between
    assert 1 <= int(refused[0]["Retry-After"]) <= 60
    assert "ETag" not in refused[0]
    assert f"Try again in {refused[0]['Retry-After']}&nbsp;s." in refused[0].content.decode()
    assert client.get(address, headers={"If-None-Match": answers[0]["ETag"]}).status_code == 304
    assert client.get(address, REMOTE_ADDR="203.0.113.7").status_code == 200
