from __future__ import annotations

import re
from functools import partial
from typing import Any

import pytest
from django.core import mail
from django.db import DatabaseError, transaction
from django.test import Client

from esr_platform.accounts.errors import Refused, TooMany
from esr_platform.accounts.models import User
from ladder.cups import moderation
from ladder.cups.desk import CupChange, call_off, change, pause, remove
from ladder.cups.moderation import Action
from ladder.cups.registration import enter, organizes
from ladder.cups.verification import faults
from ladder.models import Cup, CupEntry, CupLedgerEntry, CupReport, Intervention
from tests import page as shown
from tests.build import person, signed_in, staff, verified
from tests.ladder.cups.cups import entered, house_bots, new_cup

pytestmark = pytest.mark.usefixtures("house")

Both = [Action.REMOVED_TITLE, Action.REMOVED_ABOUT]


@pytest.fixture
def cup() -> Cup:
    return new_cup("swiss", about="Buy this.")


@pytest.fixture
def organizer(cup: Cup) -> User:
    assert cup.organizer is not None
    return cup.organizer


def refused_with(code: str, act: Any) -> None:
    with pytest.raises(Refused) as refused:
        act()
    assert refused.value.code == code


def test_a_reported_cup_waits_for_staff_until_its_texts_are_removed(cup: Cup, organizer: User) -> None:
    signed_in(person("ada")).post(f"/cups/{cup.slug}/report/", {"text": "It insults."})
    client = signed_in(staff("eve"))
    page = shown.page(client, "/staff/cups/")
    assert "It insults." in page.one("main").text
    assert f"/cups/{cup.slug}/" in page.one("main").links
    data = {"do": "remove", "what": [action.value for action in Both], "reason": "An insult."}
    assert client.post(f"/staff/cups/{cup.pk}/", data).status_code == 302
    old = cup.slug
    cup.refresh_from_db()
    assert (cup.title, cup.slug, cup.about) == (f"Cup {cup.pk}", f"cup-{cup.pk}", "")
    assert client.get(f"/cups/{old}/").status_code == 404
    assert client.get(f"/cups/{cup.slug}/").status_code == 200
    assert not moderation.reported().exists()
    removed = {intervention.before: intervention.action for intervention in Intervention.objects.filter(cup=cup)}
    assert removed == {"Cup swiss 3": "removed title", "Buy this.": "removed about"}
    for path in ("/staff/cups/", f"/staff/cups/{cup.pk}/", "/staff/trail/?of=matches"):
        text = shown.page(client, path).one("main").text
        assert "Buy this." in text
        assert "An insult." in text
    assert "Buy this." not in client.get(f"/cups/{cup.slug}/ledger/").content.decode()


def test_the_next_cup_of_a_series_loses_the_same_texts(cup: Cup, organizer: User) -> None:
    following = new_cup("knockout", organizer)
    Cup.objects.filter(pk=following.pk).update(title=cup.title, about=cup.about, previous=cup)
    other = new_cup("halving", organizer, about="Welcome.")
    moderation.remove_texts(cup, staff("eve"), Both, "An insult.")
    following.refresh_from_db()
    assert (following.title, following.slug, following.about) == (f"Cup {following.pk}", f"cup-{following.pk}", "")
    assert Intervention.objects.filter(cup=following).count() == 2
    assert Cup.objects.get(pk=other.pk).about == "Welcome."


def test_the_organizer_is_notified_and_cannot_use_the_texts_again(
    cup: Cup, organizer: User, django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        moderation.remove_texts(cup, staff("eve"), Both, "An insult.")
    (email,) = mail.outbox
    assert email.to == ["olga@example.org"]
    assert "An insult." in str(email.body)
    assert f"/cups/cup-{cup.pk}/" in str(email.body)
    assert f"/cups/cup-{cup.pk}/desk/settings/" in str(email.body)
    refused_with("removed_by_moderator", lambda: new_cup("swiss"))
    refused_with("removed_by_moderator", lambda: new_cup("knockout", about="buy THIS"))
    assert new_cup("knockout", about="All are welcome.").state == Cup.State.REGISTRATION


def test_no_co_organizer_brings_a_removed_text_back(cup: Cup, organizer: User) -> None:
    carl = verified("carl")
    cup.co_organizers.add(carl)
    moderation.remove_texts(cup, staff("eve"), Both, "An insult.")
    cup.refresh_from_db()
    for title, about in (("Cup swiss 3!", ""), (cup.title, "Buy this"), (cup.title, "\u0412uy this")):
        again = CupChange(title, about, cup.closes_at, cup.starts_at, None)
        refused_with("removed_by_moderator", lambda again=again: change(carl, cup, again))
    refused_with("removed_by_moderator", lambda: new_cup("knockout", organizer=carl, title="cup swiss 3"))
    harmless = CupChange("A better title", "", cup.closes_at, cup.starts_at, None)
    assert change(carl, cup, harmless) == ["title"]


@pytest.mark.parametrize("listed", [False, True])
def test_a_slug_that_is_taken_or_could_be_guessed_gets_a_random_part(cup: Cup, listed: bool) -> None:
    Cup.objects.filter(pk=cup.pk).update(listed=listed)
    if listed:
        Cup.objects.filter(pk=new_cup("knockout").pk).update(slug=f"cup-{cup.pk}")
    moderation.remove_texts(cup, staff("eve"), [Action.REMOVED_TITLE], "An insult.")
    cup.refresh_from_db()
    assert re.fullmatch(rf"cup-{cup.pk}-[0-9a-f]{{16}}", cup.slug)


def test_staff_cancel_a_cup_with_a_reason(cup: Cup, organizer: User, django_capture_on_commit_callbacks: Any) -> None:
    entered(cup, house_bots())
    eve = staff("eve")
    with django_capture_on_commit_callbacks(execute=True):
        moderation.cancel(cup, eve, "It advertises.")
    cup.refresh_from_db()
    assert (cup.state, cup.reason) == (Cup.State.CANCELLED, "It advertises.")
    assert [email.to for email in mail.outbox] == [["olga@example.org"]]
    refused_with("already_ended", lambda: moderation.cancel(cup, eve, "It advertises."))


def test_staff_remove_a_reason_from_the_ledger_and_where_it_is_repeated(
    cup: Cup, organizer: User, django_capture_on_commit_callbacks: Any
) -> None:
    removed, other = [enter(organizer, cup, bot) for bot in house_bots()[:2]]
    remove(organizer, removed, "An insult.", disqualified=True)
    remove(organizer, other, "No time.")
    call_off(organizer, cup, "An insult.")
    client, path = signed_in(staff("eve")), f"/cups/{cup.slug}/ledger/"
    for number in (1, 3):
        address = f"/staff/cups/{cup.pk}/?entry={number}"
        assert address in shown.page(client, path).one("main").links
        assert "An insult." in shown.page(client, address).one("section", id=f"cup-{cup.pk}").text
        data = {"do": "remove", "what": "removed reason", "entry": number, "reason": "It insults."}
        with django_capture_on_commit_callbacks(execute=True):
            assert client.post(f"/staff/cups/{cup.pk}/", data).status_code == 302
    entries = CupLedgerEntry.objects.filter(cup=cup).order_by("number").values_list("reason", "salt")
    assert [(reason, salt is None) for reason, salt in entries] == [(None, True), ("No time.", False), (None, True)]
    assert list(faults(cup)) == []
    cup.refresh_from_db()
    assert cup.reason not in ("", "An insult.")
    assert [entry.reason for entry in CupEntry.objects.filter(cup=cup).order_by("pk")] == ["", "No time."]
    assert [intervention.before for intervention in Intervention.objects.filter(action="removed reason")] == [
        "An insult."
    ] * 2
    for read in (path, f"/cups/{cup.slug}/", f"/cups/{cup.slug}/ledger.json", f"/api/v1/cups/{cup.slug}/ledger"):
        assert "An insult." not in Client().get(read).getvalue().decode()
    notes = [row.notes for row in shown.page(Client(), path).all("tr", data_kind="cancelled")]
    assert notes == [{"removed"}]
    assert len(mail.outbox) == 2


def test_a_refused_removal_of_a_reason_can_be_submitted_again(cup: Cup, organizer: User) -> None:
    pause(organizer, cup, paused=True, reason="An insult.")
    client, address = signed_in(staff("eve")), f"/staff/cups/{cup.pk}/"
    response = client.post(address, {"do": "remove", "what": ["removed title", "removed reason"], "entry": 1})
    assert response.status_code == 422
    form = shown.parsed(response).one("form", action=address)
    assert [box["value"] for box in form.all("input", name="what", checked=True)] == ["removed title", "removed reason"]
    assert form.one("input", name="entry")["value"] == "1"
    assert not Intervention.objects.exists()


def test_a_paused_cup_no_longer_shows_a_removed_reason(cup: Cup, organizer: User) -> None:
    pause(organizer, cup, paused=True, reason="An insult.")
    moderation.remove_texts(cup, staff("eve"), [Action.REMOVED_REASON], "It insults.", number=1)
    cup.refresh_from_db()
    assert (cup.paused, cup.reason) == (True, "")


def test_a_reason_is_removed_once_by_staff_only(cup: Cup, organizer: User) -> None:
    call_off(organizer, cup, "An insult.")
    remove_it = partial(moderation.remove_texts, cup, what=[Action.REMOVED_REASON], reason="It insults.")
    refused_with("staff_only", lambda: remove_it(by=organizer, number=1))
    assert "Remove reason" not in shown.page(signed_in(organizer), f"/cups/{cup.slug}/ledger/").one("main").text
    eve = staff("eve")
    for number in (0, 2):
        refused_with("already_removed", lambda number=number: remove_it(by=eve, number=number))
    remove_it(by=eve, number=1)
    refused_with("already_removed", lambda: remove_it(by=eve, number=1))
    assert signed_in(eve).get(f"/staff/cups/{cup.pk}/?entry=x").status_code == 200


def test_a_dismissed_report_leaves_the_cup_as_it_is(cup: Cup) -> None:
    moderation.report(cup, person("ada"), "It is dull.")
    eve = staff("eve")
    signed_in(eve).post(f"/staff/cups/{cup.pk}/", {"do": "dismiss"})
    assert CupReport.objects.get().settled_by == eve
    assert Cup.objects.get(pk=cup.pk).title == cup.title


def test_a_user_has_one_open_report_per_cup_and_ten_a_day(cup: Cup) -> None:
    ada = person("ada")
    moderation.report(cup, ada, "first")
    moderation.report(cup, ada, "second")
    assert [report.text for report in CupReport.objects.all()] == ["second"]
    CupReport.objects.all().update(settled_at="2026-01-01T00:00:00Z")
    CupReport.objects.bulk_create(
        CupReport(cup=cup, by=ada, text="x", settled_at="2026-01-01T00:00:00Z") for _ in range(moderation.MOST_A_DAY)
    )
    with pytest.raises(TooMany):
        moderation.report(cup, ada, "once more")
    refused_with("no_text", lambda: moderation.report(cup, ada, " "))


def test_only_staff_moderate_cups_and_nobody_moderates_their_own(cup: Cup, organizer: User) -> None:
    for user in (organizer, person("ada")):
        client = signed_in(user)
        assert client.get("/staff/cups/").status_code == 404
        assert client.post(f"/staff/cups/{cup.pk}/", {"do": "cancel", "reason": "No."}).status_code == 404
        refused_with("staff_only", lambda user=user: moderation.remove_texts(cup, user, Both, "No."))
    assert Client().get(f"/cups/{cup.slug}/report/").status_code == 302
    eve = staff("eve")
    Cup.objects.filter(pk=cup.pk).update(organizer=eve)
    own = Cup.objects.get(pk=cup.pk)
    assert organizes(eve, own)
    refused_with("own_cup", lambda: moderation.remove_texts(own, eve, Both, "No."))
    refused_with("own_cup", lambda: moderation.dismiss(own, eve))


def test_moderators_name_a_text_and_a_reason(cup: Cup) -> None:
    eve = staff("eve")
    refused_with("nothing_selected", lambda: moderation.remove_texts(cup, eve, [], "No."))
    refused_with("no_reason", lambda: moderation.remove_texts(cup, eve, Both, " "))
    moderation.remove_texts(cup, eve, Both, "No.")
    refused_with("already_removed", lambda: moderation.remove_texts(cup, eve, Both, "No."))


def test_a_removal_stays_on_record(cup: Cup) -> None:
    moderation.remove_texts(cup, staff("eve"), Both, "No.")
    with pytest.raises(DatabaseError), transaction.atomic():
        Intervention.objects.filter(cup=cup).update(reason="Yes.")
