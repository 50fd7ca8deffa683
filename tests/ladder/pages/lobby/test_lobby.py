from __future__ import annotations

from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from django.core.cache import caches
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from bots.models import Bot
from bots.owners import player_of
from ladder.chat import report, say
from ladder.matchmaking import quick_pairing
from ladder.matchmaking.presence import note_here
from ladder.models import ChatLine, Ladder, Match, Pairing, Proposal
from tests.build import person, signed_in, staff, verified
from tests.page import at_most, page

pytestmark = pytest.mark.usefixtures("house")

DUEL = "edel-stein-reich-duel-people"
MOST_QUERIES = 24


def html(client: Client, address: str = "/play/") -> str:
    response = client.get(address)
    assert response.status_code == 200, address
    return response.content.decode()


def offered(client: Client, **changed: str) -> Proposal:
    """Seats that are offered in the form, as it is sent without a script."""
    sent = {"ladder": DUEL, "clock": "usual", "kind": "open", "counts": "casual", **changed}
    response = client.post("/play/offer/", sent)
    assert response.status_code == 302, response.content.decode()
    return Proposal.objects.latest("pk")


def test_a_stranger_can_play_every_game_at_once_invite_friends_and_is_told_how_to_meet_people(client: Client) -> None:
    lobby = page(client, "/play/")
    assert len(lobby.all("input", name="game")) == 3
    assert any(link.startswith("/account/login/") for link in lobby.links)
    form = lobby.one("form", data_game_form=True)
    assert form.all("input", name="name") and not form.all(name="kind") and not form.all(name="counts")


def test_a_guest_sits_down_within_one_click_and_comes_back_to_the_table(client: Client) -> None:
    response = client.post("/play/now/", {"game": "edel-stein-reich-duel"}, follow=False)
    match = Match.objects.latest("pk")
    assert response["Location"] == f"/play/tables/{match.pk}/"
    assert client.session.get("guest")
    html(client, response["Location"])
    assert f'href="/play/tables/{match.pk}/"' in html(client)
    again = client.post("/play/now/", {"game": "edel-stein-reich-duel"})
    assert again["Location"] == response["Location"]


def test_two_people_meet_by_seats_that_one_offers() -> None:
    ada, bob = signed_in(person("ada")), signed_in(person("bob"))
    seek = offered(ada)
    of_ada, of_bob = html(ada), html(bob)
    assert f"/play/open-games/{seek.pk}/withdraw/" in of_ada
    assert f"/play/open-games/{seek.pk}/join/" in of_bob
    assert f"/play/open-games/{seek.pk}/join/" not in of_ada
    response = bob.post(f"/play/open-games/{seek.pk}/join/")
    match = Match.objects.latest("pk")
    assert response["Location"] == f"/play/tables/{match.pk}/"
    assert ada.get("/play/")["Location"] == response["Location"]
    html(ada, response["Location"])
    assert "/withdraw/" not in html(ada)


def test_an_offer_is_withdrawn_and_a_seat_left() -> None:
    ada, bob = signed_in(person("ada")), signed_in(person("bob"))
    seek = offered(ada, ladder="edel-stein-reich-3-people")
    bob.post(f"/play/open-games/{seek.pk}/join/")
    assert f"/play/open-games/{seek.pk}/leave/" in html(bob)
    bob.post(f"/play/open-games/{seek.pk}/leave/")
    assert f"/play/open-games/{seek.pk}/join/" in html(bob)
    ada.post(f"/play/open-games/{seek.pk}/withdraw/")
    assert "/join/" not in html(bob)
    assert bob.post(f"/play/open-games/{seek.pk}/join/", follow=True).status_code == 200
    assert not Match.objects.exists()


def test_a_link_seats_whoever_has_it_and_stands_nowhere_else(client: Client) -> None:
    ada, bob = signed_in(person("ada")), signed_in(person("bob"))
    seek = offered(ada, kind="link")
    address = f"/play/links/{seek.token}/"
    assert address in html(ada)
    assert address not in html(bob)
    assert "/join/" not in html(bob)
    assert "account_login" not in html(client, address)
    assert f"/account/login/?next={address}" in html(client, address)
    assert bob.post(address)["Location"] == f"/play/tables/{Match.objects.latest('pk').pk}/"
    assert page(client, address).one(data_note="started-without-you")
    assert bob.get(address)["Location"] == f"/play/tables/{Match.objects.latest('pk').pk}/"
    for wrong in ("x", "x" * 44, "%00"):
        assert client.get(f"/play/links/{wrong}/").status_code == 404


def test_bots_that_are_named_sit_down_and_the_house_fills_up() -> None:
    ada = signed_in(person("ada"))
    seek = offered(ada, ladder="edel-stein-reich-4-people", kind="bots", opponent_2="house-haggler")
    assert seek.ladder.slug == "edel-stein-reich-4-open"
    assert seek.match_id
    named = set(seek.players.values_list("bot__slug", flat=True))
    assert "house-haggler" in named
    assert len(named) == 4


def test_what_cannot_be_offered_is_said_in_the_form() -> None:
    ada = signed_in(person("ada"))
    sent = {"ladder": DUEL, "clock": "usual", "kind": "open", "counts": "rated"}
    response = ada.post("/play/offer/", sent)
    assert response.status_code == 422
    assert ada.post("/play/offer/", {**sent, "ladder": "nowhere"}).status_code == 422
    assert ada.post("/play/offer/", {**sent, "opponent_1": "nobody"}).status_code == 422
    assert not Proposal.objects.exists()


def test_rated_games_are_looked_for_by_who_has_proven_an_address() -> None:
    ada, bob = signed_in(verified("ada")), signed_in(person("bob"))
    assert "/play/look/" not in html(bob)
    ada.post("/play/look/", {"ladder": DUEL})
    assert Pairing.objects.get().ladder.slug == DUEL
    text = html(ada)
    assert "/play/stop/" in text
    assert page(ada, "/play/").one(data_note="searching")["data-others"] == "0"
    assert page(bob, "/play/").all(data_searching="1")
    ada.post("/play/stop/")
    assert not Pairing.objects.exists()
    bob.post("/play/look/", {"ladder": DUEL})
    assert not Pairing.objects.exists()


def test_two_who_look_are_taken_to_one_table() -> None:
    ada, bob = signed_in(verified("ada")), signed_in(verified("bob"))
    for client in (ada, bob):
        client.post("/play/look/", {"ladder": DUEL})
    assert page(ada, "/play/").one(data_note="searching")["data-others"] == "1"
    assert quick_pairing.pair() == 1
    match = Match.objects.latest("pk")
    for client in (ada, bob):
        assert client.get("/play/")["Location"] == f"/play/tables/{match.pk}/"


def test_the_lobby_leads_to_a_new_game_until_its_player_has_come_there() -> None:
    ada, bob = signed_in(verified("ada")), signed_in(verified("bob"))
    for client in (ada, bob):
        client.post("/play/look/", {"ladder": DUEL})
    quick_pairing.pair()
    table = f"/play/tables/{Match.objects.latest('pk').pk}/"
    html(ada, table)
    assert f'href="{table}"' in html(ada)
    assert bob.get("/play/")["Location"] == table


def test_a_person_is_challenged_and_accepts() -> None:
    bob_himself = person("bob")
    EmailAddress.objects.create(user=bob_himself, email="bob@example.org", verified=True)
    ada, bob = signed_in(person("ada")), signed_in(bob_himself)
    assert "/play/challenge/people/bob/" in html(ada, "/people/bob/")
    assert page(ada, "/play/challenge/people/bob/").all("p", class_="notice")
    note_here([bob_himself.pk])
    assert not page(ada, "/play/challenge/people/bob/").all("p", class_="notice")
    ada.post("/play/challenge/people/bob/", {"ladder": DUEL, "counts": "casual"})
    made = Proposal.objects.get()
    for player in (ada, bob):
        assert f"/play/challenges/{made.pk}/answer/" in html(player)
    response = bob.post(f"/play/challenges/{made.pk}/answer/", {"answer": "yes"})
    assert response["Location"] == f"/play/tables/{Match.objects.latest('pk').pk}/"


def test_a_challenge_sent_twice_is_one_whichever_bots_of_the_house_are_drawn() -> None:
    bob = verified("bob")
    ada = signed_in(person("ada"))
    note_here([bob.pk])
    for _ in range(4):
        ada.post("/play/challenge/people/bob/", {"ladder": "edel-stein-reich-5-open", "counts": "casual"})
    assert Proposal.objects.get().players.count() == 5


def test_who_is_away_gets_no_row_by_which_they_are_found() -> None:
    bob = verified("bob")
    answer = signed_in(person("ada")).post("/play/challenge/people/bob/", {"ladder": DUEL, "counts": "casual"})
    assert answer.status_code == 422
    assert not Bot.objects.filter(owner=bob).exists()
    assert "/people/bob/" not in html(Client(), "/search/?q=bob")


def test_a_challenge_is_declined_or_withdrawn_by_those_whose_it_is() -> None:
    bob_himself = verified("bob")
    ada, bob, eve = signed_in(person("ada")), signed_in(bob_himself), signed_in(person("eve"))
    note_here([bob_himself.pk])
    ada.post("/play/challenge/people/bob/", {"ladder": DUEL, "counts": "casual"})
    made = Proposal.objects.get()
    address = f"/play/challenges/{made.pk}/answer/"
    assert eve.post(address, {"answer": "yes"}).status_code == 404
    ada.post(address, {"answer": "yes"})
    assert address in html(bob)
    bob.post(address, {"answer": "no"})
    made.refresh_from_db()
    assert made.state == Proposal.State.DECLINED
    assert address not in html(bob)


def test_a_house_bot_is_challenged_from_its_page_and_sits_down_at_once() -> None:
    ada = signed_in(person("ada"))
    assert "/play/challenge/house-haggler/" in html(ada, "/bots/house-haggler/")
    response = ada.post("/play/challenge/house-haggler/", {"ladder": "edel-stein-reich-3-open", "counts": "casual"})
    assert response["Location"] == f"/play/tables/{Match.objects.latest('pk').pk}/"
    assert Match.objects.latest("pk").seats.filter(version__bot__slug="house-haggler").exists()


def test_nobody_challenges_themselves_a_guest_or_who_is_not_there() -> None:
    user = person("ada")
    ada = signed_in(user)
    player_of(user)
    slug = Bot.objects.get(owner=user).slug
    ada.post("/play/now/", {"game": "edel-stein-reich-duel"})
    for name in (slug, "house-guest", "nobody", "people/nobody"):
        assert ada.get(f"/play/challenge/{name}/").status_code == 404


def test_a_private_ladder_is_on_offer_to_its_members_alone() -> None:
    Ladder.objects.filter(slug=DUEL).update(private=True, by_invitation=True, name="Cellar club")
    ada = signed_in(person("ada"))
    assert "Cellar club" not in html(ada)
    assert ada.post("/play/look/", {"ladder": DUEL}).status_code == 404
    seek = Proposal.objects.create(
        ladder=Ladder.objects.get(slug=DUEL),
        by=person("eve"),
        clock="usual",
        expires=timezone.now() + timedelta(hours=1),
    )
    assert ada.post(f"/play/open-games/{seek.pk}/join/").status_code == 404


def test_the_lobby_takes_few_queries_however_many_are_there() -> None:
    ada = signed_in(verified("ada"))

    def count() -> int:
        for cache in caches.all():
            cache.clear()
        with at_most(MOST_QUERIES) as queries:
            html(ada)
        return len(queries)

    offered(signed_in(person("bob")))
    signed_in(person("cid")).post("/play/now/", {"game": "die-weinhaendler"})
    ada.post("/play/now/", {"game": "die-weinhaendler"}, follow=True)
    before = count()
    for name in ("dora", "emil", "fay", "gus"):
        offered(signed_in(person(name)), ladder="edel-stein-reich-4-people")
    signed_in(person("hal")).post("/play/now/", {"game": "edel-stein-reich"})
    assert count() == before


def test_nobody_comes_and_goes_all_the_time(settings: Settings) -> None:
    settings.REQUESTS_PER_MINUTE = {**settings.REQUESTS_PER_MINUTE, "table": 2}
    made, bob = offered(signed_in(person("ada"))), signed_in(person("bob"))
    acts = ["join", "leave", "join"]
    assert [bob.post(f"/play/open-games/{made.pk}/{act}/").status_code for act in acts][-1] == 429
    assert bob.post("/play/stop/").status_code == 429
    assert bob.get("/play/")["Location"] == f"/play/tables/{Match.objects.get().pk}/"
    assert signed_in(person("cid")).post("/play/stop/").status_code == 302, "others are counted for themselves"


def test_staff_reads_what_was_reported_and_hides_it() -> None:
    ada, bob, eve = person("ada"), person("bob"), staff("eve")
    signed_in(bob).post(f"/play/open-games/{offered(signed_in(ada)).pk}/join/")
    match = Match.objects.latest("pk")
    seat = match.seats.get(version__bot__owner=ada).index
    line = ChatLine.objects.get(pk=say(match.pk, seat, ada, text="<b>Pay me</b>")["id"])
    report(match.pk, line.pk, bob)
    assert signed_in(bob).get("/staff/chat/").status_code == 404
    client = signed_in(eve)
    assert "&lt;b&gt;Pay me" in html(client, "/staff/chat/")
    client.post(f"/staff/chat/{line.pk}/", {"hide": "yes"})
    line.refresh_from_db()
    assert line.hidden_by == eve
    assert f"/staff/chat/{line.pk}/" not in html(client, "/staff/chat/")
