"""Let a house bot play several seats of a casual game."""

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("ladder", "0015_log_lengths")]

    operations = [
        migrations.AddField("proposalplayer", "copy", models.PositiveSmallIntegerField(default=0, db_default=0)),
        migrations.RemoveConstraint("proposalplayer", "proposal_player_once"),
        migrations.AddConstraint(
            "proposalplayer",
            models.UniqueConstraint(fields=("proposal", "bot", "guest", "copy"), name="proposal_player_once"),
        ),
        migrations.AddConstraint(
            "proposalplayer",
            models.CheckConstraint(condition=Q(guest="") | Q(copy=0), name="proposal_player_guest_plays_once"),
        ),
    ]
