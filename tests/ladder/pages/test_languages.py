from __future__ import annotations

import pytest
from django.conf import settings
from django.test import Client

from tests.ladder.pages.site import Site

OF_A_MATCH = {
    "de": ("Geld, Mio.", "übrige Edelsteine", "Wertung davor", 'aria-label="rot"'),
    "nl": ("geld, miljoenen", "resterende edelstenen", "waardering ervoor", 'aria-label="rood"'),
}


@pytest.mark.parametrize("code", OF_A_MATCH)
def test_every_page_speaks_the_chosen_language(client: Client, site: Site, code: str) -> None:
    client.cookies[settings.LANGUAGE_COOKIE_NAME] = code
    for address in site.addresses:
        response = client.get(address)
        if not response.headers["Content-Type"].startswith("text/html") or response.status_code != 200:
            continue
        assert f'<html lang="{code}"' in response.content.decode(), address


@pytest.mark.parametrize(("code", "words"), OF_A_MATCH.items())
def test_a_match_is_shown_with_the_terms_of_its_game(client: Client, site: Site, code: str, words: list[str]) -> None:
    client.cookies[settings.LANGUAGE_COOKIE_NAME] = code
    page = client.get(f"/matches/{site.finished.pk}/").content.decode()
    for word in words:
        assert word in page
