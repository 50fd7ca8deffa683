from __future__ import annotations

import re
import socket
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from smtplib import SMTPDataError, SMTPServerDisconnected
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.core.mail.backends.base import BaseEmailBackend
from django.db import connection
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from bots.models import Bot, BotVersion
from esr_platform.accounts import letters
from esr_platform.accounts.models import User

pytestmark = pytest.mark.django_db


class Failing(BaseEmailBackend):
    """A mail server that fails as it was told to."""

    failure: Exception = ConnectionRefusedError()

    def send_messages(self, email_messages: Any) -> int:
        raise self.failure


@pytest.fixture
def miriam() -> User:
    return person("miriam")


def person(name: str, *, verified: bool = True) -> User:
    user = User.objects.create_user(name, f"{name}@example.org")
    EmailAddress.objects.create(user=user, email=user.email, verified=verified, primary=True)
    User.objects.filter(pk=user.pk).update(date_joined=timezone.now() - timedelta(days=9))
    user.refresh_from_db()
    return user


def refused(owner: User, name: str = "citrine", ago: timedelta = timedelta(0)) -> BotVersion:
    bot, _ = Bot.objects.get_or_create(owner=owner, slug=name, name=name)
    return BotVersion.objects.create(
        bot=bot,
        number=bot.versions.count() + 1,
        digest=f"{bot.versions.count():064}",
        state="refused",
        reason="It did not start.",
        checked=timezone.now() - ago,
    )


def on_leave(owner: User, name: str = "opal") -> Bot:
    return Bot.objects.create(owner=owner, slug=name, name=name, on_leave=timezone.now(), leave_reason="It failed.")


def a_day_later() -> None:
    User.objects.update(next_letter=timezone.now() - timedelta(seconds=1))


def test_the_owner_of_a_refused_version_is_told_why_and_where(miriam: User, settings: Settings) -> None:
    settings.SITE_URL = "https://arena.example.org"
    refused(miriam)
    assert letters.write_all() == 1
    (letter,) = mail.outbox
    assert letter.to == ["miriam@example.org"]
    assert letter.subject == "Steinreich: citrine was refused"
    assert "Version 1 of citrine was refused. It did not start." in letter.body
    assert "https://arena.example.org/bots/citrine/" in letter.body


def test_nothing_is_told_twice(miriam: User) -> None:
    refused(miriam)
    letters.write_all()
    a_day_later()
    assert letters.write_all() == 0
    assert len(mail.outbox) == 1


def test_there_is_one_letter_a_day_and_the_next_tells_the_rest(miriam: User) -> None:
    refused(miriam, "citrine")
    letters.write_all()
    refused(miriam, "garnet")
    on_leave(miriam)
    assert letters.write_all() == 0
    a_day_later()
    assert letters.write_all() == 1
    assert mail.outbox[1].subject == "Steinreich: 2 news of your bots"
    assert "garnet was refused" in mail.outbox[1].body
    assert "opal is on leave. It failed." in mail.outbox[1].body
    assert "citrine" not in mail.outbox[1].body


def test_what_no_longer_holds_is_not_told(miriam: User) -> None:
    refused(miriam)
    bot = on_leave(miriam)
    Bot.objects.filter(pk=bot.pk).update(on_leave=None, leave_reason="")
    BotVersion.objects.create(bot=Bot.objects.get(slug="citrine"), number=2, digest="2" * 64, state="ready")
    assert letters.write_all() == 0


@pytest.mark.django_db(transaction=True)
def test_of_many_workers_at_once_one_writes(miriam: User) -> None:
    refused(miriam)

    def one(_: int) -> int:
        try:
            return letters.write_all()
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as pool:
        assert sum(pool.map(one, range(6))) == 1
    assert len(mail.outbox) == 1


def test_nobody_is_written_to_who_did_not_prove_the_address_or_may_not_sign_in(miriam: User) -> None:
    refused(person("carl", verified=False), "x1")
    refused(miriam)
    User.objects.filter(pk=miriam.pk).update(is_active=False)
    assert letters.write_all() == 0


def test_what_happened_before_somebody_came_is_no_news(miriam: User) -> None:
    refused(miriam, ago=timedelta(days=10))
    assert letters.write_all() == 0


def test_a_letter_that_the_server_did_not_take_is_tried_again_soon(miriam: User, settings: Settings) -> None:
    refused(miriam)
    works, settings.EMAIL_BACKEND = settings.EMAIL_BACKEND, f"{__name__}.Failing"
    for failure in (ConnectionRefusedError(), socket.gaierror(), SMTPDataError(451, b"later")):
        Failing.failure = failure
        User.objects.update(next_letter=None)
        assert letters.write_all() == 0
        wait = User.objects.get().next_letter
        assert wait is not None
        assert timedelta() < wait - timezone.now() <= letters.SOON
    settings.EMAIL_BACKEND = works
    a_day_later()
    assert letters.write_all() == 1


def test_a_letter_that_may_have_left_is_not_sent_again_that_day(miriam: User, settings: Settings) -> None:
    refused(miriam)
    settings.EMAIL_BACKEND = f"{__name__}.Failing"
    for failure in (TimeoutError(), SMTPServerDisconnected(), SMTPDataError(554, b"never"), UnicodeError()):
        Failing.failure = failure
        User.objects.update(next_letter=None)
        assert letters.write_all() == 0
        wait = User.objects.get().next_letter
        assert wait is not None
        assert wait - timezone.now() > timedelta(hours=23)


def test_a_mail_server_that_is_away_keeps_nobody_waiting_twice(miriam: User, settings: Settings) -> None:
    refused(miriam)
    refused(person("carl"), "x1")
    settings.EMAIL_BACKEND, Failing.failure = f"{__name__}.Failing", TimeoutError()
    letters.write_all()
    assert User.objects.filter(next_letter=None).count() == 1


def test_letters_are_turned_off_and_on_on_the_account_page(miriam: User, client: Client) -> None:
    refused(miriam)
    client.force_login(miriam)
    client.post("/account/letters/", {"wanted": "no"})
    assert letters.write_all() == 0
    client.post("/account/letters/", {"wanted": "yes"})
    assert letters.write_all() == 1


def test_a_mail_program_turns_letters_off_with_one_click(miriam: User, settings: Settings) -> None:
    refused(miriam)
    letters.write_all()
    headers = mail.outbox[0].extra_headers
    assert headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    address = headers["List-Unsubscribe"].strip("<>")
    assert address in mail.outbox[0].body
    path = address.removeprefix(settings.SITE_URL)
    client = Client(enforce_csrf_checks=True)
    assert "Turn them off" in client.get(path).content.decode()
    assert User.objects.get().wants_letters, "scanners open links; that alone does nothing"
    client.post(path, {"List-Unsubscribe": "One-Click"})
    assert not User.objects.get().wants_letters


def test_a_link_that_was_not_signed_here_turns_nothing_off(miriam: User) -> None:
    forged = re.sub(r"\d+:", f"{person('carl').pk}:", letters.address_to_turn_off(miriam).rpartition("/off/")[2])
    for signed in (forged, f"{miriam.pk}", "x"):
        assert "not complete" in Client().post(f"/account/letters/off/{signed.strip('/')}/").content.decode()
    assert User.objects.filter(wants_letters=True).count() == 2


def test_a_name_breaks_out_of_no_header(miriam: User) -> None:
    refused(miriam, "citrine")
    Bot.objects.update(name="x\r\nBcc: all@example.org")
    assert letters.write_all() == 0
    assert mail.outbox == []
