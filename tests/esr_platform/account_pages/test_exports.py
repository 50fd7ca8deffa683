"""What a person takes away: everything of theirs, nothing of others, bounded and paced."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from bots.models import Bot
from bots.owners import player_of
from esr_platform.account_pages.exports import export
from esr_platform.accounts import tokens
from esr_platform.accounts.models import Scope, User
from ladder.cups.moderation import report
from ladder.exhibitions.requests import request_test
from ladder.matches.logs import packed
from ladder.models import ChatLine, Ladder, Match, Proposal, SeatLog
from tests.build import (
    DUEL,
    PASSWORD,
    finished,
    finished_by_hand,
    match_of,
    opened_house,
    person,
    uploaded,
    verified,
    with_password,
)
from tests.ladder.cups.cups import due, entered, house_bots, new_cup, play_round
from tests.page import parsed

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada() -> User:
    opened_house()
    return with_password("ada")


def taken(user: User) -> zipfile.ZipFile:
    return zipfile.ZipFile(io.BytesIO(b"".join(export(user))))


def document(archive: zipfile.ZipFile, name: str) -> Any:
    return json.loads(archive.read(name))


def test_everything_of_ones_own_is_in_it(ada: User) -> None:
    bot = uploaded(ada, "Magpie")
    match = match_of(bot, Ladder.objects.get(slug=DUEL))
    _, secret = tokens.issue(ada, "laptop", [Scope.UPLOAD], None)
    archive = taken(ada)
    assert archive.testzip() is None
    account = document(archive, "account.json")
    assert account["addresses"] == [{"email": "ada@example.org", "verified": True, "primary": True}]
    assert account["tokens"][0]["name"] == "laptop"
    assert b"def " in archive.read(f"bots/{bot.slug}/v1.py") or archive.read(f"bots/{bot.slug}/v1.py")
    assert document(archive, f"bots/{bot.slug}/bot.json")["entries"]
    lines = archive.read("matches.jsonl").splitlines()
    assert [json.loads(line)["match"] for line in lines][-1:] == [match.pk]
    everything = b"".join(archive.read(name) for name in archive.namelist())
    assert secret.encode() not in everything
    assert ada.password.encode() not in everything


def test_cups_of_ones_own_and_their_public_results_are_in_it(ada: User) -> None:
    bot = uploaded(verified("ada"), "Magpie")
    cup = new_cup("swiss", organizer=ada, game="edel-stein-reich-duel", seats=2, rounds=1)
    other_cup = new_cup("knockout", game="edel-stein-reich-duel", seats=2)
    report(other_cup, ada, "It insults.")
    due(entered(cup, [bot, *house_bots("edel-stein-reich-duel", 2, most=3)]))
    games = Match.objects.select_related("ladder", "block").filter(block__cup_table__round__cup=cup)
    finished(games.filter(seats__version__bot=bot).order_by("pk")[0])
    archive = taken(ada)
    account = document(archive, "account.json")
    assert [listed["slug"] for listed in account["cups"]] == [cup.slug]
    assert [reported["text"] for reported in account["reported_cups"]] == ["It insults."]
    assert document(archive, f"bots/{bot.slug}/bot.json")["cups"][0]["cup__slug"] == cup.slug
    assert ranks(archive) == set(), "the round has not ended"
    play_round(cup)
    assert ranks(taken(ada)) == {1, 2}


def ranks(archive: zipfile.ZipFile) -> set[int]:
    """The ranks in the results of all matches."""
    matches = map(json.loads, archive.read("matches.jsonl").splitlines())
    return {seat["rank"] for match in matches for seat in match["seats"] if "rank" in seat}


def test_nothing_of_others_is_in_it(ada: User) -> None:
    other = person("bob")
    theirs = uploaded(other, "Bobs secret")
    mine = uploaded(ada, "Magpie")
    archive = taken(ada)
    assert not any(theirs.slug in name for name in archive.namelist())
    assert any(mine.slug in name for name in archive.namelist())
    assert b"bob@example.org" not in b"".join(archive.read(name) for name in archive.namelist())


def test_a_log_is_in_it_once_its_deal_is_open_and_not_before(ada: User) -> None:
    bot = uploaded(ada, "Magpie")
    match = match_of(bot, Ladder.objects.get(slug=DUEL))
    SeatLog.objects.create(seat=match.seats.get(index=0), packed=packed({"stderr_tail": "", "decisions": []}))
    name = f"logs/match-{match.pk}-seat-0.json"
    assert name not in taken(ada).namelist()
    type(match.block).objects.filter(pk=match.block_id).update(ended=match.created)
    assert name in taken(ada).namelist()


def test_private_ladders_that_one_is_no_member_of_are_not_in_it(ada: User) -> None:
    bot = uploaded(ada, "Magpie")
    ladder = Ladder.objects.get(slug=DUEL)
    match = match_of(bot, ladder)
    SeatLog.objects.create(seat=match.seats.get(index=0), packed=packed({"stderr_tail": "", "decisions": []}))
    type(match.block).objects.filter(pk=match.block_id).update(ended=match.created)
    version = bot.versions.get().pk
    others = [entry.bot.active_version for entry in ladder.memberships.exclude(bot=bot)[: ladder.seats - 1]]
    request_test(ada, ladder, [version, *(rival.pk for rival in others if rival is not None)], 1, uuid4())
    Ladder.objects.filter(pk=ladder.pk).update(private=True, by_invitation=True)
    archive = taken(ada)
    assert archive.read("exhibitions.jsonl") == b""
    assert not any(name.startswith("logs/") for name in archive.namelist())
    assert archive.read("matches.jsonl") == b""
    assert document(archive, f"bots/{bot.slug}/bot.json")["entries"] == []


def test_what_is_too_large_is_left_out_and_said(ada: User, settings: Settings) -> None:
    bot = uploaded(ada, "Magpie")
    settings.MAX_EXPORT_BYTES = 4000
    Bot.objects.update(description="x" * 2000)
    archive = taken(ada)
    assert sum(file.file_size for file in archive.infolist() if file.filename != "omitted.txt") <= 4000
    if f"bots/{bot.slug}/v1.py" not in archive.namelist():
        assert bot.slug in archive.read("omitted.txt").decode()


def test_an_archive_that_is_lost_is_said_and_the_rest_is_there(ada: User) -> None:
    bot = uploaded(ada, "Magpie")
    bot.versions.update(archive="00/nothing.py")
    names = taken(ada).namelist()
    assert f"bots/{bot.slug}/v1.missing.txt" in names
    assert "matches.jsonl" in names


def test_it_is_downloaded_after_the_password_once_in_a_while(ada: User) -> None:
    client = Client()
    assert client.post("/account/export/").status_code == 302
    client.force_login(ada)
    assert "/account/reauthenticate/" in client.get("/account/export/").headers["Location"]
    asked = client.post("/account/reauthenticate/", {"password": PASSWORD, "next": "/account/export/"})
    page = client.get(asked.headers["Location"])
    assert page.status_code == 200
    assert parsed(page).one("form", action="/account/export/").attributes["method"] == "post"
    answer = client.post("/account/export/")
    assert answer.headers["Content-Type"] == "application/zip"
    body = b"".join(answer.streaming_content)  # type: ignore[arg-type]
    assert "account.json" in zipfile.ZipFile(io.BytesIO(body)).namelist()
    again = client.post("/account/export/")
    assert again.status_code == 429
    assert 0 < int(again.headers["Retry-After"]) <= 600
    assert parsed(again).errors == {""}, "the page states the limit"


def test_what_somebody_did_by_hand_is_in_it(ada: User) -> None:
    people = Ladder.objects.get(slug=f"{DUEL}-people")
    match = finished_by_hand(people, ("ada", "ben"))
    ChatLine.objects.create(match=match, seat=match.seats.get(version=player_of(ada)), by=ada, text="well played")
    Proposal.objects.create(ladder=people, by=ada, clock="usual", expires=timezone.now())
    archive = taken(ada)
    account = document(archive, "account.json")
    assert [(row["ladder"], row["games"]) for row in account["by_hand"]] == [(people.name, 1)]
    assert [row["clock"] for row in account["seats_offered"]] == ["usual"]
    assert account["chat"] is True
    assert document(archive, "chat.jsonl")["text"] == "well played"
    assert document(archive, "matches.jsonl")["match"] == match.pk
    assert not [name for name in archive.namelist() if name.startswith("bots/")]
