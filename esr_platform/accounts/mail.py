"""Emails: one template gives the plain text, and the HTML part is derived from that text, so the two cannot differ.

A template contains paragraphs with an empty line between them. A paragraph may end with a line that is a URL of this
site. If the line before it ends with a colon, that line becomes the label of the link in the HTML part.

``contact_staff`` tells users how to contact the site staff. Replies to emails go to the same address.
"""

from __future__ import annotations

import logging
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from django.conf import settings
from django.core.mail import EmailMultiAlternatives, get_connection
from django.template import Context, Engine
from django.template.loader import render_to_string
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext_noop, override
from django.utils.translation import gettext as _

from esr_platform import figures

logger = logging.getLogger(__name__)

LONGEST_LINE: Final = 240
"""In characters. A line of an email must not exceed 998 bytes (RFC 5322), and a character has up to four."""

_CONTACT: Final = {
    "mistake": (
        gettext_noop("If you think that this is a mistake, contact the site staff at %(email)s."),
        gettext_noop("If you think that this is a mistake, contact the site staff."),
    ),
    "stranger": (
        gettext_noop("If you did not do this, contact the site staff at %(email)s."),
        gettext_noop("If you did not do this, contact the site staff."),
    ),
    "locked out": (
        gettext_noop("If you still cannot sign in, contact the site staff at %(email)s."),
        gettext_noop("If you still cannot sign in, contact the site staff."),
    ),
    "space": (
        gettext_noop("To get more space, contact the site staff at %(email)s."),
        gettext_noop("To get more space, contact the site staff."),
    ),
    "question": (gettext_noop("To contact the site staff, write to %(email)s."), ""),
    "problem": (
        gettext_noop("To report a problem, contact the site staff at %(email)s."),
        gettext_noop("To report a problem, contact the site staff."),
    ),
}
"""By reason: the sentence with ``CONTACT_EMAIL``, and the sentence without it."""


def contact_staff(reason: str, *, html: bool = False) -> str:
    """Return the sentence that tells users how to contact the site staff, or ``""`` if it would say nothing.

    ``reason`` is a key of ``_CONTACT``. With ``html``, the email address is a link.
    """
    email: str = settings.CONTACT_EMAIL
    with_email, without = _CONTACT[reason]
    if not email:
        return _(without) if without else ""
    link: SafeString = format_html('<a href="mailto:{}">{}</a>', email, email)
    return format_html(_(with_email).replace("%(email)s", "{}"), link) if html else _(with_email) % {"email": email}


@dataclass(frozen=True)
class Paragraph:
    """A paragraph of the HTML part: a text, then a link if there is a ``url``; or a ``code`` to copy."""

    text: str = ""
    url: str = ""
    label: str = ""
    code: str = ""


def message(
    to: str, subject: str, template: str, values: Mapping[str, Any], unsubscribe_url: str = ""
) -> EmailMultiAlternatives:
    """Return an email with a text part and an HTML part. ``subject`` is the event; the site's name goes before it.

    ``values["code"]``, if given, is shown in large type. Emails without an ``unsubscribe_url`` are account notices.
    """
    text, footer = _rendered(template, values), _footer(unsubscribe_url)
    subject = f"{settings.SITE_NAME}: {' '.join(subject.split())}"
    content = {
        "subject": subject,
        "paragraphs": list(_paragraphs(text, values.get("code", ""))),
        "footer": list(_paragraphs(footer)),
        "SITE_NAME": settings.SITE_NAME,
        "SITE_URL": settings.SITE_URL,
        "LANGUAGE": get_language() or settings.LANGUAGE_CODE,
    }
    headers = {"Auto-Submitted": "auto-generated"}
    answers = [settings.CONTACT_EMAIL] if settings.CONTACT_EMAIL else None
    if unsubscribe_url:  # RFC 8058
        headers |= {
            "List-Unsubscribe": f"<{unsubscribe_url}>",
            "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
        }
    body = _wrapped(f"{text}\n\n-- \n{footer}\n")
    email = EmailMultiAlternatives(subject, body, None, [to], headers=headers, reply_to=answers)
    email.attach_alternative(render_to_string("accounts/email/message.html", content), "text/html")
    return email


class NotSent(Exception):
    """The mail server did not accept an email, or did not confirm it. The failure is logged."""


def send(email: EmailMultiAlternatives) -> None:
    """Send an email. Raises ``NotSent`` after one line in the log, which names the setting of the mail server."""
    try:
        email.send()
    except (OSError, ValueError) as failure:
        server = f"{settings.EMAIL_HOST}:{settings.EMAIL_PORT}"
        logger.error("cannot send the email %r: %s. Check EMAIL_URL (%s).", email.subject, failure, server)
        figures.EMAILS.add("failed")
        figures.FAILED_EMAILS.add(
            to=", ".join(map(_masked, email.to)), subject=str(email.subject)[:200], problem=_without(email.to, failure)
        )
        raise NotSent(str(failure)) from failure
    figures.EMAILS.add("sent")


def _masked(address: str) -> str:
    """An email address that staff may see: the first character and the domain."""
    name, _at, domain = address.rpartition("@")
    return f"{name[:1]}…@{domain}"


def _without(addresses: Iterable[str], failure: Exception) -> str:
    """What the mail server said, without the email addresses, which it may repeat."""
    text = str(failure) or type(failure).__name__
    for address in addresses:
        text = text.replace(address, _masked(address))
    return text[:300]


def probe() -> str:
    """Connect to the mail server and sign in. Returns the problem or an empty text, and stores it for health."""
    problem = ""
    try:
        with get_connection():
            pass
    except (OSError, ValueError) as failure:
        problem = f"{failure} ({settings.EMAIL_HOST}:{settings.EMAIL_PORT})"
    figures.note_problem("mail", problem)
    return problem


def notify(to: str | None, subject: str | Promise, template: str, values: Mapping[str, Any]) -> None:
    """Send an account notice, if there is an email address.

    It is in the language of the site, not in that of the moderator who caused it: pass a lazy ``subject``. A failure
    is logged, because it must not undo what was done.
    """
    if to is None:
        return
    with override(settings.LANGUAGE_CODE), suppress(NotSent):
        send(message(to, str(subject), template, values))


def _rendered(template: str, values: Mapping[str, Any]) -> str:
    """The text of a template, without HTML escapes and with one empty line between paragraphs."""
    site = {"SITE_NAME": settings.SITE_NAME, "SITE_URL": settings.SITE_URL}
    text = Engine.get_default().get_template(template).render(Context({**site, **values}, autoescape=False))
    return re.sub(r"\n\s*\n", "\n\n", text.replace("\r\n", "\n").strip())


def _footer(unsubscribe_url: str) -> str:
    """The sender of the email, and how to unsubscribe."""
    site = f"{settings.SITE_NAME}, {settings.SITE_URL}"
    if not unsubscribe_url:
        return f"{site}\n\n" + _("This is an account notice. You cannot turn off account notices.")
    often, off = _("You get at most one of these emails per day."), _("Turn off these emails:")
    return f"{site}\n\n{often}\n{off}\n{unsubscribe_url}"


def _paragraphs(text: str, code: str = "") -> Iterator[Paragraph]:
    for paragraph in text.split("\n\n"):
        *lines, last = paragraph.split("\n")
        if code and paragraph == code:
            yield Paragraph(code=code)
        elif not lines or not re.fullmatch(rf"{re.escape(settings.SITE_URL)}/\S*", last):
            yield Paragraph(text=paragraph)
        elif lines[-1].endswith(":"):
            yield Paragraph("\n".join(lines[:-1]), last, lines[-1].removesuffix(":"))
        else:
            yield Paragraph("\n".join(lines), last, last)


def _wrapped(text: str) -> str:
    """``text`` with its longest lines broken."""
    return "\n".join(
        "\n".join(textwrap.wrap(line, LONGEST_LINE)) if len(line) > LONGEST_LINE else line for line in text.split("\n")
    )
