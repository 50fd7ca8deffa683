from __future__ import annotations

import gzip
import json
import re
import zlib
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from django.core.management import CommandError, call_command
from django.db.models import F

from bots.models import Bot
from games.record import to_json, verify
from ladder.exports import json_lines, tables
from ladder.exports.json_lines import game_pieces, is_in_file
from ladder.models import Block, Ladder, LedgerEntry, Match, Membership, Seat, SeatResult
from ladder.packing import pack, unpack
from tests.build import finished_matches, person, uploaded

pytestmark = pytest.mark.django_db

SAMPLES = sorted((Path(__file__).parents[2] / "games" / "records").glob("*.jsonl"))
GUIDE = Path(__file__).parents[3] / "docs" / "guides" / "download-data.md"
RECORDS = [json.loads(line) for sample in SAMPLES for line in sample.read_text().splitlines()]


@pytest.mark.parametrize("record", RECORDS)
def test_a_packed_record_is_unpacked_unchanged(record: dict) -> None:
    packed = pack(record)
    assert unpack(packed) == record
    assert len(packed) < len(json.dumps(record)) / 5
    verify(unpack(packed))


@pytest.mark.parametrize("record", RECORDS[::20])
def test_a_record_stored_as_deflated_json_is_still_readable(record: dict) -> None:
    assert unpack(b"\x01" + zlib.compress(to_json(record).encode(), 9)) == record


def test_a_damaged_record_is_an_error() -> None:
    packed = bytearray(pack(RECORDS[0]))
    packed[-3] ^= 4
    with pytest.raises(ValueError, match="damaged"):
        unpack(bytes(packed))


def test_an_unknown_stored_form_is_named() -> None:
    with pytest.raises(ValueError, match="form '7f'"):
        unpack(b"\x7f...")


@pytest.fixture
def settled(played: Ladder) -> Ladder:
    """The ladder on which everything was played, ten minutes later."""
    Block.objects.filter(ladder=played).update(ended=F("ended") - timedelta(minutes=10))
    return played


def read(ladder: Ladder, after: int | None = None, most: int = 10_000, asked: list[bool] | None = None) -> list[Any]:
    packed = b"".join(game_pieces(ladder, after, most, lambda: asked is None or asked.pop(0)))
    return [json.loads(line) for line in gzip.decompress(packed).splitlines()]


def test_every_public_game_appears_once_with_a_valid_record(settled: Ladder) -> None:
    Block.objects.filter(pk=Block.objects.order_by("pk")[0].pk).update(ended=None)
    lines = read(settled)
    opened = Match.objects.filter(ladder=settled, status="finished", block__ended__isnull=False)
    assert sorted(line["match"] for line in lines) == sorted(opened.values_list("pk", flat=True))
    for line in lines:
        verify(line["record"])
        assert [player["rank"] for player in line["players"]] == line["record"]["outcome"]["ranks"]
        assert line["ledger"]["result"] >= 1
        assert line["ledger"]["void"] is None


def test_a_line_has_the_forfeit_of_a_seat_and_its_time(settled: Ladder) -> None:
    SeatResult.objects.filter(result__match__ladder=settled, seat__index=0).update(forfeit="exit", forfeit_at=12)
    for line in read(settled):
        first, *others = line["players"]
        assert (first["forfeit"], first["forfeit_at"]) == ("exit", 12)
        assert {(player["forfeit"], player["forfeit_at"]) for player in others} == {("", None)}


def test_a_deal_is_included_only_when_no_earlier_one_can_follow(played: Ladder) -> None:
    assert read(played) == []


def test_resuming_after_any_line_returns_exactly_the_rest(settled: Ladder) -> None:
    lines = read(settled)
    for number, line in enumerate(lines):
        assert read(settled, line["match"]) == lines[number + 1 :]


def test_deals_that_open_later_are_appended(settled: Ladder) -> None:
    late = Block.objects.order_by("pk")[0]
    Block.objects.filter(pk=late.pk).update(ended=None)
    first = read(settled)
    Block.objects.filter(pk=late.pk).update(ended=Block.objects.exclude(ended=None).latest("ended").ended)
    Block.objects.filter(pk=late.pk).update(ended=F("ended") + timedelta(milliseconds=1))
    rest = read(settled, first[-1]["match"])
    assert {line["match"] for line in rest} == set(late.matches.values_list("pk", flat=True))
    assert first + rest == read(settled)


def test_a_file_that_ends_early_is_complete(settled: Ladder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_lines, "GAMES_AT_ONCE", 2)
    everything = read(settled)
    assert read(settled, asked=[True, False]) == everything[:4]
    assert read(settled, most=3) == everything[:3]
    assert len(everything) > 4


def test_a_match_that_is_not_in_the_file_is_recognized(settled: Ladder) -> None:
    lines = read(settled)
    assert is_in_file(settled, lines[0]["match"])
    Block.objects.update(ended=None)
    assert not is_in_file(settled, lines[0]["match"])
    assert not is_in_file(settled, 0)


def exported(folder: Path, *words: str) -> dict[str, list[dict[str, Any]]]:
    call_command("export_results", str(folder), *words, stdout=StringIO())
    return {path.stem: pq.read_table(path).to_pylist() for path in folder.glob("*.parquet")}


def test_every_result_is_exported_with_seats_and_rating_changes(played: Ladder, tmp_path: Path) -> None:
    tables = exported(tmp_path)
    matches = {match.pk for match in finished_matches(played)}
    assert {row["match"] for row in tables["matches"]} == matches
    assert {row["status"] for row in tables["matches"]} == {"finished"}
    seats = Seat.objects.filter(match__in=matches).select_related("version__bot", "result").order_by("pk")
    for row, seat in zip(tables["seats"], seats, strict=True):
        assert (row["bot"], row["seat"], row["rank"]) == (seat.version.bot.slug, seat.index, seat.result.rank)
        assert json.loads(row["score"]) == seat.result.score
        assert (row["forfeit"], row["forfeit_at"]) == (seat.result.forfeit, seat.result.forfeit_at)
        assert row["rating_after"] == pytest.approx((seat.result.rating_after or 0) / 1000)
    last = {row["bot"]: row["rating_after"] for row in tables["seats"]}
    assert last == {
        membership.bot.slug: membership.points for membership in Membership.objects.filter(ladder=played, games__gt=0)
    }
    assert len(tables["ledger"]) == LedgerEntry.objects.count()


def test_a_closed_deal_is_not_exported(played: Ladder, tmp_path: Path) -> None:
    closed = Block.objects.order_by("pk")[0]
    Block.objects.filter(pk=closed.pk).update(ended=None)
    tables = exported(tmp_path)
    assert closed.pk not in {row["deal"] for row in tables["deals"]}
    assert closed.pk not in {row["deal"] for row in tables["matches"]}
    inside = set(Match.objects.filter(block=closed).values_list("pk", flat=True))
    assert not inside & {row["match"] for row in tables["seats"]}
    assert bytes(closed.seed).hex() not in str(tables)
    assert {row["seed"] for row in tables["deals"]} == {
        bytes(block.seed).hex() for block in Block.objects.exclude(ended=None)
    }


def test_private_ladders_are_exported_only_on_request(played: Ladder, tmp_path: Path) -> None:
    Ladder.objects.filter(pk=played.pk).update(private=True, by_invitation=True)
    tables = exported(tmp_path / "public")
    assert f"'{played.slug}'" not in str(
        {name: tables[name] for name in ("ladders", "seasons", "deals", "matches", "ledger")}
    )
    assert tables["seats"] == []
    assert exported(tmp_path / "all", "--private")["seats"]


def test_unvalidated_bots_and_deleted_accounts_are_not_exported(played: Ladder, tmp_path: Path) -> None:
    gone = uploaded(person("ada"), "Magpie")
    Bot.objects.create(owner=person("bob"), name="Secret", slug="secret")
    owner: Any = gone.owner
    type(owner).objects.filter(pk=owner.pk).update(
        deleted=gone.created, is_active=False, is_staff=False, is_superuser=False, email=""
    )
    bots = {row["bot"]: row for row in exported(tmp_path)["bots"]}
    assert "secret" not in bots
    assert (bots[gone.slug]["owner"], bots[gone.slug]["house"]) == (None, False)


def test_batches_contain_every_row(played: Ladder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = exported(tmp_path / "whole")
    monkeypatch.setattr(tables, "ROWS_PER_GROUP", 4)
    assert exported(tmp_path / "parts") == whole


def test_column_descriptions_are_in_tables_json_and_in_the_files(played: Ladder, tmp_path: Path) -> None:
    tables = exported(tmp_path)
    described = json.loads((tmp_path / "tables.json").read_text())
    assert described["format"] == "results/1"
    for name, rows in tables.items():
        table, schema = described["tables"][name], pq.read_schema(tmp_path / f"{name}.parquet")
        assert table["rows"] == len(rows)
        assert list(table["columns"]) == schema.names
        for field in schema:
            column = table["columns"][field.name]
            assert field.metadata[b"description"].decode() == column["meaning"]
            assert column["null"] or all(row[field.name] is not None for row in rows)


def test_an_empty_site_has_empty_tables(db: None, tmp_path: Path) -> None:
    assert all(rows == [] for rows in exported(tmp_path).values())


def test_an_unwritable_folder_is_an_error(db: None, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CommandError, match=str(tmp_path / "file")):
        exported(tmp_path / "file")


def test_the_programs_of_the_guide_read_the_files_of_a_ladder(
    settled: Ladder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = gzip.decompress(b"".join(game_pieces(settled, None, 10_000, lambda: True)))
    (tmp_path / f"{settled.slug}.jsonl").write_bytes(lines)
    tables.export(tmp_path / "results")
    for program in re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), flags=re.DOTALL):
        exec(program.replace("edel-stein-reich-4", settled.slug), {})
    of_lines, of_tables = capsys.readouterr().out.splitlines()
    assert of_lines.startswith("{0: '")
    assert of_tables.startswith("{'seat': [0, 1")
