from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from bots.models import Bot, BotVersion
from esr_platform.accounts.models import User
from ladder.models import Invitation, Ladder
from ladder.pages.components.words import grouped
from ladder.pages.search import LONGEST, Words
from tests.build import new_version, person, uploaded
from tests.ladder.pages.site import Site, rename


def page(client: Client, **parameters: str) -> str:
    response = client.get("/search/", parameters)
    assert response.status_code == 200
    return response.content.decode().split("<main", 1)[1]


def names(client: Client, text: str) -> list[str]:
    suggestions: list[dict[str, str]] = client.get("/search/suggestions/", {"q": text}).json()["suggestions"]
    return [suggestion["name"] for suggestion in suggestions]


@pytest.mark.parametrize(
    ("typed", "text"),
    [(None, ""), ("  tu \t lip ", "tu lip"), ("a\0b", "a b"), ("\u202emagpie", "magpie"), ("x" * 900, "x" * LONGEST)],
)
def test_what_was_typed_is_cleaned(typed: str | None, text: str) -> None:
    assert Words.of(typed).text == text


@pytest.mark.parametrize(
    ("typed", "number"),
    [("4711", 4711), ("#12", 12), ("Match 3", 3), ("match #3", 3), ("3 bots", None), ("9" * 13, None)],
)
def test_a_number_alone_is_that_of_a_match(typed: str, number: int | None) -> None:
    assert Words.of(typed).match_number == number


@pytest.mark.usefixtures("house")
def test_bots_are_found_by_a_part_of_their_name_and_the_best_come_first(client: Client) -> None:
    ada = person("ada")
    for name in ("Old kontor", "KONTORIST", "Quay"):
        uploaded(ada, name)
    assert names(client, "kontor") == ["Kontor", "KONTORIST", "Old kontor"]
    assert names(client, "house-greedy") == ["Greedy"]
    assert 'data-note="nothing-found"' in page(client, q="zzz")


@pytest.mark.usefixtures("house")
def test_letters_that_are_not_ascii_are_found_in_capitals_too(client: Client) -> None:
    uploaded(person("ada"), "Ärger")
    assert names(client, "ärger") == ["Ärger"]
    assert names(client, "ÄR") == ["Ärger"]


@pytest.mark.usefixtures("house")
def test_what_has_a_meaning_in_a_pattern_is_only_a_letter(client: Client) -> None:
    uploaded(person("ada"), "50% off_er")
    assert names(client, "%") == names(client, "_") == ["50% off_er"]


@pytest.mark.usefixtures("house")
def test_people_are_found_once_they_have_a_bot_that_everybody_knows_of(client: Client) -> None:
    ada, bob = person("ada"), person("bob")
    waiting = Bot.objects.create(owner=bob, name="Bobtail", slug="bobtail")
    version = new_version(waiting)
    BotVersion.objects.filter(pk=version.pk).update(state=BotVersion.State.RECEIVED)
    uploaded(ada, "Mine")
    assert names(client, "ada") == ["ada"]
    assert names(client, "bob") == []
    client.force_login(bob)
    assert names(client, "bob") == ["Bobtail"]
    User.objects.filter(pk=ada.pk).update(is_active=False)
    assert names(client, "ada") == []


@pytest.mark.usefixtures("house")
def test_what_is_private_is_found_by_its_members_alone(site: Site, client: Client) -> None:
    ada = person("ada")
    Ladder.objects.filter(pk=site.ladder.pk).update(name="Secret class", by_invitation=True, private=True)
    number = str(site.finished.pk)
    for text in ("secret", number, site.ladder.slug):
        assert "Secret class" not in names(client, text)
        assert "Secret class" not in page(client, q=text)
        assert "Secret class" not in page(client, q=text, kind="ladders")
    assert names(client, "secret") == names(client, number) == []
    Invitation.objects.create(ladder=site.ladder, person=ada)
    client.force_login(ada)
    assert names(client, "secret") == ["Secret class"]
    assert names(client, number)[0].startswith("Match")


def test_a_match_is_found_by_its_number(site: Site, client: Client) -> None:
    assert names(client, f"#{site.running.pk}") == [f"Match {grouped(site.running.pk)}"]
    assert f'href="/matches/{site.running.pk}/"' in page(client, q=str(site.running.pk))


@pytest.mark.usefixtures("house")
def test_many_of_a_kind_are_paged(client: Client) -> None:
    Bot.objects.bulk_create(Bot(slug=f"crowd-{i}", name=f"Crowd {i:03}", house_name=f"crowd-{i}") for i in range(70))
    assert "kind=bots" in page(client, q="crowd")
    first = page(client, q="crowd", kind="bots")
    assert "Crowd 000" in first
    assert "?q=crowd&amp;kind=bots&amp;page=2" in first or "?q=crowd&kind=bots&page=2" in first
    assert "Crowd 069" in page(client, q="crowd", kind="bots", page="3")


def test_names_are_escaped_and_so_is_what_was_typed(site: Site, client: Client) -> None:
    rename(site.bot, "<script>alert(1)</script>")
    assert "<script>alert" not in page(client, q="<script>")
    assert "&lt;script&gt;alert(1)" in page(client, q="<script>")


@pytest.mark.django_db
def test_who_searches_without_end_has_to_wait(client: Client, settings: Any) -> None:
    settings.REQUESTS_PER_MINUTE = {**settings.REQUESTS_PER_MINUTE, "search": 1, "suggest": 1}
    for address in ("/search/?q=a", "/search/suggestions/?q=a"):
        client.get(address)
        refused = client.get(address)
        assert refused.status_code == 429
        assert int(refused.headers["Retry-After"]) > 0
    assert client.get("/search/").status_code == 200
