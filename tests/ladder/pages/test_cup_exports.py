from __future__ import annotations

import csv
import gzip
import io
import json
from datetime import timedelta
from pathlib import Path

import pytest
from django.db.models import F
from django.test import Client

from bots.cli.esr import main
from bots.cli.frame import FOUND
from bots.models import Bot
from bots.tournaments.ledger import read_ledger, reason_hash
from bots.tournaments.verification import verify_cup
from ladder.cups.desk import call_off
from ladder.cups.moderation import remove_texts
from ladder.exports.json_lines import game_pieces
from ladder.models import Block, Cup, CupEntry, Intervention, Match
from tests.build import staff
from tests.ladder.cups.cups import due, entered, house_bots, new_cup, play_round, played_out
from tests.ladder.pages.test_cups import address, organizer_of, running
from tests.page import at_most

pytestmark = pytest.mark.usefixtures("house")


def rows_of(client: Client, cup: Cup, name: str) -> list[dict[str, str]]:
    response = client.get(address(cup, name))
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    return list(csv.DictReader(io.StringIO(response.getvalue().decode())))


def test_the_ledger_of_a_finished_cup_is_verified_as_it_is_downloaded(client: Client) -> None:
    cup = played_out(entered(new_cup("swiss", rounds=2), house_bots()))
    with at_most(8):
        ledger = client.get(address(cup, "ledger.json"))
        text = ledger.getvalue()
    document = json.loads(text)
    assert (document["format"], document["cup"], document["key_hash"]) == ("cup-ledger/2", cup.pk, cup.key_hash)
    report = verify_cup(read_ledger(text))
    assert (report.state, report.faults, report.rounds) == ("finished", [], 2)
    again = client.get(address(cup, "ledger.json"), headers={"If-None-Match": ledger["ETag"]})
    assert again.status_code == 304


def test_the_downloaded_games_of_a_cup_are_those_of_its_ledger(client: Client, tmp_path: Path) -> None:
    cup = played_out(entered(new_cup("swiss", rounds=1), house_bots()))
    Block.objects.update(ended=F("ended") - timedelta(minutes=2))  # newer games are not in the file yet
    ledger, games = tmp_path / "ledger.json", tmp_path / "games.jsonl"
    ledger.write_bytes(client.get(address(cup, "ledger.json")).getvalue())
    lines = gzip.decompress(b"".join(game_pieces(cup.ladder, None, 1000, lambda: True)))
    games.write_bytes(lines)
    words = ["verify-cup", str(ledger), "--records", str(games)]
    assert main(words) == 0
    first, rest = lines.split(b"\n", 1)
    other = json.loads(first)
    other["players"].reverse()
    for changed in (rest, json.dumps(other).encode() + b"\n" + rest, lines.replace(b'"ranks":[1,', b'"ranks":[3,', 1)):
        games.write_bytes(changed)
        assert main(words) == FOUND


def test_before_the_end_the_ledger_has_no_key_and_no_results_of_the_round(client: Client) -> None:
    cup = running()
    first = client.get(address(cup, "ledger.json"))
    text = first.getvalue().decode()
    assert '"key":null' in text and bytes(cup.key).hex() not in text
    assert rows_of(client, cup, "results.csv") == rows_of(client, cup, "standings.csv") == []
    play_round(cup)
    second = client.get(address(cup, "ledger.json"), headers={"If-None-Match": first["ETag"]})
    assert second.status_code == 200
    assert bytes(cup.key).hex() not in second.getvalue().decode()


def test_a_removed_reason_changes_the_download_and_no_hash(client: Client) -> None:
    cup = entered(new_cup("swiss"), house_bots())
    call_off(organizer_of(cup), cup, "An insult.")
    first = client.get(address(cup, "ledger.json"))
    before = json.loads(first.getvalue())["entries"][-1]
    assert before["reason"] == "An insult."
    signed = {"author": organizer_of(cup).pk, "reason_hash": reason_hash("An insult.", before["salt"])}
    assert before["document"] == signed
    remove_texts(cup, staff("eve"), [Intervention.Action.REMOVED_REASON], "It insults.", before["number"])
    again = client.get(address(cup, "ledger.json"), headers={"If-None-Match": first["ETag"]})
    assert json.loads(again.getvalue())["entries"][-1] == {**before, "reason": None, "salt": None}


def test_the_key_of_a_canceled_cup_is_in_its_ledger(client: Client) -> None:
    cup = entered(new_cup("swiss"), house_bots())
    call_off(organizer_of(cup), cup, "The room is closed.")
    assert bytes(cup.key).hex() in client.get(address(cup, "ledger.json")).getvalue().decode()


def test_results_have_a_row_for_each_seat_of_each_game(client: Client) -> None:
    cup = running()
    play_round(cup)
    rows = rows_of(client, cup, "results.csv")
    matches = Match.objects.filter(block__cup_table__round__cup=cup, block__cup_table__round__number=1)
    assert {int(row["match"]) for row in rows} == set(matches.values_list("pk", flat=True))
    assert len(rows) == 3 * matches.count()
    for row in rows[:6]:
        seat = matches.get(pk=row["match"]).seats.get(index=int(row["seat"]))
        assert seat.version.bot.slug == row["bot"]
        assert seat.result.rank == int(row["rank"])


def test_standings_have_a_row_for_each_entrant_in_their_order(client: Client) -> None:
    cup = played_out(entered(new_cup("swiss", rounds=2), house_bots()))
    rows = rows_of(client, cup, "standings.csv")
    assert [int(row["rank"]) for row in rows] == list(range(1, 8))
    winner = CupEntry.objects.get(cup=cup, rank=1)
    assert (rows[0]["bot"], rows[0]["number"]) == (winner.bot.slug, str((winner.number or 0) + 1))


def test_names_are_no_formulas_for_spreadsheets(client: Client) -> None:
    bots = house_bots()
    Bot.objects.filter(pk=bots[0].pk).update(name="=1+1")
    cup = due(entered(new_cup("swiss"), bots))
    play_round(cup)
    for name in ("standings.csv", "results.csv"):
        assert {row["name"] for row in rows_of(client, cup, name) if "1+1" in row["name"]} == {"'=1+1"}


def test_the_ledger_of_a_cup_on_a_private_ladder_is_hidden(client: Client) -> None:
    cup = running()
    cup.ladder.__class__.objects.filter(pk=cup.ladder_id).update(by_invitation=True, private=True)
    for name in ("ledger.json", "standings.csv", "results.csv"):
        assert client.get(address(cup, name)).status_code == 404
