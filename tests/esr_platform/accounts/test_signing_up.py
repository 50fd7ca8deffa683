from __future__ import annotations

import re

import pytest
from django.conf import settings
from django.core import mail
from django.test import Client
from django.utils import timezone

from bots.models import Bot, BotVersion
from bots.names import candidates
from esr_platform.accounts.models import User

pytestmark = pytest.mark.django_db
PASSWORD = "a cellar full of amethysts"


def sign_up(client: Client, username: str = "miriam", email: str = "miriam@example.org") -> None:
    client.post("/account/signup/", {"username": username, "email": email, "password1": PASSWORD, "terms": "on"})


def code_in(letter: mail.EmailMessage) -> str:
    """The code that a letter carries on a line of its own."""
    found = re.search(r"^([A-Z0-9-]{6,9})$", str(letter.body), re.MULTILINE)
    assert found is not None
    return found[1]


def test_a_person_signs_up_with_the_code_from_the_letter_and_is_signed_in(client: Client) -> None:
    sign_up(client)
    assert client.get("/account/").status_code == 302, "the address has not been verified yet"
    client.post("/account/confirm-email/", {"code": code_in(mail.outbox[-1])})
    page = client.get("/account/")
    assert page.status_code == 200
    assert "miriam" in page.content.decode()


def test_a_wrong_code_verifies_nothing(client: Client) -> None:
    sign_up(client)
    client.post("/account/confirm-email/", {"code": "AAAAAA"})
    assert client.get("/account/").status_code == 302


def test_who_is_verified_signs_in_with_name_or_address(client: Client) -> None:
    sign_up(client)
    client.post("/account/confirm-email/", {"code": code_in(mail.outbox[-1])})
    for login in ("miriam", "MIRIAM", "miriam@example.org"):
        client.logout()
        client.post("/account/login/", {"login": login, "password": PASSWORD})
        assert client.get("/account/").status_code == 200, login


@pytest.mark.parametrize("username", ["ab", "1st", "miri am", "mіriam", "admin", "House", "x" * 31, "mi/ri", "demo"])
def test_a_name_that_could_deceive_is_refused(client: Client, username: str) -> None:
    sign_up(client, username)
    assert not User.objects.exists()


@pytest.mark.parametrize("username", ["a-lice", "a1ice", "AIice", "alice_", "greedy", "gree-dy", "m0derator"])
def test_a_name_that_looks_like_another_users_or_a_house_bots_is_refused(client: Client, username: str) -> None:
    User.objects.create_user("alice")
    Bot.objects.create(name="Greedy", slug="house-greedy", house_name="greedy")
    sign_up(client, username)
    assert User.objects.count() == 1


@pytest.mark.parametrize("username", ["suspended-eve", "suspendedeve", "blue-bot", "BlueB0t", "citrine"])
def test_a_name_that_looks_like_a_suspended_users_or_anybodys_bot_is_refused(client: Client, username: str) -> None:
    eve = User.objects.create_user(
        "suspended_eve", suspended=timezone.now(), suspension_reason="until Monday", is_active=False
    )
    for name, slug in (("Blue Bot", "bot-7"), ("Renamed", "citrine")):
        bot = Bot.objects.create(owner=eve, name=name, slug=slug)
        BotVersion.objects.create(bot=bot, number=1, digest="0" * 64)
    sign_up(client, username)
    assert User.objects.count() == 1


def test_a_bot_that_nobody_else_knows_of_keeps_no_name(client: Client) -> None:
    bot = Bot.objects.create(owner=User.objects.create_user("eve"), name="miriam", slug="miriam")
    BotVersion.objects.create(bot=bot, number=1, digest="0" * 64, state="refused", reason="It did not start.")
    sign_up(client, "miriam")
    assert User.objects.filter(username="miriam").exists()


def test_a_name_is_compared_with_few_of_many(client: Client) -> None:
    """The database sorts out the names that cannot look alike: only the others are read."""
    owner = User.objects.create_user("eve")
    bots = Bot.objects.bulk_create(Bot(owner=owner, name=f"Name {i}", slug=f"slug-{i}") for i in range(50))
    BotVersion.objects.bulk_create(BotVersion(bot=bot, number=1, digest="0" * 64) for bot in bots)
    known = Bot.objects.all()
    assert list(candidates(known, "name-1l", "name")) == ["Name 11"]
    assert list(candidates(known, "SLUG_ll", "name", "slug")) == ["Name 11", "slug-11"]
    Bot.objects.filter(pk=bots[0].pk).update(name="N\u00e4me 7")
    assert sorted(candidates(known, "name-7", "name")) == ["Name 7", "N\u00e4me 7"]


def test_a_name_is_taken_whatever_its_case(client: Client) -> None:
    User.objects.create_user("Miriam")
    sign_up(client, "miriam")
    assert User.objects.count() == 1


def test_nobody_learns_whether_an_address_has_an_account(client: Client) -> None:
    User.objects.create_user("carl", "carl@example.org")
    answers = []
    for email in ("carl@example.org", "nobody@example.org"):
        page = Client().post("/account/password/reset/", {"email": email}, follow=True).content.decode()
        answers.append(re.sub(r'value="[^"]{40,}"', "", page))
    assert answers[0] == answers[1]


def test_guessing_a_password_is_slowed_down(client: Client) -> None:
    User.objects.create_user("carl", "carl@example.org", PASSWORD)
    for _ in range(20):
        client.post("/account/login/", {"login": "carl", "password": "wrong"})
    page = client.post("/account/login/", {"login": "carl", "password": PASSWORD}, follow=True)
    assert page.status_code == 429
    assert "Too many wrong passwords" in page.content.decode()


def test_a_password_is_reset_by_the_link_in_the_letter(client: Client) -> None:
    sign_up(client)
    client.post("/account/confirm-email/", {"code": code_in(mail.outbox[-1])})
    client.logout()
    client.post("/account/password/reset/", {"email": "miriam@example.org"})
    link = re.search(rf"{settings.SITE_URL}(\S+)", str(mail.outbox[-1].body))
    assert link is not None
    form = client.get(link[1], follow=True)
    client.post(form.request["PATH_INFO"], {"password1": "another cellar", "password2": "another cellar"})
    client.post("/account/login/", {"login": "miriam", "password": "another cellar"})
    assert client.get("/account/").status_code == 200
