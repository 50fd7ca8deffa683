import json
import os
from hashlib import sha256
from typing import Any

from django.db import migrations

from ladder.packing import unpack

AT_ONCE = 500
PENDING = ("queued", "running")


def open_seasons(apps: Any, schema_editor: Any) -> None:
    """Give every ladder its first season, to which its ledger so far belongs, with keys for the deals to come."""
    alias = schema_editor.connection.alias
    ladders, seasons = (apps.get_model("ladder", name).objects.using(alias) for name in ("Ladder", "Season"))
    series = apps.get_model("ladder", "DealSeries").objects.using(alias)
    ledger = apps.get_model("ladder", "LedgerEntry").objects.using(alias)
    for ladder in ladders.order_by("pk"):
        season = seasons.create(ladder=ladder, number=1)
        for kind, name in (("ladder", ""), ("test", "test-"), ("live", "live-")):
            key = os.urandom(32)
            hashed = sha256(key).hexdigest()
            series.create(season=season, kind=kind, name=f"{name}{ladder.slug}", key=key, key_hash=hashed)
        ledger.filter(ladder=ladder).update(season=season)


def make_blocks(apps: Any, schema_editor: Any) -> None:
    """Make a block of one game of every match: each had a seed of its own."""
    alias = schema_editor.connection.alias
    matches, blocks = (apps.get_model("ladder", name).objects.using(alias) for name in ("Match", "Block"))
    while batch := list(matches.filter(block=None).order_by("pk")[:AT_ONCE]):
        for match in batch:
            match.block = blocks.create(
                ladder_id=match.ladder_id,
                purpose="early",
                seed=match.seed,
                commitment=match.commitment,
                ended=None if match.status in PENDING else match.ended,
            )
        matches.bulk_update(batch, ["block"])


def write_ledger(apps: Any, schema_editor: Any) -> None:
    """Give what the ledgers hold so far the documents and the chain of hashes that new entries have."""
    alias = schema_editor.connection.alias
    ladders = apps.get_model("ladder", "Ladder").objects.using(alias)
    ledger = apps.get_model("ladder", "LedgerEntry").objects.using(alias)
    for ladder in ladders.order_by("pk"):
        entries = ledger.filter(ladder=ladder).select_related("result").order_by("number")
        last = 0
        while batch := list(entries.filter(number__gt=last)[:AT_ONCE]):
            last = batch[-1].number
            seats = seats_by_result(apps, alias, batch)
            for entry in batch:
                entry.document = document_of(entry.result, seats[entry.result_id])
                entry.created = entry.result.created
                entry.hash = ladder.ledger_head = chained(ladder, entry)
            ledger.bulk_update(batch, ["document", "hash", "created"])
        ladder.save(update_fields=["ledger_head"])


def seats_by_result(apps: Any, alias: str, entries: list[Any]) -> dict[int, list[Any]]:
    rows = apps.get_model("ladder", "SeatResult").objects.using(alias)
    found: dict[int, list[Any]] = {entry.result_id: [] for entry in entries}
    for row in rows.filter(result__in=found).select_related("seat__version").order_by("seat__index"):
        found[row.result_id].append(row)
    return found


def document_of(result: Any, seats: list[Any]) -> dict[str, Any]:
    return {
        "match": result.match_id,
        "block": None,
        "seating": 0,
        "entries": [one.seat.entry_id for one in seats],
        "versions": [one.seat.version.digest for one in seats],
        "ranks": [one.rank for one in seats],
        "forfeits": {str(one.seat.index): one.forfeit for one in seats if one.forfeit},
        "record": sha256(canonical(unpack(bytes(result.packed_record)))).hexdigest(),
    }


def chained(ladder: Any, entry: Any) -> str:
    previous = {"number": entry.number, "kind": "result", "document": entry.document, "previous": ladder.ledger_head}
    return sha256(canonical({"ladder": ladder.slug, **previous})).hexdigest()


def canonical(document: Any) -> bytes:
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


class Migration(migrations.Migration):
    dependencies = [("ladder", "0003_seasons")]

    operations = [
        migrations.RunPython(open_seasons, migrations.RunPython.noop),
        migrations.RunPython(make_blocks, migrations.RunPython.noop),
        migrations.RunPython(write_ledger, migrations.RunPython.noop),
    ]
