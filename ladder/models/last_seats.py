"""Pairing data of memberships: their last seats."""

from __future__ import annotations

from django.db import models

from bots.models import BotVersion
from ladder.models.ladders import Membership


class LastSeat(models.Model):
    """The last rated block in which a membership got a seat, and the number of games that its version has got.

    ``since`` is the id of that block. For a membership without a seat so far, it is the last block that existed when it
    joined, or when its turn in a live game passed without a game. On hosted ladders only the scheduler writes it, with
    the ladder's row locked; on live ladders ``ladder.matchmaking.remote_bots`` writes it without counting games.
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
        """The number of games that ``version`` has got, if it is the one that was seated last."""
        return self.version_games if self.version_id == version.pk else 0
