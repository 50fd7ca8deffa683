from __future__ import annotations

import re
from typing import Any

import pytest
from django.conf import settings
from django.core.cache import caches
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from ladder.members.memberships import retire
from ladder.models import Match
from tests.build import finish_game, match_of, person, uploaded
from tests.ladder.pages.site import Site, crowd, rename
from tests.page import html, markup

EMPTY = ["/", "/ladders/", "/bots/", "/matches/", "/matches/?state=void", "/rules/", "/about/"]


@pytest.mark.django_db
def test_an_empty_site_says_what_to_do_next(client: Client) -> None:
    assert "open_house" in html(client, "/ladders/")
    assert "open_house" in html(client, "/bots/")
    assert "make run" in html(client, "/matches/")
    assert "house:greedy" in html(client, "/")
    for address in EMPTY:
        html(client, address)


@pytest.mark.usefixtures("house")
def test_a_ladder_without_games_says_where_everybody_starts(client: Client) -> None:
    text = html(client, "/ladders/edel-stein-reich-4/")
    assert text.count('rating">1500<') == 8
    assert 'data-note="no-games"' in html(client, "/bots/house-greedy/")


def test_more_rows_need_no_more_queries(site: Site, client: Client) -> None:
    def counts() -> list[int]:
        numbers = []
        for address in site.addresses:
            for cache in caches.all():
                cache.clear()
            with CaptureQueriesContext(connection) as queries:
                html(client, address)
            numbers.append(len(queries))
        return numbers

    before = counts()
    crowd(site.ladder, 20)
    for match in Match.objects.select_related("ladder").filter(status="queued", ladder__seats=3)[:3]:
        finish_game(match)
    assert counts() == before


def test_no_page_needs_what_the_content_security_policy_forbids(site: Site, client: Client) -> None:
    for address in [*site.addresses, "/nowhere/"]:
        text = markup(client.get(address))
        assert "<style" not in text
        assert not re.search(r"<[^>]+\s(style|on[a-z]+)=", text), address
        scripts = re.findall(r"<script[^>]*>", text)
        assert all(" src=" in script or 'type="application/json"' in script for script in scripts), address
        loading = re.findall(r"<(?!a )[^>]+>", text)  # a link may lead to another site
        assert not [tag for tag in loading if "://" in tag.replace(settings.SITE_URL, "")], address


def test_names_are_escaped_wherever_they_stand(site: Site, client: Client) -> None:
    rename(site.bot, "<script>alert(1)</script>")
    for address in site.addresses:
        assert "<script>alert" not in html(client, address), address
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html(client, f"/matches/{site.finished.pk}/")


def test_every_page_has_one_title_and_marks_where_it_is(site: Site, client: Client) -> None:
    for address in site.addresses:
        text = html(client, address)
        assert text.count("<h1") == 1, address
        assert re.search(r"<title>.+ · Steinreich</title>", text)
        main = text.split("<nav", 2)[1].split("</nav>")[0]
        assert main.count('aria-current="page"') == (address != "/"), address


def test_pages_only_read(site: Site, client: Client) -> None:
    for address in site.addresses:
        assert client.post(address).status_code == 405


@pytest.mark.django_db
def test_an_unknown_address_says_so_and_leads_on(client: Client) -> None:
    for address, sentence in {
        "/ladders/nowhere/": "Ladder not found.",
        "/bots/nobody/": "Bot not found.",
        "/matches/99/": "Match not found.",
        "/matches/99/record": "Match not found.",
        "/matches/999999999999999999999999/": "Match not found.",
        "/matches/?ladder=nowhere": "Ladder not found.",
        "/matches/?ladder=%00": "Ladder not found.",
        "/rules/chess/": "Game not found.",
        "/elsewhere/": "The URL may be wrong",
    }.items():
        response = client.get(address)
        assert response.status_code == 404, address
        assert sentence in markup(response)
        assert 'href="/ladders/"' in markup(response)


@pytest.mark.django_db
def test_our_own_fault_is_told_without_needing_anything(client: Client, settings: Any) -> None:
    from django.views.defaults import server_error

    response = server_error(client.get("/about/").wsgi_request)
    assert response.status_code == 500
    assert "Server error" in markup(response)


def test_a_retired_bot_keeps_its_place_and_is_marked(site: Site, client: Client) -> None:
    """A bot of the house whose membership is not active only fills up; others have left or are retired."""
    site.bot.memberships.update(active=False)
    assert "fills free seats" in html(client, f"/ladders/{site.ladder.slug}/").lower()
    bot = uploaded(person("ada"), formats={site.ladder.game: [site.ladder.seats]})
    finish_game(match_of(bot, site.ladder))
    retire(bot)
    assert "retired" in html(client, f"/ladders/{site.ladder.slug}/").lower()
    assert "retired" in html(client, f"/bots/{bot.slug}/").lower()


def test_a_ladder_says_what_is_played_and_where_its_accounts_are(site: Site, client: Client) -> None:
    text = html(client, f"/ladders/{site.ladder.slug}/")
    assert "Rated games: 4. Running: 1." in text
    assert f'href="/ladders/{site.ladder.slug}/integrity/"' in text


def test_opening_the_house_again_changes_no_page(site: Site, client: Client) -> None:
    before = html(client, "/bots/")
    call_command("open_house")
    assert html(client, "/bots/") == before
