import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("bots", "0002_uploads"),
        ("ladder", "0008_estimates"),
    ]

    operations = [
        migrations.CreateModel(
            name="LastSeat",
            fields=[
                (
                    "entry",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="last_seat",
                        serialize=False,
                        to="ladder.entry",
                    ),
                ),
                ("since", models.PositiveBigIntegerField()),
                ("version_games", models.PositiveIntegerField(default=0)),
                (
                    "version",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="bots.botversion",
                    ),
                ),
            ],
            options={"ordering": ["entry"]},
        ),
    ]
