"""Proving an address: another code, another address, a code that is too old, and addresses that come later."""

from __future__ import annotations

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.core.cache import cache
from django.test import Client
from pytest_django import Settings

from esr_platform.accounts.models import User
from tests.esr_platform.accounts.test_signing_up import PASSWORD, code_in, sign_up

pytestmark = pytest.mark.django_db
CONFIRM = "/account/confirm-email/"


def proven() -> list[str]:
    return sorted(EmailAddress.objects.filter(verified=True).values_list("email", flat=True))


def test_another_code_is_sent_and_works(client: Client) -> None:
    sign_up(client)
    cache.clear()  # codes are sent at a pace
    client.post(CONFIRM, {"action": "resend"})
    assert len(mail.outbox) == 2
    client.post(CONFIRM, {"code": code_in(mail.outbox[-1])})
    assert proven() == ["miriam@example.org"]


def test_codes_are_not_sent_one_after_the_other(client: Client) -> None:
    sign_up(client)
    for _ in range(5):
        client.post(CONFIRM, {"action": "resend"})
    assert len(mail.outbox) <= 2


def test_whose_address_was_wrong_makes_the_account_anew(client: Client) -> None:
    sign_up(client, email="mirim@example.org")
    assert "Make the account anew" in client.get(CONFIRM).content.decode()
    answer = client.post(CONFIRM, {"action": "change", "email": "miriam@example.org"})
    assert answer.status_code != 500
    assert len(mail.outbox) == 1, "changing it would tell whether an address has an account"
    left = client.post("/account/logout/", {"next": "/account/signup/"})
    assert client.get(left.headers["Location"]).status_code == 200
    sign_up(client, "mirjam", "miriam@example.org")
    client.post(CONFIRM, {"code": code_in(mail.outbox[-1])})
    assert proven() == ["miriam@example.org"]


def test_a_code_that_is_too_old_proves_nothing(client: Client, settings: Settings) -> None:
    sign_up(client)
    settings.ACCOUNT_EMAIL_VERIFICATION_BY_CODE_TIMEOUT = 0
    client.post(CONFIRM, {"code": code_in(mail.outbox[-1])})
    assert proven() == []
    assert client.get("/account/").status_code == 302


def test_an_address_that_was_not_proven_is_proven_at_the_next_signing_in(client: Client) -> None:
    sign_up(client)
    again = Client()
    cache.clear()
    answer = again.post("/account/login/", {"login": "miriam", "password": PASSWORD})
    assert answer.headers["Location"] == CONFIRM
    again.post(CONFIRM, {"code": code_in(mail.outbox[-1])})
    assert proven() == ["miriam@example.org"]


def test_another_address_becomes_the_primary_one_once_it_is_proven(client: Client) -> None:
    sign_up(client)
    client.post(CONFIRM, {"code": code_in(mail.outbox[-1])})
    client.post("/account/reauthenticate/", {"password": PASSWORD})
    client.post("/account/email/", {"email": "new@example.org", "action_add": ""})
    assert "new@example.org" not in proven()
    client.post("/account/email/", {"email": "new@example.org", "action_primary": ""})
    assert User.objects.get().email == "miriam@example.org", "not before it is proven"
    letter = next(one for one in reversed(mail.outbox) if one.to == ["new@example.org"])
    client.post(CONFIRM, {"code": code_in(letter)})
    client.post("/account/email/", {"email": "new@example.org", "action_primary": ""})
    assert User.objects.get().email == "new@example.org"
    client.post("/account/email/", {"email": "miriam@example.org", "action_remove": ""})
    assert proven() == ["new@example.org"]


def test_the_terms_are_accepted_with_version_and_time(client: Client) -> None:
    form = {"username": "carl", "email": "carl@example.org", "password1": PASSWORD}
    page = client.post("/account/signup/", form).content.decode()
    assert "Without the terms there is no account" in page
    assert not User.objects.exists()
    sign_up(client)
    person = User.objects.get()
    assert person.terms_version == "2026-11-21"
    assert person.terms_accepted is not None
    assert "CC BY 4.0" in client.get("/terms/").content.decode()


def test_a_newer_version_of_the_terms_is_asked_for_on_the_account_page(client: Client) -> None:
    person = User.objects.create_user("miriam", terms_version="2020-01-01")
    client.force_login(person)
    assert "not accepted yet" in client.get("/account/").content.decode()
    client.post("/account/terms/")
    person.refresh_from_db()
    assert person.terms_version == "2026-11-21"
    assert "not accepted yet" not in client.get("/account/").content.decode()
