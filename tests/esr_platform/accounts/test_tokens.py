from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from esr_platform.accounts import tokens
from esr_platform.accounts.models import Scope, Token, User

pytestmark = pytest.mark.django_db


@pytest.fixture
def miriam() -> User:
    return User.objects.create_user("miriam")


def issued(user: User, lifetime: timedelta | None = None) -> str:
    return tokens.issue(user, "laptop", [Scope.UPLOAD], lifetime)[1]


def test_a_token_acts_for_its_owner_within_its_scope(miriam: User) -> None:
    found = tokens.find(issued(miriam))
    assert found is not None
    assert found.allows(Scope.UPLOAD)
    assert found.user == miriam


def test_a_token_does_nothing_outside_its_scopes(miriam: User) -> None:
    _, secret = tokens.issue(miriam, "nothing", [], None)
    found = tokens.find(secret)
    assert found is not None
    assert not found.allows(Scope.UPLOAD)


def test_the_secret_is_kept_nowhere(miriam: User) -> None:
    secret = issued(miriam)
    row = Token.objects.values().get()
    assert all(secret not in str(value) for value in row.values())
    assert len(row["hint"]) < len(secret) / 4


@pytest.mark.parametrize("secret", ["", "esr_", "esr_" + "A" * 43, "é\0"])
def test_a_guess_opens_nothing(miriam: User, secret: str) -> None:
    issued(miriam)
    assert tokens.find(secret) is None


def test_a_token_that_was_revoked_or_has_expired_or_whose_owner_may_not_sign_in_is_dead(miriam: User) -> None:
    expired = issued(miriam, timedelta(seconds=-1))
    token, revoked = tokens.issue(miriam, "old", [Scope.UPLOAD], None)
    assert tokens.revoke(miriam, token.pk)
    assert not tokens.revoke(miriam, token.pk)
    live = issued(miriam)
    assert tokens.find(expired) is tokens.find(revoked) is None
    assert tokens.find(live) is not None
    User.objects.update(is_active=False)
    assert tokens.find(live) is None


def test_nobody_revokes_another_ones_token(miriam: User, client: Client) -> None:
    secret = issued(miriam)
    client.force_login(User.objects.create_user("carl"))
    client.post(f"/account/tokens/{Token.objects.get().pk}/revoke/")
    assert tokens.find(secret) is not None


def test_use_is_noted_once_a_minute_at_most(miriam: User, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    secret = issued(miriam)
    tokens.find(secret)
    assert Token.objects.get().last_used is not None
    with django_assert_num_queries(1):
        tokens.find(secret)


def test_there_is_a_limit_and_the_way_out_is_named(miriam: User) -> None:
    for _ in range(tokens.MOST_TOKENS):
        issued(miriam)
    with pytest.raises(tokens.TooManyTokens, match="Revoke one"):
        issued(miriam)


def test_the_page_shows_a_new_secret_once(miriam: User, client: Client) -> None:
    client.force_login(miriam)
    page = client.post("/account/tokens/", {"name": "<b>laptop", "scopes": ["upload"], "days": "30"}).content.decode()
    secret = page.partition("<code>")[2].partition("</code>")[0]
    assert tokens.find(secret) is not None
    again = client.get("/account/tokens/").content.decode()
    assert secret not in again
    assert "<b>laptop" not in again
    assert "no-store" in client.get("/account/tokens/").headers["Cache-Control"]


def test_a_token_needs_a_name_a_scope_and_a_signed_in_owner(miriam: User, client: Client) -> None:
    assert client.get("/account/tokens/").status_code == 302
    client.force_login(miriam)
    for answers in ({"name": "", "scopes": ["upload"]}, {"name": "x"}, {"name": "x", "scopes": ["root"]}):
        client.post("/account/tokens/", answers)
    assert not Token.objects.exists()
