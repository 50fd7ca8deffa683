from __future__ import annotations

import csv
import io

import pytest
from django.test import Client

from bots.models import Bot
from ladder.creation import Plan, found_ladder
from ladder.models import Ladder, Membership
from tests.build import DUEL, person, staff
from tests.ladder.pages.site import Site, rename

SENT = {
    "name": "Seminar",
    "table": f"{DUEL}:2",
    "access": "class",
    "freezes_at": "2999-01-01T12:00",
    "house": ["greedy"],
    "weight": 1,
    "startup_ms": 3000,
    "move_ms": 500,
    "bank_ms": 10_000,
    "game_ms": 60_000,
    "memory_mb": 512,
}


def test_staff_open_a_class_and_others_do_not_find_the_page(house: None, client: Client) -> None:
    assert client.get("/staff/ladders/new/").status_code == 302
    client.force_login(person("bob"))
    assert client.get("/staff/ladders/new/").status_code == 404
    client.force_login(staff("eve"))
    assert client.get("/staff/ladders/new/").status_code == 200
    assert client.post("/staff/ladders/new/", SENT)["Location"] == "/ladders/seminar/members/"
    ladder = Ladder.objects.get(slug="seminar")
    assert (ladder.private, ladder.limits, ladder.entries.count()) == (True, {"move_ms": 500}, 1)
    assert ladder.invitation in client.get("/ladders/seminar/members/").content.decode()
    again = client.post("/staff/ladders/new/", SENT)
    assert again.status_code == 422
    assert "There is a ladder at the address seminar already." in again.content.decode()


def test_staff_choose_who_plays(house: None, client: Client) -> None:
    client.force_login(staff("eve"))
    sent = {**SENT, "name": "Afar", "players": "remote", "house": []}
    assert client.post("/staff/ladders/new/", sent)["Location"] == "/ladders/afar/members/"
    assert Ladder.objects.get(slug="afar").players == "remote"
    assert client.post("/staff/ladders/new/", {**sent, "name": "Nobody", "players": "nobody"}).status_code == 422


def test_a_link_makes_a_member_of_whoever_says_yes(bot: Bot, client: Client) -> None:
    ladder = found_ladder(Plan("Seminar", DUEL, 2, private=True), staff("eve"))
    address = f"/ladders/invitations/{ladder.invitation}/"
    assert client.get(address).status_code == 302
    client.force_login(bot.owner)
    assert "You are invited" in client.get(address).content.decode()
    assert not Membership.objects.exists()
    assert client.post(address)["Location"] == "/ladders/seminar/"
    client.post(address)
    assert Membership.objects.get().person == bot.owner
    assert "Private" in client.get("/ladders/seminar/").content.decode()
    assert client.get("/ladders/invitations/nonsense/").status_code == 404
    assert "Seminar" in client.get(f"/bots/{bot.slug}/").content.decode()
    client.post(f"/bots/{bot.slug}/ladders/", {"shown": ["seminar"], "ladder": ["seminar"]})
    assert bot.entries.get(ladder=ladder).active


def test_a_bot_of_no_member_cannot_be_ticked_in(bot: Bot, client: Client) -> None:
    ladder = found_ladder(Plan("Seminar", DUEL, 2, private=True), staff("eve"))
    client.force_login(bot.owner)
    assert "Seminar" not in client.get(f"/bots/{bot.slug}/").content.decode()
    client.post(f"/bots/{bot.slug}/ladders/", {"shown": ["seminar"], "ladder": ["seminar"]})
    assert not bot.entries.filter(ladder=ladder).exists()


def test_staff_invite_by_names_and_learn_which_are_none(bot: Bot, client: Client) -> None:
    ladder = found_ladder(Plan("Seminar", DUEL, 2, private=True), staff("eve"))
    client.force_login(staff("carla"))
    response = client.post("/ladders/seminar/members/", {"names": "ada nobody"})
    assert response.status_code == 422
    assert "Nobody is called nobody." in response.content.decode()
    many = client.post("/ladders/seminar/members/", {"names": "ada " * 201})
    assert "201 names. Invite at most 200 at once." in many.content.decode()
    client.post("/ladders/seminar/members/", {"names": "ada, eve"})
    client.post("/ladders/seminar/members/", {"names": "ada"})
    assert Membership.objects.filter(ladder=ladder).count() == 2
    assert client.post(f"/ladders/seminar/members/{bot.owner_id}/remove/")["Location"] == "/ladders/seminar/members/"
    assert not Membership.objects.filter(ladder=ladder, person=bot.owner_id).exists()
    assert client.post(f"/ladders/seminar/members/{bot.owner_id}/remove/").status_code == 404
    assert client.get(f"/ladders/{DUEL}/members/").status_code == 404


@pytest.mark.parametrize("name", ["=1+1", "@x", "-2", "+3"])
def test_the_table_as_csv_has_every_row_and_no_formula(site: Site, client: Client, name: str) -> None:
    rename(site.bot, name)
    response = client.get(f"/ladders/{site.ladder.slug}/table.csv")
    assert response["Content-Type"].startswith("text/csv")
    rows = list(csv.DictReader(io.StringIO(response.content.decode())))
    assert len(rows) == site.ladder.entries.filter(active=True).count()
    assert [int(row["rank"]) for row in rows] == sorted(int(row["rank"]) for row in rows)
    mine = next(row for row in rows if row["address"] == site.bot.slug)
    assert mine["bot"] == f"'{name}"
    assert float(mine["rating"]) == site.bot.entries.get(ladder=site.ladder).points
