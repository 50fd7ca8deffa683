"""Emails on the terminal: what a person reads, and nothing of the HTML part."""

from __future__ import annotations

import pytest
from django.core.mail import EmailMultiAlternatives, get_connection

from esr_platform import settings as written


def test_an_email_on_the_terminal_shows_its_subject_and_its_plain_text(capsys: pytest.CaptureFixture[str]) -> None:
    email = EmailMultiAlternatives("Steinreich: verify your email address", "Code:\n\nÄ47X9K", "a@x.org", ["b@x.org"])
    email.attach_alternative("<p>In HTML</p>", "text/html")
    email.connection = get_connection(written.env.email_url_config("consolemail://")["EMAIL_BACKEND"])
    assert email.send() == 1
    printed = capsys.readouterr().out.splitlines()
    assert printed[:-1] == [
        *("From: a@x.org", "To: b@x.org", "Subject: Steinreich: verify your email address", "", "Code:", "", "Ä47X9K"),
    ]
