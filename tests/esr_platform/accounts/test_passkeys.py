"""Asking to sign in with a passkey: what it leaves behind, and how often a challenge can be answered."""

from __future__ import annotations

import pytest
from allauth.mfa.webauthn.internal.auth import STATE_SESSION_KEY
from django.contrib.sessions.models import Session
from django.http import HttpRequest
from django.test import Client

from esr_platform.accounts.passkeys import COOKIE, restore_challenge

pytestmark = pytest.mark.django_db
PATH = "/account/2fa/webauthn/login/"
AJAX = {"X-Requested-With": "XMLHttpRequest"}


def challenged(client: Client) -> str:
    """The cookie with a challenge."""
    answer = client.get(PATH, headers=AJAX)
    assert answer.json()["request_options"]["publicKey"]["challenge"]
    return answer.cookies[COOKIE].value


def restored(cookie: str) -> bool:
    request = HttpRequest()
    request.session = Client().session
    request.COOKIES[COOKIE] = cookie
    restore_challenge(request)
    return STATE_SESSION_KEY in request.session


def test_asking_for_a_challenge_writes_no_session(client: Client) -> None:
    for _ in range(3):
        challenged(client)
    assert client.cookies[COOKIE]["httponly"]
    assert not Session.objects.exists()


def test_a_wrong_answer_writes_no_session_either(client: Client) -> None:
    challenged(client)
    assert client.post(PATH, {"credential": "{}"}).status_code == 302
    assert client.cookies[COOKIE].value == ""
    assert not Session.objects.exists()


def test_a_session_that_is_there_stays_as_it_was(client: Client) -> None:
    session = client.session
    session["guest"] = "secret"
    session.save()
    challenged(client)
    client.post(PATH, {"credential": "{}"})
    assert dict(client.session) == {"guest": "secret"}
    assert Session.objects.count() == 1


def test_a_challenge_is_good_for_one_answer(client: Client) -> None:
    cookie = challenged(client)
    assert [restored(cookie), restored(cookie)] == [True, False]


def test_a_forged_challenge_is_none(client: Client) -> None:
    assert not restored(challenged(client)[:-1] + "!")
    assert not restored("")
