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
from django.db.models.functions import Now
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from bots.models import Bot
from esr_platform.account_pages import deletion, digests
from esr_platform.accounts.models import User
from ladder.models import Agreement, Exhibition, Invitation, Season
from tests.esr_platform.account_pages.events import (
    A_WHILE,
    a_day_later,
    bot_of,
    ended_exhibition,
    ended_season,
    invitation,
    ladder_called,
    paused,
    person,
    rejected,
    version_of,
)

pytestmark = pytest.mark.django_db


class Failing(BaseEmailBackend):
    """A mail server that fails as it was told to."""

    failure: Exception = ConnectionRefusedError()

    def send_messages(self, email_messages: Any) -> int:
        raise self.failure


@pytest.fixture
def miriam() -> User:
    return person("miriam")


def pause_over() -> None:
    """The next email may be sent, but nothing else has changed."""
    User.objects.update(next_digest=timezone.now() - timedelta(seconds=1))


def test_the_owner_of_a_rejected_version_is_told_why_and_where(miriam: User, settings: Settings) -> None:
    settings.SITE_URL = "https://arena.example.org"
    rejected(miriam)
    assert digests.write_all() == 1
    (letter,) = mail.outbox
    assert letter.to == ["miriam@example.org"]
    assert letter.subject.startswith("Steinreich: ")
    assert "citrine v1" in letter.subject
    assert "It did not start." in letter.body
    assert "https://arena.example.org/bots/citrine/" in letter.body


def test_an_email_begins_with_its_reason_and_ends_with_how_to_stop(miriam: User) -> None:
    rejected(miriam)
    digests.write_all()
    first, *_, last = str(mail.outbox[0].body).strip().splitlines()
    assert miriam.username in first
    assert last == digests.unsubscribe_url(miriam)


def test_nothing_is_told_twice(miriam: User) -> None:
    rejected(miriam)
    ended_exhibition(miriam, ladder_called())
    digests.write_all()
    a_day_later()
    assert digests.write_all() == 0
    assert len(mail.outbox) == 1


def test_there_is_one_email_a_day_and_the_next_tells_the_rest(miriam: User) -> None:
    rejected(miriam, "citrine")
    digests.write_all()
    rejected(miriam, "garnet", ago=timedelta())
    paused(miriam, ago=timedelta())
    assert digests.write_all() == 0
    a_day_later()
    assert digests.write_all() == 1
    first, second = mail.outbox
    assert "citrine" in first.body
    assert all(url in second.body for url in ("/bots/garnet/", "/bots/opal/"))
    assert "citrine" not in second.body


def test_every_kind_of_news_is_in_one_email(miriam: User) -> None:
    ladder, carl = ladder_called(), person("carl")
    rejected(miriam)
    bot = paused(miriam)
    ended_season(ladder, {bot: 1})
    urls = [
        "/bots/citrine/",
        "/bots/opal/",
        "/ladders/duel/seasons/1/",
        f"/exhibitions/{invitation(carl, miriam, ladder).pk}/",
        f"/exhibitions/{ended_exhibition(miriam, ladder).pk}/",
    ]
    assert digests.write_all() == 1
    (letter,) = mail.outbox
    assert "5" in letter.subject
    assert all(url in letter.body for url in urls)


def test_news_that_a_transaction_may_still_come_before_are_told_the_next_day(miriam: User) -> None:
    rejected(miriam, "citrine")
    rejected(miriam, "garnet", ago=digests.SETTLED / 2)
    assert digests.write_all() == 1
    rejected(miriam, "opal", ago=digests.SETTLED * 3 / 4)  # by a transaction that had not ended by then
    a_day_later()
    assert digests.write_all() == 1
    first, second = mail.outbox
    assert "/bots/garnet/" not in first.body
    assert "/bots/garnet/" in second.body
    assert "/bots/opal/" in second.body


def test_old_news_are_in_no_email(miriam: User) -> None:
    """The first email has no earlier one to continue from, so only the age of the news limits it."""
    ladder, past = ladder_called(), digests.OLDEST + timedelta(hours=1)
    season = ended_season(ladder, {paused(miriam, ago=past): 1}, past)
    exhibitions = [ended_exhibition(miriam, ladder, past), invitation(person("carl"), miriam, ladder, past)]
    rejected(miriam, ago=past)
    assert digests.write_all() == 0
    Season.objects.filter(pk=season.pk).update(closed=timezone.now() - digests.OLDEST + timedelta(hours=1))
    assert digests.write_all() == 1
    assert not any(f"/exhibitions/{exhibition.pk}/" in mail.outbox[0].body for exhibition in exhibitions)


@pytest.mark.parametrize(
    "became",
    [
        {"state": "planned"},
        {"due_at": timezone.now() - A_WHILE},
        {"state": "cancelled", "reason": "No.", "ended": Now()},
    ],
    ids=["accepted by all", "expired", "canceled"],
)
def test_an_invitation_that_cannot_be_answered_is_not_told(miriam: User, became: dict[str, Any]) -> None:
    invited = invitation(person("carl", verified=False), miriam, ladder_called())
    Exhibition.objects.filter(pk=invited.pk).update(**became)
    assert digests.write_all() == 0


def test_an_invitation_that_was_answered_is_not_told(miriam: User) -> None:
    invited = invitation(person("carl"), miriam, ladder_called())
    Agreement.objects.filter(exhibition=invited).update(agreed=True, answered=timezone.now())
    assert digests.write_all() == 0


def test_no_news_of_a_private_ladder_go_to_people_who_left_it_or_keep_others_waiting(miriam: User) -> None:
    hidden = ladder_called("seminar", by_invitation=True, private=True)
    carl = person("carl")
    membership = Invitation.objects.create(ladder=hidden, person=carl)
    for user in (miriam, carl):
        ended_exhibition(user, hidden)
        ended_season(hidden, {bot_of(user, user.username): 1})
        invitation(person(f"{user.username}-friend"), user, hidden)
    assert digests.write_all() == 1
    assert mail.outbox[0].to == [carl.email]
    miriam.refresh_from_db()
    assert miriam.told_until is not None, "she is not asked about every minute"
    membership.delete()
    ended_exhibition(carl, hidden, timedelta())
    a_day_later()
    assert digests.write_all() == 0


def test_what_no_longer_holds_is_not_told(miriam: User) -> None:
    rejected(miriam)
    bot = paused(miriam)
    Bot.objects.filter(pk=bot.pk).update(paused=None, pause_reason="")
    version_of(Bot.objects.get(slug="citrine"))
    assert digests.write_all() == 0


@pytest.mark.django_db(transaction=True)
def test_of_many_workers_at_once_one_writes(miriam: User) -> None:
    rejected(miriam)

    def one(_: int) -> int:
        try:
            return digests.write_all()
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as pool:
        assert sum(pool.map(one, range(6))) == 1
    assert len(mail.outbox) == 1


@pytest.mark.parametrize("closed", ["unverified", "suspended", "deleted"])
def test_no_email_goes_to_a_closed_or_unverified_account(miriam: User, closed: str) -> None:
    ladder = ladder_called()
    rejected(miriam)
    ended_exhibition(miriam, ladder)
    invitation(person("carl"), miriam, ladder)
    if closed == "unverified":
        EmailAddress.objects.filter(user=miriam).update(verified=False)
    elif closed == "suspended":
        User.objects.filter(pk=miriam.pk).update(suspended=Now(), suspension_reason="Why.", is_active=False)
    else:
        deletion.delete(miriam)
        mail.outbox.clear()
    digests.write_all()
    assert all(letter.to != ["miriam@example.org"] for letter in mail.outbox)


def test_what_happened_before_somebody_joined_is_no_news(miriam: User) -> None:
    rejected(miriam)
    User.objects.update(date_joined=timezone.now())
    assert digests.write_all() == 0


def test_a_letter_that_the_server_did_not_take_is_tried_again_soon(miriam: User, settings: Settings) -> None:
    rejected(miriam)
    works, settings.EMAIL_BACKEND = settings.EMAIL_BACKEND, f"{__name__}.Failing"
    for failure in (ConnectionRefusedError(), socket.gaierror(), SMTPDataError(451, b"later")):
        Failing.failure = failure
        User.objects.update(next_digest=None)
        assert digests.write_all() == 0
        wait = User.objects.get().next_digest
        assert wait is not None
        assert timedelta() < wait - timezone.now() <= digests.SOON
    settings.EMAIL_BACKEND = works
    pause_over()
    assert digests.write_all() == 1


def test_a_letter_that_may_have_left_is_not_sent_again_that_day(miriam: User, settings: Settings) -> None:
    rejected(miriam)
    settings.EMAIL_BACKEND = f"{__name__}.Failing"
    for failure in (TimeoutError(), SMTPServerDisconnected(), SMTPDataError(554, b"never"), UnicodeError()):
        Failing.failure = failure
        User.objects.update(next_digest=None)
        assert digests.write_all() == 0
        wait = User.objects.get().next_digest
        assert wait is not None
        assert wait - timezone.now() > timedelta(hours=23)


def test_a_mail_server_that_is_away_keeps_nobody_waiting_twice(miriam: User, settings: Settings) -> None:
    rejected(miriam)
    rejected(person("carl"), "x1")
    settings.EMAIL_BACKEND, Failing.failure = f"{__name__}.Failing", TimeoutError()
    digests.write_all()
    assert User.objects.filter(next_digest=None).count() == 1


def test_letters_are_turned_off_and_on_on_the_account_page(miriam: User, client: Client) -> None:
    rejected(miriam)
    client.force_login(miriam)
    client.post("/account/emails/", {"wanted": "no"})
    assert digests.write_all() == 0
    client.post("/account/emails/", {"wanted": "yes"})
    assert digests.write_all() == 1


def test_a_mail_program_turns_letters_off_with_one_click(miriam: User, settings: Settings) -> None:
    rejected(miriam)
    digests.write_all()
    headers = mail.outbox[0].extra_headers
    assert headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    address = headers["List-Unsubscribe"].strip("<>")
    assert address in mail.outbox[0].body
    path = address.removeprefix(settings.SITE_URL)
    client = Client(enforce_csrf_checks=True)
    assert '<form class="form" method="post">' in client.get(path).content.decode()
    assert User.objects.get().wants_digests, "scanners open links; that alone does nothing"
    client.post(path, {"List-Unsubscribe": "One-Click"})
    assert not User.objects.get().wants_digests


def test_a_link_that_was_not_signed_here_turns_nothing_off(miriam: User) -> None:
    forged = re.sub(r"\d+:", f"{person('carl').pk}:", digests.unsubscribe_url(miriam).rpartition("/off/")[2])
    for signed in (forged, f"{miriam.pk}", "x"):
        assert 'role="alert"' in Client().post(f"/account/emails/off/{signed.strip('/')}/").content.decode()
    assert User.objects.filter(wants_digests=True).count() == 2


def test_a_name_breaks_out_of_no_header(miriam: User) -> None:
    rejected(miriam, "citrine")
    Bot.objects.update(name="x\r\nBcc: all@example.org")
    assert digests.write_all() == 1
    assert mail.outbox[0].recipients() == ["miriam@example.org"]
    assert "\n" not in mail.outbox[0].subject
