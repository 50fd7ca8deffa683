"""The private feed: its contents, its readers, and the end of its URL."""

from __future__ import annotations

import re
from datetime import timedelta
from urllib.parse import urlsplit
from xml.etree import ElementTree as Xml

import pytest
from django.conf import settings
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from esr_platform.account_pages import deletion, notifications
from esr_platform.accounts import sessions
from esr_platform.accounts.models import User
from ladder.models import Order
from tests.esr_platform.accounts.happening import (
    bot_of,
    ended_order,
    ended_season,
    invitation,
    ladder_called,
    paused,
    person,
    rejected,
)

pytestmark = pytest.mark.django_db

ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture
def miriam() -> User:
    return person("miriam")


def entries(path: str) -> list[Xml.Element]:
    response = Client().get(path)
    assert response.status_code == 200
    assert response.headers["Content-Type"] == "application/atom+xml; charset=utf-8"
    return Xml.fromstring(response.content).findall(f"{ATOM}entry")


def links(path: str) -> list[str]:
    found = [entry.find(f"{ATOM}link") for entry in entries(path)]
    return [(link.get("href") or "").removeprefix(settings.SITE_URL) for link in found if link is not None]


def status(path: str) -> int:
    return Client().get(path).status_code


def test_a_reader_that_is_not_signed_in_gets_all_news_newest_first(miriam: User) -> None:
    ladder = ladder_called()
    order = ended_order(miriam, ladder, timedelta(hours=9))
    ended_season(ladder, {bot_of(miriam, "citrine"): 1}, timedelta(hours=8))
    invited = invitation(person("carl"), miriam, ladder, timedelta(hours=7))
    paused(miriam, ago=timedelta(0))
    assert links(notifications.path_of(miriam)) == [
        "/bots/opal/",
        f"/matches/orders/{invited.pk}/",
        f"/ladders/{ladder.slug}/seasons/1/",
        f"/matches/orders/{order.pk}/",
    ]
    for entry in entries(notifications.path_of(miriam)):
        assert all(entry.findtext(ATOM + element) for element in ("id", "title", "updated", "summary"))


def test_ids_of_entries_are_unique_and_stay(miriam: User) -> None:
    ended_order(miriam, ladder_called())
    rejected(miriam)
    before = [entry.findtext(f"{ATOM}id") for entry in entries(notifications.path_of(miriam))]
    paused(miriam, ago=timedelta())
    after = [entry.findtext(f"{ATOM}id") for entry in entries(notifications.path_of(miriam))]
    assert after[1:] == before
    assert len(set(after)) == 3


def test_the_feed_does_not_depend_on_emails(miriam: User) -> None:
    User.objects.update(wants_letters=False, told_until=timezone.now())
    rejected(miriam)
    assert links(notifications.path_of(miriam)) == ["/bots/citrine/"]


def test_a_feed_has_the_newest_entries_only(miriam: User) -> None:
    ladder = ladder_called()
    orders = [ended_order(miriam, ladder, timedelta(minutes=minutes)) for minutes in range(notifications.ENTRIES + 2)]
    newest = [f"/matches/orders/{order.pk}/" for order in orders[: notifications.ENTRIES]]
    assert links(notifications.path_of(miriam)) == newest
    Order.objects.update(ended=timezone.now() - notifications.WINDOW - timedelta(minutes=1))
    assert entries(notifications.path_of(miriam)) == []


def test_no_cache_keeps_the_feed_and_a_reader_that_has_it_gets_304(miriam: User) -> None:
    for happens in (lambda: None, lambda: rejected(miriam)):
        happens()
        first = Client().get(notifications.path_of(miriam))
        assert first.headers["Cache-Control"] == "private, no-store"
        again = Client().get(notifications.path_of(miriam), headers={"If-None-Match": first.headers["ETag"]})
        assert again.status_code == 304
        assert again.headers["Cache-Control"] == "private, no-store"


def test_an_invalid_url_is_not_found(miriam: User) -> None:
    signed = notifications.path_of(miriam).split("/")[-2]
    other = signed.replace(f"{miriam.pk}-", f"{person('carl').pk}-", 1)
    for value in (other, signed[:-1], signed.split(":")[0], f"{miriam.pk}", "x"):
        assert status(reverse("accounts:feed", args=[value])) == 404


def test_a_new_url_ends_the_previous_one(miriam: User, client: Client) -> None:
    client.force_login(miriam)
    before = notifications.path_of(miriam)
    assert before in client.get("/account/").content.decode()
    client.post(reverse("accounts:replace_feed_url"))
    miriam.refresh_from_db()
    after = notifications.path_of(miriam)
    assert status(before) == 404
    assert status(after) == 200
    page = client.get("/account/").content.decode()
    assert after in page
    assert before not in page


def test_only_the_person_replaces_the_url(miriam: User) -> None:
    assert Client().post(reverse("accounts:replace_feed_url")).status_code == 302
    forged = Client(enforce_csrf_checks=True)
    forged.force_login(miriam)
    assert forged.post(reverse("accounts:replace_feed_url")).status_code == 403
    assert status(notifications.path_of(miriam)) == 200


def test_a_closed_account_has_no_feed(miriam: User) -> None:
    path = notifications.path_of(miriam)
    User.objects.filter(pk=miriam.pk).update(is_active=False)
    assert status(path) == 404
    User.objects.filter(pk=miriam.pk).update(is_active=True)
    sessions.end_all(miriam)
    assert status(path) == 404
    path = notifications.path_of(miriam)
    assert status(path) == 200
    deletion.delete(miriam)
    assert status(path) == 404


def test_a_forgotten_password_that_is_replaced_ends_the_url(miriam: User, client: Client) -> None:
    path = notifications.path_of(miriam)
    client.post("/account/password/reset/", {"email": miriam.email})
    link = re.search(r"http\S+/reset/key/\S+", str(mail.outbox[-1].body))
    assert link is not None
    page = client.get(urlsplit(link[0]).path, follow=True)
    new = "another cellar of amethysts"
    client.post(page.request["PATH_INFO"], {"password1": new, "password2": new})
    miriam.refresh_from_db()
    assert miriam.check_password(new)
    assert status(path) == 404


def test_the_feed_names_no_private_ladder_to_others(miriam: User) -> None:
    hidden = ladder_called("seminar", by_invitation=True, private=True)
    ended_order(miriam, hidden)
    ended_season(hidden, {bot_of(miriam, "citrine"): 1})
    assert hidden.name not in Client().get(notifications.path_of(miriam)).content.decode()


def test_no_name_breaks_the_feed(miriam: User) -> None:
    bot = rejected(miriam).bot
    for name in ("<b>&amp;", "a\x08b", "\u202egnp.exe", "]]>"):
        bot.name = name
        bot.save()
        assert len(entries(notifications.path_of(miriam))) == 1
