"""Store how long the log of a seat was at its decisions, so that it is not replayed to find out."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("ladder", "0014_table_revision")]

    operations = [
        migrations.AddField(
            "liveseat",
            "log_asked",
            models.PositiveIntegerField(default=0, db_default=0, help_text="length of the log at the last decision"),
        ),
        migrations.AddField(
            "liveseat",
            "log_before",
            models.PositiveIntegerField(
                default=0, db_default=0, help_text="length of the log at the decision before it"
            ),
        ),
    ]
