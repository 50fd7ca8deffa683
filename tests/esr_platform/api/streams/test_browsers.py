"""Who is taken for whom by the cookie of a session, at the addresses that take one."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.test import RequestFactory
from django.utils import timezone
from pytest_django import Settings

from esr_platform.accounts import sessions
from esr_platform.accounts.models import User
from esr_platform.accounts.sessions import Browser, end_all
from esr_platform.api.authentication import identity
from ladder.models import Invitation, Ladder, Match
from tests.build import person
from tests.esr_platform.api.conftest import document, problem
from tests.esr_platform.api.streams.people import Tab, session_of
from tests.ladder.live.play import game_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def mia(db: None) -> User:
    return person("mia")


@pytest.fixture
def private(db: None) -> Match:
    """A live game on a ladder that only its members know of."""
    match = game_of("edel-stein-reich-duel", 2)
    Ladder.objects.filter(pk=match.ladder_id).update(private=True, by_invitation=True)
    return match


def suspend(user: User) -> None:
    User.objects.filter(pk=user.pk).update(is_active=False)


def change_password(user: User) -> None:
    user.set_password("another one altogether")
    user.save()


def sign_out(user: User) -> None:
    Session.objects.all().delete()


def wait_for_weeks(user: User) -> None:
    Session.objects.update(expire_date=timezone.now() - timedelta(seconds=1))


ENDINGS = [suspend, change_password, end_all, sign_out, wait_for_weeks]


def test_a_session_is_its_persons(mia: User) -> None:
    browser = sessions.find(session_of(mia, guest="a secret from before"))
    assert browser is not None
    assert (browser.user, browser.user_id, browser.guest) == (mia, mia.pk, None)
    assert identity(RequestFactory().get("/"), browser) == f"user-{mia.pk}"


def test_a_guest_is_known_by_the_secret_and_counted_by_the_address(db: None) -> None:
    browser = sessions.find(session_of(None, guest="a secret"))
    assert browser is not None
    assert (browser.user, browser.guest) == (None, "a secret")
    assert identity(RequestFactory().get("/", REMOTE_ADDR="192.0.2.7"), browser) == "address-192.0.2.7"
    nobody = sessions.find(session_of(None, something="else"))
    assert nobody is not None
    assert (nobody.user, nobody.guest) == (None, None)


@pytest.mark.parametrize("end", ENDINGS)
def test_a_session_that_was_ended_opens_nothing(mia: User, end: Callable[[User], None]) -> None:
    key = session_of(mia)
    before = sessions.find(key)
    assert before is not None
    assert sessions.still_live([before]) == {before}
    end(mia)
    assert sessions.find(key) is None
    assert sessions.still_live([before]) == set()


@pytest.mark.parametrize("key", ["", "x", "x" * 40, "x" * 400, "ü", "a\x00b", "' OR 1=1 --"])
def test_what_is_no_session_is_nobodys(db: None, key: str) -> None:
    assert sessions.find(key) is None


def test_many_are_looked_at_in_two_questions(django_assert_num_queries: Callable[[int], object]) -> None:
    browsers = [sessions.find(session_of(person(f"mia{i}"))) for i in range(5)]
    here = [browser for browser in browsers if browser is not None] + [Browser("guess", None, "secret")]
    with django_assert_num_queries(2):  # type: ignore[attr-defined]
        assert sessions.still_live(here) == set(here[:5])


def test_members_watch_a_private_ladder_in_a_browser(private: Match, mia: User) -> None:
    address = f"matches/{private.pk}/view"
    problem(Tab(mia).get(address), 404, "not_found")
    problem(Tab().get(address), 404, "not_found")
    Invitation.objects.create(ladder=private.ladder, person=mia)
    tab = Tab(mia)
    assert document(tab.get(address))["seat"] is None
    assert document(tab.get(f"matches/{private.pk}/viewers")) == {"game": private.pk, "viewers": 0}
    tab.sign_out()
    problem(tab.get(address), 404, "not_found")


def test_a_session_opens_nothing_of_the_rest_of_the_api(mia: User) -> None:
    for address in ("token", "bot", "bot/decision?wait=0", "exhibitions"):
        problem(Tab(mia).get(address), 401, "not_authenticated")


def test_sessions_that_are_none_are_guesses(private: Match, settings: Settings) -> None:
    settings.REQUESTS_PER_MINUTE = {**settings.REQUESTS_PER_MINUTE, "guesses": 3}
    Ladder.objects.update(private=False)

    def guess() -> int:
        tab = Tab()
        tab.client.cookies["sessionid"] = "x" * 32
        return tab.get(f"matches/{private.pk}/view").status_code

    assert [guess() for _ in range(5)] == [200] * 3 + [429] * 2
    assert Tab().get(f"matches/{private.pk}/view").status_code == 200, "whoever guesses nothing"
