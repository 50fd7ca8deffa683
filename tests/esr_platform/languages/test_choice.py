from __future__ import annotations

import json
import re

import pytest
from django.conf import settings
from django.template import Context, Template
from django.test import Client, override_settings
from django.utils import translation

from esr_platform import languages
from games.game import terms
from games.registry import GAMES
from tests.pseudo_locale import CODE, NAME, pseudo

pytestmark = pytest.mark.django_db

TUTORIAL = "/rules/edel-stein-reich/tutorial/"
ABOUT = "/about/"


def in_language(client: Client, code: str) -> Client:
    client.cookies[settings.LANGUAGE_COOKIE_NAME] = code
    return client


def test_a_page_is_english_until_its_reader_chooses(client: Client, pseudo_language: str) -> None:
    response = client.get(ABOUT, headers={"accept-language": f"{pseudo_language}, de;q=0.8"})
    page = response.content.decode()
    assert '<html lang="en">' in page
    assert response["Content-Language"] == "en"


def test_the_choice_is_kept_and_leads_back(client: Client, pseudo_language: str) -> None:
    referer = {"referer": f"http://testserver{ABOUT}"}
    chosen = client.post("/language/", {"language": pseudo_language}, headers=referer)
    assert chosen.status_code == 302
    assert chosen["Location"] == f"http://testserver{ABOUT}"
    response = client.get(ABOUT)
    page = response.content.decode()
    assert response["Content-Language"] == pseudo_language
    assert "Cookie" in response["Vary"]
    assert f'<html lang="{pseudo_language}"' in page
    assert f'<b lang="{pseudo_language}" aria-current="true">{NAME}</b>' in page
    assert 'class="skip" href="#main">[' in page


@pytest.mark.parametrize("languages_of_site", [1, 2])
def test_only_a_site_with_several_languages_offers_a_choice(client: Client, languages_of_site: int) -> None:
    with override_settings(LANGUAGES=[("en", "English"), (CODE, NAME)][:languages_of_site]):
        page = client.get(ABOUT).content.decode()
    assert ('class="languages"' in page) == (languages_of_site > 1)


def test_a_language_that_is_not_offered_changes_nothing(client: Client) -> None:
    client.post("/language/", {"language": "tlh"})
    assert '<html lang="en">' in client.get(ABOUT).content.decode()
    assert '<html lang="en">' in in_language(client, f"../{CODE}").get(ABOUT).content.decode()


def test_a_choice_leads_only_to_the_same_site(client: Client, pseudo_language: str) -> None:
    chosen = client.post("/language/", {"language": pseudo_language, "next": "https://elsewhere.example/"})
    assert chosen["Location"] == "/"
    assert client.get("/language/").status_code == 405


def test_a_page_translates_the_terms_of_a_game(client: Client, pseudo_language: str) -> None:
    page = in_language(client, pseudo_language).get(TUTORIAL).content.decode()
    for term in ("Money", "Event", "Gems"):
        assert f">{pseudo(term)}</span></a>" in page
    assert 'lang="en"' in page  # the move list is English, and its element states that


def test_the_scripts_of_a_page_find_their_words(client: Client, pseudo_language: str) -> None:
    page = in_language(client, pseudo_language).get(ABOUT).content.decode()
    link = re.search(r'data-words="([^"]+)"', page)
    assert link
    response = client.get(link[1])
    document = json.loads(response.content)
    assert document["words"]["red"] == pseudo("red")
    assert {term: document["words"][term] for term in terms(GAMES.values())} == {
        term: pseudo(term) for term in terms(GAMES.values())
    }
    assert document["plurals"][:3] == [1, 0, 1]
    assert "immutable" in response["Cache-Control"]
    assert all(isinstance(text, str) or all(text) for text in document["words"].values())
    assert {len(text) for text in document["words"].values() if isinstance(text, list)} == {2}


def test_the_words_have_no_english_document(client: Client) -> None:
    assert "data-words" not in client.get(ABOUT).content.decode()
    assert client.get("/words/en/0123456789ab.json").status_code == 404
    assert client.get("/words/fr/0123456789ab.json").status_code == 404


def test_the_words_are_only_read(client: Client, pseudo_language: str) -> None:
    url = f"/words/{pseudo_language}/000000000000.json"
    assert [client.generic(method, url).status_code for method in ("GET", "HEAD")] == [200, 200]
    assert {client.generic(method, url).status_code for method in ("POST", "PUT", "PATCH", "DELETE", "X")} == {405}


def test_an_old_url_of_the_words_returns_the_present_words(client: Client, pseudo_language: str) -> None:
    url = f"/words/{pseudo_language}/000000000000.json"
    assert client.get(url).content == languages.words(pseudo_language)


def test_numbers_in_drawings_have_a_point_in_every_language(client: Client, pseudo_language: str) -> None:
    for code, _ in settings.LANGUAGES:
        with translation.override(code):
            assert Template("{{ x }}").render(Context({"x": 1234.5})) == "1234.5"
