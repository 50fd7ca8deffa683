"""Parts of pages that browsers request while a game or the lobby changes: who sees them, and when they are made."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from django.conf import settings
from django.http import HttpResponse
from django.middleware.csrf import get_token
from django.test import Client, RequestFactory
from pytest_django import DjangoCaptureOnCommitCallbacks

from bots.models import Bot
from ladder.creation import open_house
from ladder.live.end import finish
from ladder.matchmaking import proposals
from ladder.models import Invitation, Ladder, Match, Season
from ladder.pages.components import responses
from ladder.seasons import close, publish_keys
from tests.build import block_on, finish_block, games_of, person
from tests.ladder.live_tables import move_on, remote_bots, seated, to_round
from tests.page import page

pytestmark = pytest.mark.django_db


@pytest.fixture
def bots() -> list[Bot]:
    open_house()
    return remote_bots(Ladder.objects.get(slug="edel-stein-reich-3-remote"))


@pytest.fixture
def match(bots: list[Bot]) -> Match:
    table = seated(Ladder.objects.get(slug="edel-stein-reich-3-remote"), bots)
    to_round(table, 3, Random(1))
    return table


def rounds(match: Match) -> str:
    return f"/matches/{match.pk}/rounds/"


def test_the_newest_round_comes_with_the_moment_to_draw(match: Match, client: Client) -> None:
    before = page(client, rounds(match))
    assert {part["id"] for part in before.all(id=True)} >= {"running-for", "moment", "so-far", "told-1"}
    to_round(match, 4, Random(1))
    told = page(client, rounds(match)).one(data_told=True).all("div", id=True)
    assert len(told) == len(before.one(data_told=True).all("div", id=True)) + 1


def test_a_round_of_a_private_ladder_is_for_members_and_kept_by_no_other_cache(match: Match, bots: list[Bot]) -> None:
    Ladder.objects.filter(pk=match.ladder_id).update(private=True, by_invitation=True)
    assert bots[0].owner is not None
    Invitation.objects.get_or_create(ladder=match.ladder, person=bots[0].owner)
    member, stranger = Client(), Client()
    member.force_login(bots[0].owner)
    stranger.force_login(person("stranger"))
    response = member.get(rounds(match))
    assert response.status_code == 200
    assert "no-store" in response["Cache-Control"]
    for client in (stranger, Client()):
        assert client.get(rounds(match)).status_code == 404


def test_of_a_game_that_is_over_no_round_is_left_and_the_page_is_loaded_again(match: Match, client: Client) -> None:
    while move_on(match, Random(1)):
        pass
    finish(match.pk)
    assert client.get(rounds(match))["HX-Refresh"] == "true"


@pytest.fixture
def _kept_for_an_hour(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if everything in a test happened within the seconds for which strangers share a page."""
    monkeypatch.setattr(responses, "SHARED_S", 3600)


def told(client: Client, match: Match) -> int:
    """How many rounds the page of the match tells ``client`` of."""
    return len(page(client, f"/matches/{match.pk}/").one(data_told=True).all("div", id=True))


@pytest.mark.usefixtures("_kept_for_an_hour")
def test_strangers_share_the_page_of_a_match_and_people_with_an_account_get_their_own(match: Match) -> None:
    ada = Client()
    ada.force_login(person("watches"))
    before = told(Client(), match)
    to_round(match, 4, Random(1))
    assert told(Client(), match) == before
    assert told(ada, match) == before + 1
    assert told(Client(), match) == before, "the page of an account is not shared"


@pytest.mark.usefixtures("_kept_for_an_hour")
def test_strangers_with_a_session_share_no_page(match: Match) -> None:
    guest = Client()
    guest.session.save()  # sets the cookie
    before = told(Client(), match)
    to_round(match, 4, Random(1))
    assert told(guest, match) == before + 1


@pytest.mark.usefixtures("_kept_for_an_hour")
def test_strangers_share_a_page_in_their_language(match: Match, pseudo_language: str) -> None:
    def opened(language: str) -> Any:
        client = Client()
        client.cookies[settings.LANGUAGE_COOKIE_NAME] = language
        response = client.get(f"/matches/{match.pk}/")
        assert response["Content-Language"] == language
        return response

    english, other = opened("en"), opened(pseudo_language)
    assert english.content != other.content
    assert opened("en").content == english.content
    assert opened(pseudo_language).content == other.content


@pytest.mark.usefixtures("_kept_for_an_hour")
def test_strangers_see_the_end_of_a_match_at_once(match: Match) -> None:
    assert page(Client(), f"/matches/{match.pk}/").all("running-table")
    while move_on(match, Random(1)):
        pass
    finish(match.pk)
    assert not page(Client(), f"/matches/{match.pk}/").all("running-table")


@pytest.mark.usefixtures("_kept_for_an_hour")
def test_strangers_see_the_key_of_a_season_as_soon_as_it_is_published(bots: list[Bot]) -> None:
    ladder = Ladder.objects.get(slug="edel-stein-reich-duel")
    match = games_of(finish_block(block_on(ladder)))[0]
    address = f"/matches/{match.pk}/"
    assert page(Client(), address).one("check-deal")["data-key"] == ""
    close(Season.objects.get(ladder=ladder, number=1))
    assert publish_keys()
    assert page(Client(), address).one("check-deal")["data-key"]


@pytest.mark.usefixtures("_kept_for_an_hour")
def test_strangers_do_not_see_a_shared_page_when_its_ladder_has_become_private(match: Match) -> None:
    assert Client().get(f"/matches/{match.pk}/").status_code == 200
    Ladder.objects.filter(pk=match.ladder_id).update(private=True, by_invitation=True)
    assert Client().get(f"/matches/{match.pk}/").status_code == 404


@pytest.mark.usefixtures("_kept_for_an_hour")
def test_forms_are_not_shared_because_their_tokens_are_personal(rf: RequestFactory) -> None:
    def form() -> bytes:
        request = rf.get("/form/")
        return responses.shared_by_strangers(request, tuple, lambda: HttpResponse(get_token(request))).content

    assert form() != form()


def test_strangers_share_the_parts_of_the_lobby_until_it_changes(
    client: Client, django_assert_num_queries: Any, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    open_house()
    ladder = Ladder.objects.get(slug="edel-stein-reich-duel-people")
    before = client.get("/play/parts/?open=0").content
    with django_assert_num_queries(0):
        assert Client().get("/play/parts/?open=0").content == before
    with django_capture_on_commit_callbacks(execute=True):
        proposals.create_game(person("ada"), ladder)
    changed = client.get("/play/parts/?open=0").content
    assert b"ada" in changed
    assert b"ada" not in before


def test_a_person_gets_their_own_parts_of_the_lobby() -> None:
    open_house()
    ada, client = person("ada"), Client()
    client.force_login(ada)
    Client().get("/play/parts/")
    proposals.create_game(ada, Ladder.objects.get(slug="edel-stein-reich-duel-people"))
    assert b"/withdraw/" in client.get("/play/parts/").content


def test_htmx_gets_the_main_part_of_a_page_and_loads_the_page_that_a_redirect_leads_to(client: Client) -> None:
    ladders = client.get("/ladders/", headers={"HX-Request": "true"})
    assert "HX-Request" in ladders["Vary"]
    assert b"<main" in ladders.content
    assert b"<head>" not in ladders.content
    assert b"<head>" in client.get("/ladders/").content
    away = client.get("/bots/mine/", headers={"HX-Request": "true"})
    assert away.status_code == 200
    assert away["HX-Redirect"] == "/account/login/?next=/bots/mine/"
