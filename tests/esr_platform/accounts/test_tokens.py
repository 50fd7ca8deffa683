from __future__ import annotations

import re
from datetime import timedelta
from urllib.parse import urlsplit

import pytest
from django.core import mail
from django.http import HttpResponse
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from bots.models import Bot, RemoteBot
from esr_platform.accounts import tokens
from esr_platform.accounts.errors import TooMany
from esr_platform.accounts.models import Scope, Token, User

pytestmark = pytest.mark.django_db


@pytest.fixture
def miriam() -> User:
    return User.objects.create_user("miriam")


def issued(user: User, lifetime: timedelta | None = None) -> str:
    return tokens.issue(user, "laptop", [Scope.UPLOAD], lifetime)[1]


def test_a_token_acts_for_its_owner_within_its_scope(miriam: User) -> None:
    token = tokens.find(issued(miriam))
    assert token is not None
    assert token.allows(Scope.UPLOAD)
    assert token.user == miriam


def test_a_token_does_nothing_outside_its_scopes(miriam: User) -> None:
    _, secret = tokens.issue(miriam, "nothing", [], None)
    token = tokens.find(secret)
    assert token is not None
    assert not token.allows(Scope.UPLOAD)


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
    with pytest.raises(TooMany):
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


def remote(owner: User, slug: str = "wren") -> Bot:
    bot = Bot.objects.create(slug=slug, name=slug.title(), owner=owner, kind=Bot.Kind.REMOTE)
    RemoteBot.objects.create(bot=bot)
    return bot


def test_the_page_makes_a_token_of_one_bot_whatever_is_ticked(miriam: User, client: Client) -> None:
    remote(miriam)
    client.force_login(miriam)
    assert "Wren" in client.get("/account/tokens/?bot=wren").content.decode()
    form = {"name": "gpu", "bot": "wren", "scopes": ["manage"], "days": ""}
    page = client.post("/account/tokens/", form).content.decode()
    token = tokens.find(page.partition("<code>")[2].partition("</code>")[0])
    assert token is not None
    assert (token.scopes, token.bot) == (["play"], Bot.objects.get(slug="wren"))


def test_a_bot_of_somebody_else_is_no_choice(miriam: User, client: Client) -> None:
    remote(User.objects.create_user("carl"), "robin")
    remote(miriam)
    client.force_login(miriam)
    assert "robin" not in client.get("/account/tokens/?bot=robin").content.decode()
    answer = client.post("/account/tokens/", {"name": "x", "bot": "robin", "scopes": ["play"]})
    assert answer.status_code == 422
    assert not Token.objects.exists()


def test_all_tokens_are_revoked_at_once(miriam: User, client: Client) -> None:
    secrets = [issued(miriam) for _ in range(3)]
    others = issued(User.objects.create_user("carl"))
    client.force_login(miriam)
    client.post("/account/tokens/revoke/")
    assert not any(tokens.find(secret) for secret in secrets)
    assert tokens.find(others) is not None


def test_who_changes_the_password_keeps_the_tokens_and_is_shown_them(miriam: User, client: Client) -> None:
    secret = issued(miriam)
    assert change_password(client, miriam).headers["Location"] == "/account/tokens/"
    assert tokens.find(secret) is not None
    tokens.revoke_all(miriam)
    assert change_password(client, miriam).headers["Location"] != "/account/tokens/"


def change_password(client: Client, user: User) -> HttpResponse:
    new = "another cellar of amethysts"
    user.set_password("a cellar full of amethysts")
    user.save()
    client.force_login(user)
    form = {"oldpassword": "a cellar full of amethysts", "password1": new, "password2": new}
    answer = client.post("/account/password/change/", form)
    assert answer.status_code == 302, answer.content
    return answer


@pytest.mark.parametrize("signed_in", [False, True])
def test_a_password_that_was_set_by_a_letter_ends_all_tokens(miriam: User, client: Client, signed_in: bool) -> None:
    miriam.email = "miriam@example.org"
    miriam.set_password("a cellar full of amethysts")
    miriam.save()
    miriam.emailaddress_set.create(email=miriam.email, verified=True, primary=True)  # type: ignore[attr-defined]
    secret = issued(miriam)
    if signed_in:
        client.force_login(miriam)
    client.post("/account/password/reset/", {"email": miriam.email})
    link = re.search(r"http\S+/reset/key/\S+", str(mail.outbox[-1].body))
    assert link is not None
    page = client.get(urlsplit(link[0]).path, follow=True)
    new = "another cellar of amethysts"
    client.post(page.request["PATH_INFO"], {"password1": new, "password2": new})
    miriam.refresh_from_db()
    assert miriam.check_password(new)
    assert tokens.find(secret) is None
