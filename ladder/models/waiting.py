"""What pairing remembers of a membership beside its ratings."""

from __future__ import annotations

from django.db import models

from bots.models import BotVersion
from ladder.models.ladders import Membership


class LastSeat(models.Model):
    """When a membership was last given a seat in a rated block, and how many games its version was given since it came.

    ``since`` is the id of that block; of a membership that has had no seat, the last one there was when it came, or
    when its turn at a live table had passed in vain. On hosted ladders the scheduler alone writes it, while it holds
    the ladder's row; on live ones ``ladder.matchmaking.remote_bots`` does, and counts no games. It is no part of the
    accounts.
    """

    membership = models.OneToOneField(Membership, on_delete=models.CASCADE, primary_key=True, related_name="last_seat")
    since = models.PositiveBigIntegerField()
    version = models.ForeignKey(BotVersion, on_delete=models.PROTECT, null=True, related_name="+")
    version_games = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["membership"]

    def __str__(self) -> str:
        return f"last seat of {self.membership}"

    def games_of(self, version: BotVersion) -> int:
        """How many games ``version`` has been given, if it is the one that was seated last."""
        return self.version_games if self.version_id == version.pk else 0
