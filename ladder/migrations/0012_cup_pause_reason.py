from typing import Any

from django.db import migrations, models


def fill_reasons(apps: Any, _schema_editor: Any) -> None:
    """Copy the reasons of cups that are paused from their ledgers."""
    paused = apps.get_model("ladder", "Cup").objects.filter(paused=True, state__in=["registration", "ready", "running"])
    for cup in list(paused):
        entry = cup.ledger.filter(kind="paused").order_by("-number").first()
        if entry is not None and entry.reason:
            cup.reason = entry.reason
            cup.save(update_fields=["reason"])


class Migration(migrations.Migration):
    dependencies = [
        ("ladder", "0011_win_shares"),
    ]

    operations = [
        migrations.AlterField(
            model_name="cup",
            name="reason",
            field=models.CharField(blank=True, help_text="why it was canceled, or is paused", max_length=500),
        ),
        migrations.RunPython(fill_reasons, migrations.RunPython.noop, elidable=True),
    ]
