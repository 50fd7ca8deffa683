"""What the finished blocks of a season add up to. All of it can be gathered again from the results."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from bots.models import BotVersion
from ladder.models.ladders import Membership
from ladder.models.seasons import Season


class SeasonStatistics(models.Model):
    """How far a season's statistics are, and what was last measured over its blocks.

    ``corrections`` is how many ledger entries of the season took something back when its tallies were begun: one more
    and they are begun anew (``ladder.season_statistics``). ``document`` is for everybody, ``collusion`` for staff
    alone; both are empty until ``measured`` (``ladder.season_statistics``). ``habits`` are how everybody plays, with
    the tallies: sums over blocks as in :class:`VersionTally`, all players of a block together.
    """

    season = models.OneToOneField(Season, on_delete=models.PROTECT, related_name="statistics")
    corrections = models.PositiveIntegerField(default=0)
    blocks = models.PositiveBigIntegerField(default=0, help_text="number of blocks in the tallies")
    habits = models.JSONField(default=dict)
    measured = models.DateTimeField(null=True, blank=True)
    measured_blocks = models.PositiveBigIntegerField(default=0, help_text="number of blocks at that time")
    document = models.JSONField(default=dict)
    collusion = models.JSONField(default=dict)

    class Meta:
        ordering = ["season"]
        verbose_name_plural = "season statistics"

    def __str__(self) -> str:
        return f"statistics of {self.season}"


class SeatTally(models.Model):
    """What a version has reached at one seat in a season's finished blocks.

    ``win_shares`` are in 1/60 of a win, ``points`` in halves: two for an opponent it ranked before, one for a shared
    rank. ``figures`` are the game's own, added up: a number a stretch by key (``games.statistics.Statistics.figures``).
    """

    season = models.ForeignKey(Season, on_delete=models.CASCADE, related_name="seat_tallies")
    membership = models.ForeignKey(Membership, on_delete=models.PROTECT, related_name="seat_tallies")
    version = models.ForeignKey(BotVersion, on_delete=models.PROTECT, related_name="seat_tallies")
    seat = models.PositiveSmallIntegerField(help_text="from 0")
    games = models.PositiveIntegerField(default=0)
    win_shares = models.PositiveBigIntegerField(default=0)
    points = models.PositiveBigIntegerField(default=0)
    forfeits = models.PositiveIntegerField(default=0)
    figures = models.JSONField(default=dict)

    class Meta:
        ordering = ["season", "membership", "version", "seat"]
        constraints = [
            models.UniqueConstraint(
                name="seat_tally_once_a_version_and_seat", fields=["season", "membership", "version", "seat"]
            )
        ]

    def __str__(self) -> str:
        return f"{self.membership}, version {self.version_id} at seat {self.seat}"


class VersionTally(models.Model):
    """How a version has played in a season's finished blocks.

    ``habits`` are the game's own (``games.statistics.Statistics.habits``): six sums over blocks by key, as
    ``ladder.statistics.habits.HabitSums`` has them. ``points`` are in halves, and ``squares`` the sum
    over blocks of the square of a block's; ``seats`` has by its own seat the games and the same two of that seat.
    """

    season = models.ForeignKey(Season, on_delete=models.CASCADE, related_name="version_tallies")
    membership = models.ForeignKey(Membership, on_delete=models.PROTECT, related_name="version_tallies")
    version = models.ForeignKey(BotVersion, on_delete=models.PROTECT, related_name="version_tallies")
    blocks = models.PositiveIntegerField(default=0)
    games = models.PositiveIntegerField(default=0)
    points = models.PositiveBigIntegerField(default=0)
    squares = models.PositiveBigIntegerField(default=0)
    habits = models.JSONField(default=dict)
    seats = models.JSONField(default=list)

    class Meta:
        ordering = ["season", "membership", "version"]
        constraints = [
            models.UniqueConstraint(name="version_tally_once_a_version", fields=["season", "membership", "version"])
        ]

    def __str__(self) -> str:
        return f"{self.membership}, version {self.version_id}"


class PairTally(models.Model):
    """What a membership has reached against another one in a season's finished blocks.

    ``points`` are in halves as in :class:`SeatTally`. ``share_sum`` and ``share_squares`` are sums over blocks of the
    share of a block's points, 0 to 1, and of its square, for intervals: games of one block share their deal.
    ``bought`` are barters won from the other for ``paid`` gems, or what the game pays with; ``sold`` and ``received``
    the other way round. ``seats`` are as in :class:`VersionTally`, against this opponent alone.
    """

    season = models.ForeignKey(Season, on_delete=models.CASCADE, related_name="pair_tallies")
    membership = models.ForeignKey(Membership, on_delete=models.PROTECT, related_name="pair_tallies")
    opponent = models.ForeignKey(Membership, on_delete=models.PROTECT, related_name="+")
    games = models.PositiveIntegerField(default=0)
    points = models.PositiveBigIntegerField(default=0)
    blocks = models.PositiveIntegerField(default=0)
    share_sum = models.FloatField(default=0)
    share_squares = models.FloatField(default=0)
    bought = models.PositiveBigIntegerField(default=0)
    paid = models.PositiveBigIntegerField(default=0)
    sold = models.PositiveBigIntegerField(default=0)
    received = models.PositiveBigIntegerField(default=0)
    seats = models.JSONField(default=list)

    class Meta:
        ordering = ["season", "membership", "opponent"]
        constraints = [
            models.UniqueConstraint(name="pair_tally_once_a_pair", fields=["season", "membership", "opponent"]),
            models.CheckConstraint(name="pair_tally_is_of_two", condition=~Q(membership=models.F("opponent"))),
        ]

    def __str__(self) -> str:
        return f"{self.membership} against {self.opponent}"
