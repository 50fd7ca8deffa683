"""Number the changes of a live table, so that a stream notices that it has missed one."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("ladder", "0013_former_organizers")]

    operations = [
        migrations.AddField("table", "revision", models.PositiveIntegerField(default=0)),
    ]
