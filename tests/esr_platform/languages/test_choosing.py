from __future__ import annotations

import json
import re

import pytest
from django.conf import settings
from django.test import Client

from esr_platform import languages

pytestmark = pytest.mark.django_db

TUTORIAL = "/rules/edel-stein-reich/tutorial/"
ABOUT = "/about/"


def in_language(client: Client, code: str) -> Client:
    client.cookies[settings.LANGUAGE_COOKIE_NAME] = code
    return client


def test_a_page_is_english_until_its_reader_chooses(client: Client) -> None:
    response = client.get(ABOUT, headers={"accept-language": "de, nl;q=0.8"})
    page = response.content.decode()
    assert '<html lang="en">' in page
    assert response["Content-Language"] == "en"


@pytest.mark.parametrize(("code", "name"), [("de", "Deutsch"), ("nl", "Nederlands")])
def test_the_choice_is_kept_and_leads_back(client: Client, code: str, name: str) -> None:
    chosen = client.post("/language/", {"language": code}, headers={"referer": f"http://testserver{ABOUT}"})
    assert chosen.status_code == 302
    assert chosen["Location"] == f"http://testserver{ABOUT}"
    page = client.get(ABOUT).content.decode()
    assert f'<html lang="{code}"' in page
    assert f'<b lang="{code}" aria-current="true">{name}</b>' in page


def test_a_language_that_there_is_not_changes_nothing(client: Client) -> None:
    client.post("/language/", {"language": "tlh"})
    assert '<html lang="en">' in client.get(ABOUT).content.decode()
    assert '<html lang="en">' in in_language(client, "../de").get(ABOUT).content.decode()


def test_a_choice_leads_nowhere_else(client: Client) -> None:
    chosen = client.post("/language/", {"language": "de", "next": "https://elsewhere.example/"})
    assert chosen["Location"] == "/"
    assert client.get("/language/").status_code == 405


@pytest.mark.parametrize(
    ("code", "words"), [("de", ["Geld", "Ereignis", "Steine"]), ("nl", ["Geld", "Gebeurtenis", "Stenen"])]
)
def test_a_page_says_the_terms_of_a_game_in_the_language(client: Client, code: str, words: list[str]) -> None:
    page = in_language(client, code).get(TUTORIAL).content.decode()
    for word in words:
        assert f">{word}</span></a>" in page
    assert 'lang="en"' in page  # the told game is English, and says so


@pytest.mark.parametrize(("code", "red"), [("de", "rot"), ("nl", "rood")])
def test_the_scripts_of_a_page_find_their_words(client: Client, code: str, red: str) -> None:
    page = in_language(client, code).get(ABOUT).content.decode()
    found = re.search(r'data-words="([^"]+)"', page)
    assert found
    response = client.get(found[1])
    document = json.loads(response.content)
    assert document["words"]["red"] == red
    assert document["plurals"][:3] == [1, 0, 1]
    assert "immutable" in response["Cache-Control"]
    assert all(isinstance(said, str) or all(said) for said in document["words"].values())


def test_the_words_have_no_english_document(client: Client) -> None:
    assert "data-words" not in client.get(ABOUT).content.decode()
    assert client.get("/words/en/0123456789ab.json").status_code == 404
    assert client.get("/words/fr/0123456789ab.json").status_code == 404


def test_the_words_are_only_read(client: Client) -> None:
    url = "/words/de/000000000000.json"
    assert [client.generic(method, url).status_code for method in ("GET", "HEAD")] == [200, 200]
    assert {client.generic(method, url).status_code for method in ("POST", "PUT", "PATCH", "DELETE", "X")} == {405}


def test_an_old_address_of_the_words_has_todays(client: Client) -> None:
    assert client.get("/words/de/000000000000.json").content == languages.words("de")


def test_numbers_in_drawings_have_a_point_in_every_language(client: Client) -> None:
    from django.template import Context, Template
    from django.utils import translation

    for code in ("de", "nl"):
        with translation.override(code):
            assert Template("{{ x }}").render(Context({"x": 1234.5})) == "1234.5"
