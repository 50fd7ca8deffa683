"""Every email: its parts, its subject, its last line, and that both parts say the same."""

from __future__ import annotations

from email import message_from_bytes
from email.policy import SMTP
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.translation import gettext_lazy, override
from pytest_django import Settings

from esr_platform.account_pages import digests
from esr_platform.account_pages.sign_in import AccountAdapter
from esr_platform.accounts import mail
from esr_platform.accounts.models import User
from tests.esr_platform.account_pages.events import paused, rejected
from tests.page import parsed

TEMPLATES = Path(__file__).parents[3] / "esr_platform" / "templates"
ALLAUTH = sorted(
    str(file.relative_to(TEMPLATES)).removesuffix("_message.txt") for file in TEMPLATES.glob("*/email/*_message.txt")
)
MODERATED = ("suspended", "lifted", "blanked")
AWKWARD = "O'Neill & <b>Söhne</b> " + "🃏" * 300


@pytest.fixture
def outbox(mailoutbox: Any, settings: Settings) -> Any:
    settings.SITE_URL = "https://arena.example.org"
    return mailoutbox


def text_of(email: EmailMultiAlternatives) -> str:
    return str(email.body)


def html_of(email: EmailMultiAlternatives) -> str:
    ((content, kind),) = email.alternatives
    assert kind == "text/html"
    return str(content)


def check(email: EmailMultiAlternatives, *, subscribed: bool = False) -> None:
    text, page = text_of(email), parsed(html_of(email)).one("body")
    parts = message_from_bytes(email.message().as_bytes(), policy=SMTP)
    assert [part.get_content_type() for part in parts.iter_parts()] == ["text/plain", "text/html"]
    assert email.subject.startswith(f"{settings.SITE_NAME}: ")
    assert not email.subject[len(settings.SITE_NAME) + 2].isupper()
    assert not email.subject.endswith(".")
    assert all(len(line.encode()) <= 998 for line in text.splitlines())
    assert all(len(line) <= 998 for line in email.message().as_bytes().splitlines())
    assert not any(escape in text for escape in ("&lt;", "&amp;", "&#", "&quot;", "mailto:"))
    assert "{" not in text + page.text
    assert settings.SITE_NAME in text.splitlines()[0], "the first line names the site and the reason"
    unsubscribe = "/emails/off/" in text.strip().splitlines()[-1]
    assert unsubscribe == subscribed == ("List-Unsubscribe" in email.extra_headers)
    if not subscribed:
        assert "account notice" in text.strip().splitlines()[-1]
    words, shown = text.replace("-- ", ""), "".join(page.text.split())
    for line in words.split("\n"):
        label = line.removesuffix(":") if line.endswith(":") else line
        assert "".join(label.split()) in shown or line in page.links, line
    assert set(page.links) == {word for word in text.split() if word.startswith(f"{settings.SITE_URL}/")}


@pytest.mark.django_db
@pytest.mark.parametrize("prefix", ALLAUTH)
def test_every_email_of_an_account(prefix: str, miriam: User, outbox: Any) -> None:
    values = {
        "user": miriam,
        "username": miriam.username,
        "timestamp": timezone.now(),
        "ip": "203.0.113.9",
        "user_agent": AWKWARD,
        "code": "AB12-CD34",
        "from_email": "o'neill@example.org",
        "to_email": "new@example.org",
        "deleted_email": "old@example.org",
        "provider": {"name": "GitHub"},
        "password_reset_url": "http://evil.example/account/password/reset/key/1-abc/",
        "signup_url": "http://evil.example/account/signup/",
    }
    AccountAdapter().send_mail(prefix, miriam.email, values)
    (email,) = outbox
    check(email)
    assert "evil.example" not in text_of(email)
    if "{{ code }}" in (TEMPLATES / f"{prefix}_message.txt").read_text():
        assert "AB12-CD34" in text_of(email).splitlines()


@pytest.mark.parametrize("what", MODERATED)
def test_every_email_of_a_moderator(what: str, outbox: Any) -> None:
    values = {"what": what, "reason": AWKWARD, "name": "miriam"}
    mail.notify("miriam@example.org", "your account was suspended", "accounts/email/moderated.txt", values)
    check(outbox[0])
    assert "O'Neill & <b>Söhne</b>" in text_of(outbox[0])
    assert "<b>" not in html_of(outbox[0])


@pytest.mark.parametrize("what", MODERATED)
def test_an_account_notice_names_the_contact_of_the_site_and_answers_go_there(
    what: str, outbox: Any, settings: Settings
) -> None:
    values = {"what": what, "reason": "spam", "name": "miriam"}
    for contact in ("", "staff@example.org"):
        settings.CONTACT_EMAIL = contact
        mail.notify("miriam@example.org", "x", "accounts/email/moderated.txt", values)
    without, with_contact = outbox
    check(without)
    check(with_contact)
    assert without.reply_to == []
    assert with_contact.reply_to == ["staff@example.org"]
    assert ("staff@example.org" in text_of(with_contact)) == (what != "lifted")


def test_an_account_notice_is_in_the_language_of_the_site(
    outbox: Any, pseudo_language: str, settings: Settings
) -> None:
    lazy = gettext_lazy("your account was suspended")
    values = {"what": "suspended", "reason": "spam", "name": "miriam"}
    mail.notify("miriam@example.org", lazy, "accounts/email/moderated.txt", values)
    with override(pseudo_language):
        mail.notify("miriam@example.org", lazy, "accounts/email/moderated.txt", values)
        assert str(lazy) not in outbox[0].subject, "the pseudo-locale has this text"
    settings.LANGUAGE_CODE = pseudo_language
    mail.notify("miriam@example.org", lazy, "accounts/email/moderated.txt", values)
    english, same, translated = outbox
    assert (same.subject, text_of(same), html_of(same)) == (english.subject, text_of(english), html_of(english))
    assert translated.subject != english.subject
    assert text_of(translated) != text_of(english)


@pytest.mark.parametrize("reason", mail._CONTACT)
def test_the_contact_is_a_link_on_pages_and_plain_text_elsewhere(reason: str, settings: Settings) -> None:
    settings.CONTACT_EMAIL = ""
    assert "%" not in mail.contact_staff(reason)
    assert mail.contact_staff(reason) == mail.contact_staff(reason, html=True)
    settings.CONTACT_EMAIL = "o'neill+staff@example.org"
    assert "o'neill+staff@example.org" in mail.contact_staff(reason)
    (link,) = parsed(mail.contact_staff(reason, html=True)).links
    assert link == "mailto:o'neill+staff@example.org"


def test_the_email_about_a_deleted_account(outbox: Any) -> None:
    mail.notify("miriam@example.org", "your account was deleted", "accounts/email/deleted.txt", {"name": "miriam"})
    check(outbox[0])


@pytest.mark.parametrize("what", ["removed", "canceled"])
def test_the_email_about_a_moderated_cup(outbox: Any, what: str) -> None:
    values = {"what": what, "reason": AWKWARD, "texts": [AWKWARD], "slug": "cup-3"}
    mail.notify("olga@example.org", "your cup was canceled", "accounts/email/cup_moderated.txt", values)
    check(outbox[0])
    assert f"{settings.SITE_URL}/cups/cup-3/" in parsed(html_of(outbox[0])).links


def test_the_email_about_a_moderated_bot(outbox: Any) -> None:
    values = {"reason": AWKWARD, "texts": [AWKWARD], "slug": "bot-3"}
    mail.notify("olga@example.org", "text was removed from your bot", "accounts/email/bot_moderated.txt", values)
    check(outbox[0])
    assert f"{settings.SITE_URL}/bots/bot-3/settings/" in parsed(html_of(outbox[0])).links


@pytest.mark.parametrize("role", ["Operator", ""])
def test_the_email_about_a_role(outbox: Any, role: str) -> None:
    values = {"name": "olga", "role": role, "reason": AWKWARD}
    mail.notify("olga@example.org", "your role has changed", "accounts/email/role.txt", values)
    check(outbox[0])
    assert role in outbox[0].body


@pytest.mark.django_db
def test_the_digest_with_one_and_with_several_news(miriam: User, outbox: Any) -> None:
    for happens in (rejected, paused):
        happens(miriam, "citrine" if happens is rejected else "opal")
        User.objects.update(next_digest=None, told_until=None, date_joined=timezone.now() - digests.OLDEST)
        assert digests.write_all() == 1
    for email in outbox:
        check(email, subscribed=True)
    assert "citrine" in outbox[0].subject
    assert f"{settings.SITE_URL}/bots/opal/" in parsed(html_of(outbox[1])).links


def test_a_url_of_another_site_is_no_link(outbox: Any) -> None:
    values = {"what": "lifted", "reason": "see\nhttps://evil.example/", "name": "miriam"}
    mail.notify("miriam@example.org", "x", "accounts/email/moderated.txt", values)
    assert parsed(html_of(outbox[0])).links == []


def test_every_template_of_an_email_has_a_subject_and_a_test() -> None:
    ours = {file.stem for file in (TEMPLATES / "accounts" / "email").glob("*.txt")}
    assert ours == {"bot_moderated", "cup_moderated", "deleted", "digest", "moderated", "role"}
    for prefix in ALLAUTH:
        assert render_to_string(f"{prefix}_subject.txt").strip()
