"""Guests in the lobby and on the pages of games by link."""

from __future__ import annotations

import pytest
from django.core.cache import caches
from django.test import Client, override_settings

from ladder.matchmaking.proposals import create_game
from ladder.models import GuestNameReport, LiveSeat, Match, Proposal
from tests.build import person, signed_in, staff, verified
from tests.ladder.matchmaking.people import ended, on
from tests.page import page, parsed

pytestmark = pytest.mark.usefixtures("house")

DUEL = "edel-stein-reich-duel-people"
THREE = "edel-stein-reich-3-people"


def invited(client: Client, name: str = "Anna", **changed: str) -> Proposal:
    """A game by link that a guest creates with the form of the lobby."""
    response = client.post("/play/offer/", {"ladder": DUEL, "clock": "usual", "name": name, **changed})
    made = Proposal.objects.latest("pk")
    assert response.headers["Location"] == f"/play/links/{made.token}/"
    return made


def codes(client: Client, address: str, **form: str) -> str:
    """Why a form was refused."""
    response = client.post(address, form)
    assert response.status_code == 422
    return parsed(response).one("form", data_refused=True)["data-refused"]


def test_two_guests_meet_by_a_link_and_are_taken_to_the_table(client: Client) -> None:
    anna, bruno = client, Client()
    made = invited(anna)
    link = f"/play/links/{made.token}/"
    waiting = page(anna, link)
    assert waiting.notes == {"waiting"}
    assert waiting.one("code", data_link=True).text.endswith(link)
    assert waiting.one(data_lobby_stream=True)["data-parts"] == link
    asked = page(bruno, link)
    assert not asked.all("code", data_link=True) and not asked.all(data_lobby_stream=True)
    response = bruno.post(link, {"name": "Bruno", "secret": asked.one("input", name="secret")["value"]})
    match = Match.objects.get()
    assert response.headers["Location"] == f"/play/tables/{match.pk}/"
    assert anna.get(link).headers["Location"] == response.headers["Location"]
    assert anna.get("/play/").headers["Location"] == response.headers["Location"]
    for guest, other in ((anna, "Bruno (guest)"), (bruno, "Anna (guest)")):
        assert other in page(guest, response.headers["Location"]).one("h1").text
    assert page(Client(), link).notes == {"started-without-you"}
    assert "Anna (guest)" in page(Client(), f"/matches/{match.pk}/").one("main").text


def test_a_form_that_is_submitted_twice_takes_one_seat() -> None:
    made = invited(Client(), ladder=THREE)
    link, first, second = f"/play/links/{made.token}/", Client(), Client()
    form = {"name": "Bruno", "secret": page(first, link).one("input", name="secret")["value"]}
    assert first.post(link, form).status_code == second.post(link, form).status_code == 302
    assert made.players.count() == 2
    assert first.session["guest"] == second.session["guest"]


def test_a_guest_in_two_tabs_is_one_guest(client: Client) -> None:
    made = invited(client, ladder=THREE)
    link = f"/play/links/{made.token}/"
    assert client.post(link, {"name": "Other name"}).status_code == 302
    assert invited(client, ladder=THREE) == made
    assert made.players.count() == 1


def test_a_secret_that_was_not_made_here_is_not_used(client: Client) -> None:
    made = invited(Client())
    client.post(f"/play/links/{made.token}/", {"name": "Bruno", "secret": "short"})
    assert len(client.session["guest"]) == 43


def test_taking_a_seat_changes_the_key_of_the_session(client: Client) -> None:
    made = invited(Client())
    session = client.session
    session["x"] = 1
    session.save()
    client.cookies["sessionid"] = session.session_key
    client.post(f"/play/links/{made.token}/", {"name": "Bruno"})
    assert client.cookies["sessionid"].value != session.session_key
    assert not Client(headers={"Cookie": f"sessionid={session.session_key}"}).session.get("guest")


def test_a_form_is_refused_with_a_code(client: Client) -> None:
    verified("alice")
    made = invited(Client())
    link = f"/play/links/{made.token}/"
    for name, code in (
        ("", "required"),
        ("Anna", "name_in_game"),
        ("a1ice", "name_unavailable"),
        ("a@b.org", "name_character"),
    ):
        assert codes(client, link, name=name) == code, name
    assert codes(client, "/play/offer/", ladder=DUEL, clock="usual", name="Greedy") == "name_unavailable"
    with override_settings(MAX_GUEST_SEATS_PER_IP=1):
        assert codes(client, link, name="Bruno") == "guest_seats_per_ip"
    with override_settings(REQUESTS_PER_MINUTE={"guests": 0, "table": 100, "pages": 1000}):
        assert codes(client, link, name="Bruno") == "too_often"
    assert made.players.count() == 1
    assert not client.session.get("guest")


def test_a_guest_creates_no_rated_or_open_game(client: Client) -> None:
    made = invited(client, kind="open", counts="rated")
    assert (made.kind, made.rated) == ("link", False)
    assert not page(client, "/play/").all("form", action=True, method="post", id="x")
    other = signed_in(person("bob"))
    assert made.token not in other.get("/play/").content.decode()


def test_a_rated_link_asks_for_an_account(client: Client) -> None:
    made = create_game(verified("ada"), on(DUEL), kind=Proposal.Kind.LINK, rated=True)
    link = f"/play/links/{made.token}/"
    asked = page(client, link)
    assert asked.notes == {"needs-account"}
    assert f"/account/login/?next={link}" in asked.links
    assert client.post(link, {"name": "Bruno"}).status_code == 422
    assert made.players.count() == 1


def test_a_guest_leaves_and_a_creator_withdraws(client: Client) -> None:
    made, bruno = invited(client, ladder=THREE), Client()
    link = f"/play/links/{made.token}/"
    bruno.post(link, {"name": "Bruno"})
    assert link in page(bruno, "/play/").actions
    assert bruno.post(link, {"do": "leave"}).headers["Location"] == "/play/"
    assert made.players.count() == 1
    Client().post(link, {"do": "leave"})
    client.post(link, {"do": "leave"})
    assert page(bruno, link).notes == {"closed"}


def test_no_address_of_an_account_reaches_a_guest(client: Client) -> None:
    ada = verified("ada")
    made = create_game(ada, on(DUEL), kind=Proposal.Kind.LINK)
    link = f"/play/links/{made.token}/"
    table = client.post(link, {"name": "Bruno"}).headers["Location"]
    for address in (link, table, "/play/"):
        assert ada.email not in client.get(address, follow=True).content.decode()
    assert not page(client, table).all(data_talk_lines=True)
    ada_sees = page(signed_in(ada), table)
    assert not ada_sees.all(data_talk_lines=True), "nobody else at the table could read the chat"
    assert LiveSeat.objects.filter(seat__guest_name="Bruno").exists()


def test_guests_offer_and_accept_a_rematch_on_the_page_of_the_match(client: Client) -> None:
    anna, bruno = client, Client()
    made = invited(anna)
    bruno.post(f"/play/links/{made.token}/", {"name": "Bruno"})
    match = ended(Match.objects.get())
    here, again = f"/matches/{match.pk}/", f"/play/tables/{match.pk}/rematch/"
    assert again in page(anna, here).actions
    assert again not in page(Client(), here).actions
    assert Client().post(again).headers["Location"].startswith("/account/login/")
    assert anna.post(again).headers["Location"] == here
    assert page(bruno, here).one("button", data_note="accept")
    bruno.post(again, {"want": "no"})
    bruno.post(again)
    begun = anna.post(again).headers["Location"]
    assert begun == f"/play/tables/{Match.objects.latest('pk').pk}/" != f"/play/tables/{match.pk}/"
    assert begun in page(bruno, here).links


# --- moderation ------------------------------------------------------------------------------------------------------


@pytest.fixture
def named(client: Client) -> Match:
    """A game of the guests Anna and Bruno."""
    made = invited(client)
    Client().post(f"/play/links/{made.token}/", {"name": "Bruno"})
    return Match.objects.get()


def report_of(match: Match, name: str) -> str:
    """The URL to which the name of a guest is reported."""
    return f"/matches/{match.pk}/guests/{match.seats.get(guest_name=name).index}/report/"


def test_a_user_reports_the_name_of_a_guest_and_a_moderator_removes_it(named: Match) -> None:
    bob, eve = signed_in(person("bob")), signed_in(staff("eve"))
    address = report_of(named, "Bruno")
    assert address in page(bob, f"/matches/{named.pk}/").actions
    assert address not in page(Client(), f"/matches/{named.pk}/").actions
    for _ in range(2):
        bob.post(address)
    report = GuestNameReport.objects.get()
    assert (report.name, report.settled_at) == ("Bruno", None)
    seat = report.seat_id
    assert f"/staff/guests/{seat}/" in page(eve, "/staff/chat/").actions
    assert bob.post(f"/staff/guests/{seat}/", {"remove": "yes"}).status_code == 404
    eve.post(f"/staff/guests/{seat}/", {"remove": "yes"})
    assert set(named.seats.values_list("guest_name", flat=True)) == {"Anna", ""}
    caches["pages"].clear()  # strangers share the page for seconds
    text = page(Client(), f"/matches/{named.pk}/").one("main").text
    assert "Bruno" not in text and "Anna (guest)" in text
    assert not GuestNameReport.objects.filter(settled_at=None).exists()
    assert set(GuestNameReport.objects.values_list("name", "removed", "by__username")) == {
        ("Bruno", True, "bob"),
        ("Bruno", True, "eve"),
    }


def test_a_moderator_removes_a_name_without_a_report_and_dismisses_reports(named: Match) -> None:
    bob, eve = signed_in(person("bob")), signed_in(staff("eve"))
    bob.post(report_of(named, "Anna"))
    eve.post(f"/staff/guests/{GuestNameReport.objects.get().seat_id}/", {"leave": "yes"})
    assert GuestNameReport.objects.get().removed is False
    eve.post(report_of(named, "Bruno"))
    assert set(named.seats.values_list("guest_name", flat=True)) == {"Anna", ""}
    assert "Guest" in page(Client(), f"/matches/{named.pk}/").one("main").text
