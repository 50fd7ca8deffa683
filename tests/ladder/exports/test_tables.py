from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from django.core.management import CommandError, call_command

from bots.models import Bot
from ladder.exports import tables
from ladder.models import Block, Entry, Ladder, LedgerEntry, Match, Seat
from tests.build import finished_matches, person, uploaded

pytestmark = pytest.mark.django_db


def exported(folder: Path, *words: str) -> dict[str, list[dict[str, Any]]]:
    call_command("export_results", str(folder), *words, stdout=StringIO())
    return {path.stem: pq.read_table(path).to_pylist() for path in folder.glob("*.parquet")}


def test_every_result_is_there_with_who_sat_where_and_what_it_did_to_ratings(played: Ladder, tmp_path: Path) -> None:
    found = exported(tmp_path)
    matches = {match.pk for match in finished_matches(played)}
    assert {row["match"] for row in found["matches"]} == matches
    assert {row["status"] for row in found["matches"]} == {"finished"}
    seats = Seat.objects.filter(match__in=matches).select_related("version__bot", "result").order_by("pk")
    for row, seat in zip(found["seats"], seats, strict=True):
        assert (row["bot"], row["seat"], row["rank"]) == (seat.version.bot.slug, seat.index, seat.result.rank)
        assert json.loads(row["score"]) == seat.result.score
        assert row["rating_after"] == pytest.approx((seat.result.rating_after or 0) / 1000)
    last = {row["bot"]: row["rating_after"] for row in found["seats"]}
    assert last == {entry.bot.slug: entry.points for entry in Entry.objects.filter(ladder=played, games__gt=0)}
    assert len(found["ledger"]) == LedgerEntry.objects.count()


def test_a_deal_that_is_closed_is_not_in_it(played: Ladder, tmp_path: Path) -> None:
    closed = Block.objects.order_by("pk")[0]
    Block.objects.filter(pk=closed.pk).update(ended=None)
    found = exported(tmp_path)
    assert closed.pk not in {row["deal"] for row in found["deals"]}
    assert closed.pk not in {row["deal"] for row in found["matches"]}
    inside = set(Match.objects.filter(block=closed).values_list("pk", flat=True))
    assert not inside & {row["match"] for row in found["seats"]}
    assert bytes(closed.seed).hex() not in str(found)
    assert {row["seed"] for row in found["deals"]} == {
        bytes(block.seed).hex() for block in Block.objects.exclude(ended=None)
    }


def test_private_ladders_are_in_it_only_where_that_is_asked_for(played: Ladder, tmp_path: Path) -> None:
    Ladder.objects.filter(pk=played.pk).update(private=True, by_invitation=True)
    found = exported(tmp_path / "public")
    assert f"'{played.slug}'" not in str(
        {name: found[name] for name in ("ladders", "seasons", "deals", "matches", "ledger")}
    )
    assert found["seats"] == []
    assert exported(tmp_path / "all", "--private")["seats"]


def test_nobody_learns_of_bots_that_were_never_ready_or_of_people_who_have_left(played: Ladder, tmp_path: Path) -> None:
    gone = uploaded(person("ada"), "Magpie")
    Bot.objects.create(owner=person("bob"), name="Secret", slug="secret")
    owner: Any = gone.owner
    type(owner).objects.filter(pk=owner.pk).update(
        deleted=gone.created, is_active=False, is_staff=False, is_superuser=False, email=""
    )
    bots = {row["bot"]: row for row in exported(tmp_path)["bots"]}
    assert "secret" not in bots
    assert (bots[gone.slug]["owner"], bots[gone.slug]["house"]) == (None, False)


def test_rows_come_in_parts_and_none_is_lost(played: Ladder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = exported(tmp_path / "whole")
    monkeypatch.setattr(tables, "AT_ONCE", 4)
    assert exported(tmp_path / "parts") == whole


def test_what_the_columns_mean_lies_beside_them_and_in_them(played: Ladder, tmp_path: Path) -> None:
    found = exported(tmp_path)
    described = json.loads((tmp_path / "tables.json").read_text())
    assert described["format"] == "results/1"
    for name, rows in found.items():
        table, schema = described["tables"][name], pq.read_schema(tmp_path / f"{name}.parquet")
        assert table["rows"] == len(rows)
        assert list(table["columns"]) == schema.names
        for field in schema:
            told = table["columns"][field.name]
            assert field.metadata[b"description"].decode() == told["meaning"]
            assert told["null"] or all(row[field.name] is not None for row in rows)


def test_an_empty_site_has_empty_tables(db: None, tmp_path: Path) -> None:
    assert all(rows == [] for rows in exported(tmp_path).values())


def test_a_folder_that_cannot_be_written_is_said(db: None, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CommandError, match="cannot be written"):
        exported(tmp_path / "file")
