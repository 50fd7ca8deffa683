from typing import Any

from django.conf import settings
from django.db import migrations, models


def fill(apps: Any, _schema_editor: Any) -> None:
    """Copy from the ledgers of cups who was a co-organizer and is none now."""
    ledger = apps.get_model("ladder", "CupLedgerEntry").objects.filter(kind="changed", document__added__isnull=False)
    users = apps.get_model(settings.AUTH_USER_MODEL).objects
    for entry in ledger.select_related("cup").iterator():
        added = entry.document["added"]
        if users.filter(pk=added).exists() and not entry.cup.co_organizers.filter(pk=added).exists():
            entry.cup.former_organizers.add(added)


class Migration(migrations.Migration):
    dependencies = [
        ("ladder", "0012_cup_pause_reason"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="cup",
            name="former_organizers",
            field=models.ManyToManyField(blank=True, related_name="cups_once_helped", to=settings.AUTH_USER_MODEL),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop, elidable=True),
    ]
