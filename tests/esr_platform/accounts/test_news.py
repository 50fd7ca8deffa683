"""News of a person, as the email and the feed tell them."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.urls import resolve
from django.utils import timezone, translation

from esr_platform.account_pages.notifications import Kind, News, news_of
from esr_platform.accounts.models import User
from ladder.exhibitions.requests import CANCELLED_BY
from ladder.models import Agreement, Membership, OrderPlayer
from tests.esr_platform.accounts.happening import (
    bot_of,
    ended_order,
    ended_season,
    invitation,
    ladder_called,
    paused,
    person,
    rejected,
    version_of,
)

pytestmark = pytest.mark.django_db
A_MONTH = timedelta(days=30)


@pytest.fixture
def miriam() -> User:
    return person("miriam")


@pytest.fixture
def carl() -> User:
    return person("carl")


def news(user: User, since: timedelta = A_MONTH) -> list[News]:
    now = timezone.now()
    return news_of(user, now - since, now)


def about(user: User) -> list[tuple[Kind, str]]:
    return [(one.kind, one.key) for one in news(user)]


def test_news_are_in_the_order_in_which_they_happened_and_lead_to_their_pages(miriam: User, carl: User) -> None:
    ladder = ladder_called()
    order = ended_order(miriam, ladder, timedelta(hours=5))
    invited = invitation(carl, miriam, ladder, timedelta(hours=4))
    bot = paused(miriam, ago=timedelta(hours=3))
    season = ended_season(ladder, {bot: 2}, timedelta(hours=2))
    version = rejected(miriam, ago=timedelta(hours=1))
    assert [one.kind for one in news(miriam)] == [
        Kind.EXHIBITION_MATCH,
        Kind.INVITATION,
        Kind.BOT_PAUSED,
        Kind.SEASON_ENDED,
        Kind.VERSION_REJECTED,
    ]
    assert [resolve(one.path).kwargs for one in news(miriam)] == [
        {"order_id": order.pk},
        {"order_id": invited.pk},
        {"slug": bot.slug},
        {"slug": ladder.slug, "number": season.number},
        {"slug": version.bot.slug},
    ]
    assert [one.kind for one in news(miriam, timedelta(minutes=150))] == [Kind.SEASON_ENDED, Kind.VERSION_REJECTED]
    assert news(carl) == []


def test_an_ended_match_is_told_to_who_requested_and_who_accepted_it(miriam: User, carl: User) -> None:
    due = {"kind": "scheduled", "due_at": timezone.now() - timedelta(hours=1)}
    ended = ended_order(miriam, ladder_called(), **due)
    declined = person("dora")
    Agreement.objects.create(order=ended, person=carl, agreed=True, answered=timezone.now())
    Agreement.objects.create(order=ended, person=declined, agreed=False, answered=timezone.now())
    assert about(miriam) == about(carl) == [(Kind.EXHIBITION_MATCH, str(ended.pk))]
    assert about(declined) == []


def test_a_canceled_match_is_told_with_the_reason_but_not_to_who_canceled_it(miriam: User, carl: User) -> None:
    its = {"state": "cancelled", "reason": CANCELLED_BY.format(carl.username)}
    order = ended_order(miriam, ladder_called(), kind="scheduled", due_at=timezone.now(), **its)
    Agreement.objects.create(order=order, person=carl, agreed=True, answered=timezone.now())
    (one,) = news(miriam)
    assert order.reason in one.sentence
    assert news(carl) == []


def test_a_version_comparison_is_told_with_its_verdict(miriam: User) -> None:
    its = {"kind": "comparison", "margin": 50}
    orders = [ended_order(miriam, ladder_called(), verdict=said, **its) for said in ("better", "not better", "open")]
    for order in orders:
        OrderPlayer.objects.filter(order=order, index=0).update(part="candidate")
        OrderPlayer.objects.filter(order=order, index=1).update(part="baseline", index=0)
    said = {one.key: one.sentence.split("?")[1] for one in news(miriam)}
    assert set(said) == {str(order.pk) for order in orders}
    assert len(set(said.values())) == 3


def test_the_end_of_a_season_is_told_once_with_all_ranks_of_ones_own(miriam: User, carl: User) -> None:
    own = [bot_of(miriam, "citrine"), bot_of(miriam, "opal")]
    season = ended_season(ladder_called(), {own[0]: 3, own[1]: 1, bot_of(None, "greedy"): 2})
    (one,) = news(miriam)
    assert (one.kind, one.key) == (Kind.SEASON_ENDED, str(season.pk))
    assert one.sentence.index("opal") < one.sentence.index("citrine")
    assert "greedy" not in one.sentence
    assert news(carl) == []


def test_people_have_news_of_ladders_that_they_may_see_only(miriam: User, carl: User) -> None:
    hidden = ladder_called("seminar", by_invitation=True, private=True)
    Membership.objects.create(ladder=hidden, person=carl)
    for user in (miriam, carl):
        ended_order(user, hidden)
        ended_season(hidden, {bot_of(user, user.username): 1})
    invitation(carl, miriam, hidden)
    invitation(miriam, carl, hidden)
    assert news(miriam) == []
    assert {one.kind for one in news(carl)} == {Kind.EXHIBITION_MATCH, Kind.SEASON_ENDED, Kind.INVITATION}


def test_a_bot_that_pauses_again_is_news_of_its_own(miriam: User) -> None:
    bot = paused(miriam)
    (first,) = news(miriam)
    bot.on_leave = timezone.now()
    bot.save()
    (second,) = news(miriam)
    assert first.key != second.key


def test_a_rejected_version_is_no_news_once_there_is_another_one(miriam: User) -> None:
    version_of(rejected(miriam).bot, state="received")
    assert news(miriam) == []


def test_news_are_in_the_language_of_the_site(miriam: User, carl: User) -> None:
    invitation(carl, miriam, ladder_called())
    english = news(miriam)
    with translation.override("de"):
        assert news(miriam) == english
