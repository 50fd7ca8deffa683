"""How strong versions are by all games of a season, with intervals; written by ``ladder.estimates``."""

from __future__ import annotations

from array import array
from functools import cached_property

from django.db import models
from django.db.models import F, Q

from bots.models import BotVersion
from ladder.models.seasons import Season
from ladder.ratings.draws import told_apart, unpacked


class Estimation(models.Model):
    """A season's last run of estimates, and who is at work on the next one: ``lease`` until ``lease_until``.

    ``head`` is the hash of the ladder's last ledger entry that the run had seen; with another one there is something
    new. ``seconds`` is what the run took.
    """

    season = models.OneToOneField(Season, on_delete=models.CASCADE, related_name="estimation")
    head = models.CharField(max_length=64, blank=True)
    computed = models.DateTimeField(null=True, blank=True)
    seconds = models.FloatField(default=0)
    blocks = models.PositiveIntegerField(default=0)
    lease = models.UUIDField(null=True, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"estimation of {self.season}"


class Estimate(models.Model):
    """How strong a version is on the scale of ratings, and between what and what with 95 % certainty: 1/1000 point.

    The ranks, from best to worst possible, are among the versions that each bot played last; an older one has none.
    ``kept_draws`` are the replicates (``ladder.ratings.draws``); draws of one run belong together. All rows of a season
    are of one run, which replaced the one before in one transaction: a query never sees two.
    """

    season = models.ForeignKey(Season, on_delete=models.CASCADE, related_name="estimates")
    version = models.ForeignKey(BotVersion, on_delete=models.PROTECT, related_name="estimates")
    rating = models.IntegerField()
    low = models.IntegerField()
    high = models.IntegerField()
    rank_low = models.PositiveIntegerField(null=True, blank=True, help_text="lower end of the rank interval")
    rank_high = models.PositiveIntegerField(null=True, blank=True, help_text="upper end of the rank interval")
    blocks = models.PositiveIntegerField()
    games = models.PositiveIntegerField()
    kept_draws = models.BinaryField()
    computed = models.DateTimeField()

    class Meta:
        ordering = ["season", "-rating", "pk"]
        constraints = [
            models.UniqueConstraint(name="estimate_once_a_version", fields=["season", "version"]),
            models.CheckConstraint(
                name="estimate_is_inside_its_interval", condition=Q(low__lte=F("rating"), high__gte=F("rating"))
            ),
            models.CheckConstraint(
                name="estimate_has_both_ranks_or_none",
                condition=Q(rank_low=None, rank_high=None)
                | Q(rank_low__isnull=False, rank_high__isnull=False, rank_low__gte=1, rank_high__gte=F("rank_low")),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.version}: {self.rating / 1000:.0f} ({self.low / 1000:.0f} to {self.high / 1000:.0f})"

    @property
    def margin(self) -> int:
        """Half the width of the interval, in 1/1000 point."""
        return (self.high - self.low) // 2

    @cached_property
    def draws(self) -> array[int]:
        """The replicates, in 1/1000 point."""
        return unpacked(bytes(self.kept_draws))

    def told_apart_from(self, other: Estimate) -> bool:
        """Whether one of the two is surely stronger: 0 is outside the 95 % interval of their difference."""
        return told_apart(self.rating, self.draws, other.rating, other.draws)
