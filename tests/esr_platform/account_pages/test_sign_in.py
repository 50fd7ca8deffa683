from __future__ import annotations

import re

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.webauthn.internal.auth import STATE_SESSION_KEY
from django.conf import settings
from django.contrib.sessions.models import Session
from django.core import mail
from django.core.cache import cache
from django.http import HttpRequest
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from bots.models import Bot, BotVersion
from bots.names import candidates
from esr_platform.accounts.models import User
from esr_platform.accounts.passkeys import COOKIE, restore_challenge
from esr_platform.accounts.terms import VERSION
from tests.build import PASSWORD
from tests.page import page, parsed

pytestmark = pytest.mark.django_db


def sign_up(client: Client, username: str = "miriam", email: str = "miriam@example.org", **more: str) -> None:
    form = {"username": username, "email": email, "password1": PASSWORD, "terms": "on", **more}
    client.post("/account/signup/", form)


def code_in(letter: mail.EmailMessage) -> str:
    """The code that a letter carries on a line of its own."""
    code = re.search(r"^([A-Z0-9-]{6,9})$", str(letter.body), re.MULTILINE)
    assert code is not None
    return code[1]


def test_a_person_signs_up_with_the_code_from_the_letter_and_is_signed_in(client: Client) -> None:
    sign_up(client)
    assert client.get("/account/").status_code == 302, "the address has not been verified yet"
    client.post("/account/confirm-email/", {"code": code_in(mail.outbox[-1])})
    page = client.get("/account/")
    assert page.status_code == 200
    assert "miriam" in page.content.decode()


@pytest.mark.parametrize(
    ("asked", "leads"), [("/bots/", "/bots/"), ("https://evil.example/", "/play/"), ("", "/play/")]
)
def test_signing_up_leads_back_to_the_page_it_was_begun_on(client: Client, asked: str, leads: str) -> None:
    sign_up(client, **({"next": asked} if asked else {}))
    answer = client.post("/account/confirm-email/", {"code": code_in(mail.outbox[-1])})
    assert answer.headers["Location"] == leads


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
    assert "/account/signup/" in client.get(CONFIRM).content.decode()
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


def test_a_code_that_cannot_be_sent_is_reported_and_the_log_names_the_setting(
    client: Client, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    form = {"username": "miriam", "email": "miriam@example.org", "password1": PASSWORD, "terms": "on"}
    response = client.post("/account/signup/", form)
    assert response.status_code == 503
    (line,) = [record for record in caplog.records if "EMAIL_URL" in record.getMessage()]
    assert "127.0.0.1:1" in line.getMessage()
    assert line.exc_info is None


def test_a_notice_that_cannot_be_sent_does_not_undo_the_change(client: Client, settings: Settings) -> None:
    sign_up(client)
    client.post("/account/confirm-email/", {"code": code_in(mail.outbox[-1])})
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    new = "another long passphrase"
    form = {"oldpassword": PASSWORD, "password1": new, "password2": new}
    assert client.post("/account/password/change/", form).status_code == 302
    assert User.objects.get().check_password(new)


def test_another_address_becomes_the_primary_one_once_it_is_proven(client: Client) -> None:
    sign_up(client)
    client.post(CONFIRM, {"code": code_in(mail.outbox[-1])})
    client.post("/account/reauthenticate/", {"password": PASSWORD})
    client.post("/account/email/", {"email": "new@example.org", "action_add": ""})
    assert "new@example.org" not in proven()
    client.post("/account/email/", {"email": "new@example.org", "action_primary": ""})
    assert User.objects.get().email == "miriam@example.org", "not before it is proven"
    letter = next(message for message in reversed(mail.outbox) if message.to == ["new@example.org"])
    client.post(CONFIRM, {"code": code_in(letter)})
    client.post("/account/email/", {"email": "new@example.org", "action_primary": ""})
    assert User.objects.get().email == "new@example.org"
    client.post("/account/email/", {"email": "miriam@example.org", "action_remove": ""})
    assert proven() == ["new@example.org"]


def test_the_terms_are_accepted_with_version_and_time(client: Client) -> None:
    form = {"username": "carl", "email": "carl@example.org", "password1": PASSWORD}
    assert parsed(client.post("/account/signup/", form)).errors == {"terms"}
    assert not User.objects.exists()
    sign_up(client)
    person = User.objects.get()
    assert person.terms_version == VERSION
    assert person.terms_accepted is not None
    assert "CC BY 4.0" in client.get("/terms/").content.decode()


def test_a_newer_version_of_the_terms_is_asked_for_on_the_account_page(client: Client) -> None:
    person = User.objects.create_user("miriam", terms_version="2020-01-01")
    client.force_login(person)
    assert "/account/terms/" in page(client, "/account/").actions
    client.post("/account/terms/")
    person.refresh_from_db()
    assert person.terms_version == VERSION
    assert "/account/terms/" not in page(client, "/account/").actions


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
