import django.db.models.deletion
from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def gather_anew(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:  # noqa: ARG001
    """Empty the tallies: what is new in them is in no row, and the job that gathers blocks adds all of them again."""
    for name in ("SeatTally", "PairTally"):
        apps.get_model("ladder", name).objects.all().delete()
    apps.get_model("ladder", "Block").objects.filter(gathered=True).update(gathered=False)
    apps.get_model("ladder", "SeasonStatistics").objects.update(blocks=0, measured_blocks=0)


class Migration(migrations.Migration):
    dependencies = [
        ("bots", "0002_uploads"),
        ("ladder", "0006_trust"),
    ]

    operations = [
        migrations.AddField(
            model_name="pairtally",
            name="seats",
            field=models.JSONField(default=list),
        ),
        migrations.AddField(
            model_name="seasonstatistics",
            name="habits",
            field=models.JSONField(default=dict),
        ),
        migrations.CreateModel(
            name="VersionTally",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("blocks", models.PositiveIntegerField(default=0)),
                ("games", models.PositiveIntegerField(default=0)),
                ("points", models.PositiveBigIntegerField(default=0)),
                ("squares", models.PositiveBigIntegerField(default=0)),
                ("habits", models.JSONField(default=dict)),
                ("seats", models.JSONField(default=list)),
                (
                    "entry",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="version_tallies", to="ladder.entry"
                    ),
                ),
                (
                    "season",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="version_tallies", to="ladder.season"
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="version_tallies",
                        to="bots.botversion",
                    ),
                ),
            ],
            options={
                "ordering": ["season", "entry", "version"],
                "constraints": [
                    models.UniqueConstraint(fields=("season", "entry", "version"), name="version_tally_once_a_version")
                ],
            },
        ),
        migrations.RunPython(gather_anew, migrations.RunPython.noop),
    ]
