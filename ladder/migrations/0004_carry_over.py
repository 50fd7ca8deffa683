import os
from hashlib import sha256
from typing import Any

from django.db import migrations

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


class Migration(migrations.Migration):
    dependencies = [("ladder", "0003_seasons")]

    operations = [
        migrations.RunPython(open_seasons, migrations.RunPython.noop),
        migrations.RunPython(make_blocks, migrations.RunPython.noop),
    ]
