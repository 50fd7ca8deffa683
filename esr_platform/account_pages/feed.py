"""The private feed of a person: the news that the daily email tells, as Atom, at a secret URL.

Feed readers cannot sign in, so the URL itself gives access. It is signed and bound to two counters of the account:
``feed_epoch``, which the person raises to get another URL, and ``session_epoch``, which also ends all sessions.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from django.conf import settings
from django.core.signing import BadSignature, Signer
from django.db.models import F
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone

from esr_platform.account_pages.news import news_of
from esr_platform.accounts.demo import may_act
from esr_platform.accounts.models import User
from ladder.pages.feeds import ENTRIES, Feed, respond, tag

WINDOW: Final = timedelta(days=30)
"""The feed shows news of this time."""

PRIVATE: Final = "private, no-store"
_SIGNER: Final = Signer(salt="esr.accounts.feed")


def path_of(person: User) -> str:
    """The path of the feed of ``person``. Anyone who has the path can read the feed."""
    signed = _SIGNER.sign(f"{person.pk}-{person.session_epoch}-{person.feed_epoch}")
    return reverse("accounts:feed", args=[signed])


def person_at(signed: str) -> User | None:
    """The person whose feed has this signed value; ``None`` if it is invalid, replaced, or the account is closed."""
    try:
        pk, session_epoch, feed_epoch = map(int, _SIGNER.unsign(signed).split("-"))
    except (BadSignature, ValueError):
        return None
    opened = User.objects.filter(is_active=True, session_epoch=session_epoch, feed_epoch=feed_epoch)
    person = opened.filter(pk=pk).first()
    return person if person is not None and may_act(person) else None


def replace_url(person: User) -> None:
    """Replace the feed URL of ``person`` by a new one; the old URL ends."""
    User.objects.filter(pk=person.pk).update(feed_epoch=F("feed_epoch") + 1)


def person_feed(request: HttpRequest, person: User) -> HttpResponse:
    """The newest news of ``person``, in at most nine queries."""
    now = timezone.now()
    title = f"{person.username} on {settings.SITE_NAME}"
    feed = Feed(title, reverse("accounts:account"), path_of(person), person.date_joined)
    for one in reversed(news_of(person, now - WINDOW, now)[-ENTRIES:]):
        feed.add_item(
            title=one.headline[:1].upper() + one.headline[1:],
            link=one.url,
            description=one.sentence,
            unique_id=tag(f"news/{one.kind}/{one.key}"),
            pubdate=one.moment,
            updateddate=one.moment,
            categories=(one.kind,),
        )
    return respond(request, feed, PRIVATE)
