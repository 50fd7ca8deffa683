from typing import Any

import django.db.models.deletion
from django.db import migrations, models

AT_ONCE = 500


def forget_stderr(apps: Any, schema_editor: Any) -> None:
    """Take what bots wrote to stderr out of the reports: it is in seats' logs now. So far only the house has played."""
    results = apps.get_model("ladder", "Result").objects.using(schema_editor.connection.alias)
    last = 0
    while batch := list(results.filter(pk__gt=last).order_by("pk").only("pk", "report")[:AT_ONCE]):
        for result in batch:
            for seat in result.report.get("seats", ()):
                seat.pop("stderr_tail", None)
        results.bulk_update(batch, ["report"])
        last = batch[-1].pk


class Migration(migrations.Migration):
    dependencies = [
        ("bots", "0002_uploads"),
        ("ladder", "0001_initial"),
    ]

    operations = [
        migrations.RunPython(forget_stderr, migrations.RunPython.noop),  # first: what follows locks tables
        migrations.CreateModel(
            name="SeatLog",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("packed", models.BinaryField()),
                ("created", models.DateTimeField(auto_now_add=True, db_index=True)),
                (
                    "seat",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT, related_name="log", to="ladder.seat"
                    ),
                ),
            ],
            options={
                "ordering": ["seat"],
            },
        ),
        migrations.AddField(
            model_name="entry",
            name="declined",
            field=models.BooleanField(default=False, help_text="whether its owner wants no matches here"),
        ),
        migrations.AddConstraint(
            model_name="entry",
            constraint=models.CheckConstraint(
                condition=models.Q(("active", True), ("declined", True), _negated=True),
                name="entry_declined_is_not_active",
            ),
        ),
    ]
