"""News of a person, as the email and the feed tell them."""

from __future__ import annotations

import re
from datetime import timedelta
from urllib.parse import urlsplit
from xml.etree import ElementTree as Xml

import pytest
from django.conf import settings
from django.core import mail
from django.test import Client
from django.urls import resolve, reverse
from django.utils import timezone, translation

from bots.models import Bot
from esr_platform.account_pages import deletion, digests, notifications
from esr_platform.account_pages.notifications import Kind, News, news_of
from esr_platform.accounts import sessions
from esr_platform.accounts.models import User
from ladder.cups.desk import CupChange, add_organizer, call_off, change, pause, remove, remove_organizer
from ladder.cups.progress import advance
from ladder.cups.registration import enter, withdraw
from ladder.cups.results import CupResults
from ladder.members.invitations import accept
from ladder.models import Agreement, Cup, CupEntry, CupRound, Exhibition, ExhibitionPlayer, Invitation
from tests.build import opened_house, uploaded
from tests.esr_platform.account_pages.events import (
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
from tests.ladder.cups.cups import due, entered, house_bots, new_cup, play_round

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
    return [(item.kind, item.key) for item in news(user)]


def test_news_are_in_the_order_in_which_they_happened_and_lead_to_their_pages(miriam: User, carl: User) -> None:
    ladder = ladder_called()
    exhibition = ended_exhibition(miriam, ladder, timedelta(hours=5))
    invited = invitation(carl, miriam, ladder, timedelta(hours=4))
    bot = paused(miriam, ago=timedelta(hours=3))
    season = ended_season(ladder, {bot: 2}, timedelta(hours=2))
    version = rejected(miriam, ago=timedelta(hours=1))
    assert [item.kind for item in news(miriam)] == [
        Kind.EXHIBITION_MATCH,
        Kind.INVITATION,
        Kind.BOT_PAUSED,
        Kind.SEASON_ENDED,
        Kind.VERSION_REJECTED,
    ]
    assert [resolve(item.path).kwargs for item in news(miriam)] == [
        {"exhibition_id": exhibition.pk},
        {"exhibition_id": invited.pk},
        {"slug": bot.slug},
        {"slug": ladder.slug, "number": season.number},
        {"slug": version.bot.slug},
    ]
    assert [item.kind for item in news(miriam, timedelta(minutes=150))] == [Kind.SEASON_ENDED, Kind.VERSION_REJECTED]
    assert news(carl) == []


def test_an_ended_match_is_told_to_who_requested_and_who_accepted_it(miriam: User, carl: User) -> None:
    due = {"kind": "scheduled", "due_at": timezone.now() - timedelta(hours=1)}
    ended = ended_exhibition(miriam, ladder_called(), **due)
    declined = person("dora")
    Agreement.objects.create(exhibition=ended, person=carl, agreed=True, answered=timezone.now())
    Agreement.objects.create(exhibition=ended, person=declined, agreed=False, answered=timezone.now())
    assert about(miriam) == about(carl) == [(Kind.EXHIBITION_MATCH, str(ended.pk))]
    assert about(declined) == []


def test_a_canceled_match_is_told_with_the_reason_but_not_to_who_canceled_it(miriam: User, carl: User) -> None:
    columns = {"state": "cancelled", "reason": "Canceled.", "ended_by": carl}
    exhibition = ended_exhibition(miriam, ladder_called(), kind="scheduled", due_at=timezone.now(), **columns)
    Agreement.objects.create(exhibition=exhibition, person=carl, agreed=True, answered=timezone.now())
    (item,) = news(miriam)
    assert exhibition.reason in item.sentence
    assert news(carl) == []


def test_a_version_comparison_is_told_with_its_verdict(miriam: User) -> None:
    columns = {"kind": "comparison", "margin": 50}
    exhibitions = [
        ended_exhibition(miriam, ladder_called(), verdict=verdict, **columns)
        for verdict in ("better", "not better", "open")
    ]
    for exhibition in exhibitions:
        ExhibitionPlayer.objects.filter(exhibition=exhibition, index=0).update(part="candidate")
        ExhibitionPlayer.objects.filter(exhibition=exhibition, index=1).update(part="baseline", index=0)
    verdicts = {item.key: item.sentence.rpartition(": ")[2] for item in news(miriam)}
    assert set(verdicts) == {str(exhibition.pk) for exhibition in exhibitions}
    assert len(set(verdicts.values())) == 3


def test_the_end_of_a_season_is_told_once_with_all_ranks_of_ones_own(miriam: User, carl: User) -> None:
    own = [bot_of(miriam, "citrine"), bot_of(miriam, "opal")]
    season = ended_season(ladder_called(), {own[0]: 3, own[1]: 1, bot_of(None, "greedy"): 2})
    (item,) = news(miriam)
    assert (item.kind, item.key) == (Kind.SEASON_ENDED, str(season.pk))
    assert item.sentence.index("opal") < item.sentence.index("citrine")
    assert "greedy" not in item.sentence
    assert news(carl) == []


def test_people_have_news_of_ladders_that_they_may_see_only(miriam: User, carl: User) -> None:
    hidden = ladder_called("seminar", by_invitation=True, private=True)
    Invitation.objects.create(ladder=hidden, person=carl, agreed=timezone.now())
    for user in (miriam, carl):
        ended_exhibition(user, hidden)
        ended_season(hidden, {bot_of(user, user.username): 1})
    invitation(carl, miriam, hidden)
    invitation(miriam, carl, hidden)
    assert news(miriam) == []
    assert {item.kind for item in news(carl)} == {Kind.EXHIBITION_MATCH, Kind.SEASON_ENDED, Kind.INVITATION}


def test_an_invitation_to_a_ladder_is_news_until_it_is_accepted(carl: User) -> None:
    hidden = ladder_called("seminar", by_invitation=True, private=True)
    invited = Invitation.objects.create(ladder=hidden, person=carl)
    (item,) = news(carl)
    assert (item.kind, item.key) == (Kind.LADDER_INVITATION, str(invited.pk))
    assert resolve(item.path).kwargs == {"slug": hidden.slug}
    accept(hidden, carl)
    assert news(carl) == []


def test_a_bot_that_pauses_again_is_news_of_its_own(miriam: User) -> None:
    bot = paused(miriam)
    (first,) = news(miriam)
    bot.paused = timezone.now()
    bot.save()
    (second,) = news(miriam)
    assert first.key != second.key


def test_a_rejected_version_is_no_news_once_there_is_another_one(miriam: User) -> None:
    version_of(rejected(miriam).bot, state="received")
    assert news(miriam) == []


def test_news_are_in_the_language_of_the_site(miriam: User, carl: User, pseudo_language: str) -> None:
    invitation(carl, miriam, ladder_called())
    english = news(miriam)
    with translation.override(pseudo_language):
        assert news(miriam) == english


ATOM = "{http://www.w3.org/2005/Atom}"


def memberships(path: str) -> list[Xml.Element]:
    response = Client().get(path)
    assert response.status_code == 200
    assert response.headers["Content-Type"] == "application/atom+xml; charset=utf-8"
    return Xml.fromstring(response.content).findall(f"{ATOM}entry")


def links(path: str) -> list[str]:
    elements = [membership.find(f"{ATOM}link") for membership in memberships(path)]
    return [(link.get("href") or "").removeprefix(settings.SITE_URL) for link in elements if link is not None]


def status(path: str) -> int:
    return Client().get(path).status_code


def test_a_reader_that_is_not_signed_in_gets_all_news_newest_first(miriam: User) -> None:
    ladder = ladder_called()
    exhibition = ended_exhibition(miriam, ladder, timedelta(hours=9))
    ended_season(ladder, {bot_of(miriam, "citrine"): 1}, timedelta(hours=8))
    invited = invitation(person("carl"), miriam, ladder, timedelta(hours=7))
    paused(miriam, ago=timedelta(0))
    assert links(notifications.path_of(miriam)) == [
        "/bots/opal/",
        f"/exhibitions/{invited.pk}/",
        f"/ladders/{ladder.slug}/seasons/1/",
        f"/exhibitions/{exhibition.pk}/",
    ]
    for membership in memberships(notifications.path_of(miriam)):
        assert all(membership.findtext(ATOM + element) for element in ("id", "title", "updated", "summary"))


def test_ids_of_entries_are_unique_and_stay(miriam: User) -> None:
    ended_exhibition(miriam, ladder_called())
    rejected(miriam)
    before = [membership.findtext(f"{ATOM}id") for membership in memberships(notifications.path_of(miriam))]
    paused(miriam, ago=timedelta())
    after = [membership.findtext(f"{ATOM}id") for membership in memberships(notifications.path_of(miriam))]
    assert after[1:] == before
    assert len(set(after)) == 3


def test_the_feed_does_not_depend_on_emails(miriam: User) -> None:
    User.objects.update(wants_digests=False, told_until=timezone.now())
    rejected(miriam)
    assert links(notifications.path_of(miriam)) == ["/bots/citrine/"]


def test_a_feed_has_the_newest_entries_only(miriam: User) -> None:
    ladder = ladder_called()
    exhibitions = [
        ended_exhibition(miriam, ladder, timedelta(minutes=minutes)) for minutes in range(notifications.ENTRIES + 2)
    ]
    newest = [f"/exhibitions/{exhibition.pk}/" for exhibition in exhibitions[: notifications.ENTRIES]]
    assert links(notifications.path_of(miriam)) == newest
    Exhibition.objects.update(ended=timezone.now() - notifications.WINDOW - timedelta(minutes=1))
    assert memberships(notifications.path_of(miriam)) == []


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
    ended_exhibition(miriam, hidden)
    ended_season(hidden, {bot_of(miriam, "citrine"): 1})
    assert hidden.name not in Client().get(notifications.path_of(miriam)).content.decode()


def test_no_name_breaks_the_feed(miriam: User) -> None:
    bot = rejected(miriam).bot
    for name in ("<b>&amp;", "a\x08b", "\u202egnp.exe", "]]>"):
        bot.name = name
        bot.save()
        assert len(memberships(notifications.path_of(miriam))) == 1


# --- Cups ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def cup(miriam: User, carl: User) -> Cup:
    """A Swiss cup of two rounds that Carl organizes, with house bots and a bot of Miriam."""
    opened_house()
    made = new_cup("swiss", organizer=carl, seats=2, game="edel-stein-reich-duel", rounds=2)
    return entered(made, [uploaded(miriam), *house_bots("edel-stein-reich-duel", 2, most=3)])


def cup_news(user: User) -> list[str]:
    return [item.kind for item in news(user) if item.kind.startswith("cup-")]


def test_a_cup_has_one_piece_of_news_at_a_time_for_owners_and_organizers(cup: Cup, miriam: User, carl: User) -> None:
    assert cup_news(miriam) == []
    due(cup)
    assert (cup_news(miriam), cup_news(carl)) == ([Kind.CUP_STARTED], [Kind.CUP_STARTED])
    play_round(cup)
    assert (cup_news(miriam), cup_news(carl)) == ([Kind.CUP_ROUND_ENDED], [Kind.CUP_ROUND_ENDED])
    play_round(cup)
    assert (cup_news(miriam), cup_news(carl)) == ([Kind.CUP_FINISHED], [Kind.CUP_FINISHED])
    order = [row.entrant for row in CupResults(cup).standings]
    entry = CupEntry.objects.get(cup=cup, bot__owner=miriam)
    rank = order.index(entry.number or 0) + 1
    assert f"ranked {rank} of 4" in news(miriam)[-1].sentence
    winner = CupEntry.objects.get(cup=cup, number=order[0])
    assert f"{winner.bot.name} is ranked 1 of 4" in news(carl)[-1].sentence
    assert resolve(news(miriam)[-1].path).url_name == "cup"


def test_new_times_are_news_for_owners_but_another_description_is_not(cup: Cup, miriam: User, carl: User) -> None:
    later = cup.starts_at + timedelta(days=1)
    change(carl, cup, CupChange(cup.title, "All are welcome.", cup.closes_at, cup.starts_at, None))
    assert cup_news(miriam) == []
    change(carl, cup, CupChange(cup.title, "All are welcome.", cup.closes_at, later, None))
    assert (cup_news(miriam), cup_news(carl)) == ([Kind.CUP_MOVED], [])
    assert f"{later:%H:%M} UTC" in news(miriam)[-1].sentence


def test_a_canceled_cup_is_news_for_all_but_those_who_canceled_it(cup: Cup, miriam: User, carl: User) -> None:
    call_off(carl, cup, "The room is closed.")
    assert cup_news(miriam) == [Kind.CUP_CANCELED]
    assert "The room is closed." in news(miriam)[-1].sentence
    assert cup_news(carl) == []


def test_the_owner_of_a_bot_that_is_rejected_at_the_deadline_is_told_why(cup: Cup, miriam: User) -> None:
    Bot.objects.filter(owner=miriam).update(paused=timezone.now(), pause_reason="It failed.")
    due(cup)
    (item,) = [event for event in news(miriam) if event.kind.startswith("cup-")]
    entry = CupEntry.objects.get(cup=cup, bot__owner=miriam)
    assert (item.kind, entry.state) == (Kind.CUP_ENTRY_REJECTED, CupEntry.State.REJECTED)
    assert entry.reason in item.sentence


def entry_of(user: User, cup: Cup) -> CupEntry:
    return CupEntry.objects.get(cup=cup, bot__owner=user)


@pytest.mark.parametrize("disqualified", [False, True])
@pytest.mark.parametrize("is_frozen", [False, True])
def test_the_owner_of_a_bot_that_an_organizer_removes_from_a_cup_is_told_why(
    cup: Cup, miriam: User, carl: User, is_frozen: bool, disqualified: bool
) -> None:
    if is_frozen:
        due(cup)
    remove(carl, entry_of(miriam, cup), "It copied another bot.", disqualified=disqualified)
    (item,) = [event for event in news(miriam) if event.kind == Kind.CUP_ENTRY_REMOVED]
    assert "It copied another bot." in item.sentence
    assert ("disqualified" in item.headline) == disqualified
    assert Kind.CUP_ENTRY_REMOVED not in cup_news(carl)
    assert User.objects.filter(notifications.may_have_news(cup.created, timezone.now()), pk=miriam.pk).exists()


def test_a_bot_that_is_withdrawn_by_its_owner_is_no_news(cup: Cup, miriam: User, carl: User) -> None:
    withdraw(miriam, entry_of(miriam, cup))
    assert cup_news(miriam) == []
    enter(miriam, cup, entry_of(miriam, cup).bot)
    due(cup)
    withdraw(miriam, entry_of(miriam, cup))
    Bot.objects.filter(owner=miriam).update(suspended=timezone.now(), suspension_reason="Spam.")
    assert cup_news(miriam) == []


def test_the_owner_of_a_paused_bot_is_told_that_it_has_lost_its_place_in_a_cup(cup: Cup, miriam: User) -> None:
    due(cup)
    Bot.objects.filter(owner=miriam).update(paused=timezone.now(), pause_reason="It failed.")
    advance()
    (item,) = [event for event in news(miriam) if event.kind == Kind.CUP_ENTRY_REMOVED]
    assert entry_of(miriam, cup).reason in item.sentence
    assert "cannot return" in item.sentence


def test_the_owner_of_a_bot_that_is_suspended_before_the_deadline_is_told_that_it_left_the_cup(
    cup: Cup, miriam: User
) -> None:
    Bot.objects.filter(owner=miriam).update(suspended=timezone.now(), suspension_reason="Spam.")
    advance()
    assert cup_news(miriam) == [Kind.CUP_ENTRY_REMOVED]


def test_entrants_of_a_cup_learn_once_that_the_next_one_of_its_series_is_open(cup: Cup, miriam: User) -> None:
    Cup.objects.filter(pk=cup.pk).update(repeat_days=7)
    due(cup)
    following = Cup.objects.get(previous=cup)
    (item,) = [event for event in news(miriam) if event.kind == Kind.CUP_OPEN]
    assert item.path == f"/cups/{following.slug}/"
    assert User.objects.filter(notifications.may_have_news(cup.created, timezone.now()), pk=miriam.pk).exists()
    enter(miriam, following, entry_of(miriam, cup).bot)
    assert Kind.CUP_OPEN not in cup_news(miriam)


def test_a_new_co_organizer_of_a_cup_is_told(cup: Cup, miriam: User, carl: User) -> None:
    add_organizer(carl, cup, "miriam")
    (item,) = [event for event in news(miriam) if event.kind == Kind.CUP_ORGANIZER]
    assert resolve(item.path).url_name == "cup_desk"
    assert cup_news(carl) == []
    remove_organizer(carl, cup, miriam.pk)
    assert cup_news(miriam) == []


def test_an_organizer_whose_bot_plays_has_one_piece_of_news(cup: Cup, miriam: User) -> None:
    cup.co_organizers.add(miriam)
    due(cup)
    assert cup_news(miriam) == [Kind.CUP_STARTED]


def test_a_co_organizer_has_news_of_a_cup_only_after_an_own_action(cup: Cup, carl: User) -> None:
    stranger = person("bea")
    add_organizer(carl, cup, stranger.username)
    pause(carl, cup, paused=True, reason="A test.")
    pause(carl, cup, paused=False)
    due(cup)
    assert Kind.CUP_STARTED not in cup_news(stranger)
    pause(stranger, cup, paused=True, reason="A test.")
    assert Kind.CUP_STARTED in cup_news(stranger)


def test_a_digest_contains_the_news_of_a_cup_once(cup: Cup, miriam: User, carl: User) -> None:
    due(cup)
    CupRound.objects.update(started=timezone.now() - timedelta(minutes=5))
    assert digests.write_all() == 2
    assert sorted(email.to for email in mail.outbox) == [["carl@example.org"], ["miriam@example.org"]]
    User.objects.update(next_digest=None)
    assert digests.write_all() == 0
