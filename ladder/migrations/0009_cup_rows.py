"""The rows of a cup contain all that its ledger proves: owners of entrants, designs, rulings and stopped rounds."""

from __future__ import annotations

from typing import Any

from django.db import migrations, models
from django.db.models import Q


def fill_rows(apps: Any, _editor: object) -> None:
    """Copy from the ledgers what only they contained."""
    ledger = apps.get_model("ladder", "CupLedgerEntry").objects
    cups, rounds = apps.get_model("ladder", "Cup").objects, apps.get_model("ladder", "CupRound").objects
    entries, tables = apps.get_model("ladder", "CupEntry").objects, apps.get_model("ladder", "CupTable").objects
    for cup, document in list(ledger.filter(kind="entrants").values_list("cup", "document")):
        cups.filter(pk=cup).update(design=document.get("design", []))
        for number, entrant in enumerate(document["entrants"]):
            entries.filter(cup=cup, number=number).update(owner_number=entrant["owner"])
    for cup, document in list(ledger.filter(kind="ruling").values_list("cup", "document")):
        tables.filter(round__cup=cup, round__number=document["round"], index=document["table"]).update(ruled=True)
    for cup in list(cups.filter(state="cancelled").values_list("pk", flat=True)):
        results = ledger.filter(cup=cup, kind="results").values_list("document", flat=True)
        rounds.filter(cup=cup).exclude(number__in=[document["round"] for document in results]).update(stopped=True)


class Migration(migrations.Migration):
    dependencies = [("ladder", "0008_cup_formats")]

    operations = [
        migrations.AddField("cup", "design", models.JSONField(blank=True, default=list)),
        migrations.AddField("cupentry", "owner_number", models.PositiveSmallIntegerField(blank=True, null=True)),
        migrations.AddField("cupround", "stopped", models.BooleanField(default=False)),
        migrations.AddField("cuptable", "ruled", models.BooleanField(default=False)),
        migrations.RunPython(fill_rows, migrations.RunPython.noop, elidable=True),
        migrations.AddConstraint(
            "cupentry",
            models.CheckConstraint(
                condition=Q(owner_number=None) | Q(number__isnull=False), name="cup_entry_owner_is_frozen_with_it"
            ),
        ),
        migrations.AddConstraint(
            "cuptable",
            models.CheckConstraint(condition=Q(ruled=False) | Q(decided=True), name="cup_table_ruled_is_decided"),
        ),
    ]
