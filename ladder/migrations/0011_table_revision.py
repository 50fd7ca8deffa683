"""Number the changes of a live table, so that a stream notices that it has missed one."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("ladder", "0010_live_seat_lease")]

    operations = [
        migrations.AddField("table", "revision", models.PositiveIntegerField(default=0)),
    ]
