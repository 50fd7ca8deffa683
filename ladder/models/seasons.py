"""Seasons of a ladder, and the keys from which their deals come."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Length
from django.db.models.lookups import Exact

from ladder.models.ladders import Ladder, Membership
from ladder.ratings.shares import win_rate


class SeasonQuerySet(models.QuerySet["Season"]):
    def latest_of(self, ladder: Any) -> SeasonQuerySet:
        """The latest season of the ladder with this id (or ``OuterRef``), as a query with at most one row."""
        return self.filter(ladder__pk=ladder).order_by("-number")[:1]


class Season(models.Model):
    """A stretch of a ladder's life with ratings and deals of its own; at most one of a ladder is not closed.

    Once it is ``closing``, nothing new is scheduled in it. It is ``closed``, and its table frozen, as soon as the last
    of its rated matches has ended. ``next_num / next_den`` is what the next one keeps of the ratings' distance from the
    start; without it, none is opened by itself. ``closes_at`` is when it begins to close by itself, if staff have said.
    """

    ladder = models.ForeignKey(Ladder, on_delete=models.PROTECT, related_name="seasons")
    number = models.PositiveIntegerField(help_text="from 1, without gaps")
    opened = models.DateTimeField(auto_now_add=True)
    closes_at = models.DateTimeField(null=True, blank=True)
    closed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="+",
        help_text="site admin who closed the season or set its end",
    )
    closing = models.DateTimeField(null=True, blank=True)
    closed = models.DateTimeField(null=True, blank=True)
    next_num = models.PositiveSmallIntegerField(null=True, blank=True)
    next_den = models.PositiveSmallIntegerField(null=True, blank=True)

    objects = SeasonQuerySet.as_manager()

    class Meta:
        ordering = ["ladder", "number"]
        constraints = [
            models.UniqueConstraint(name="season_number_once_a_ladder", fields=["ladder", "number"]),
            models.UniqueConstraint(name="season_one_open_a_ladder", fields=["ladder"], condition=Q(closed=None)),
            models.CheckConstraint(name="season_counts_from_one", condition=Q(number__gte=1)),
            models.CheckConstraint(
                name="season_closes_before_it_is_closed", condition=Q(closed=None) | ~Q(closing=None)
            ),
            models.CheckConstraint(
                name="season_keeps_a_fraction",
                condition=Q(next_num=None, next_den=None)
                | Q(next_num__isnull=False, next_den__isnull=False, next_den__gte=1, next_num__lte=F("next_den")),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.ladder}, season {self.number}"


class DealSeries(models.Model):
    """The deals of a season for one purpose: each is made from the key and its number, so that nobody chooses one.

    ``key_hash``, the SHA-256 of the key, is public from the start; the key itself once ``published`` is set. Ask
    ``public_key``.
    """

    class Kind(models.TextChoices):
        LADDER = "ladder", "rated blocks"
        TEST = "test", "exhibition matches"
        LIVE = "live", "live games"

    season = models.ForeignKey(Season, on_delete=models.PROTECT, related_name="series")
    kind = models.CharField(max_length=10, choices=Kind)
    name = models.CharField(max_length=70, help_text="hashed name: the ladder's slug, test-<slug> or live-<slug>")
    key = models.BinaryField(max_length=32)
    key_hash = models.CharField(max_length=64)
    next_number = models.PositiveBigIntegerField(default=1, editable=False)
    published = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["season", "kind"]
        verbose_name_plural = "deal series"
        constraints = [
            models.UniqueConstraint(name="deal_series_one_of_a_kind", fields=["season", "kind"]),
            models.CheckConstraint(name="deal_series_kind_is_known", condition=Q(kind__in=["ladder", "test", "live"])),
            models.CheckConstraint(name="deal_series_key_has_32_bytes", condition=Exact(Length("key"), 32)),
            models.CheckConstraint(name="deal_series_key_hash_is_sha256", condition=Exact(Length("key_hash"), 64)),
            models.CheckConstraint(name="deal_series_counts_from_one", condition=Q(next_number__gte=1)),
        ]

    def __str__(self) -> str:
        return f"{self.name}/{self.season.number}"

    @property
    def deals(self) -> int:
        """The number of its deals so far."""
        return self.next_number - 1

    @property
    def public_key(self) -> str | None:
        """The key in hex once it is published, ``None`` before."""
        return bytes(self.key).hex() if self.published else None


class FinalStandingQuerySet(models.QuerySet["FinalStanding"]):
    def winners(self) -> FinalStandingQuerySet:
        """The rows with rank 1, in one order everywhere."""
        return self.filter(rank=1).order_by("membership")


class FinalStanding(models.Model):
    """A row of a closed season's table, as it was then. Later corrections do not touch it."""

    season = models.ForeignKey(Season, on_delete=models.PROTECT, related_name="final_standings")
    membership = models.ForeignKey(Membership, on_delete=models.PROTECT, related_name="final_standings")
    rank = models.PositiveIntegerField(help_text="competition rank by rating")
    rating = models.BigIntegerField(help_text="in 1/1000 point")
    games = models.PositiveIntegerField()
    win_shares = models.PositiveBigIntegerField(help_text="in 1/60 of a win")

    objects = FinalStandingQuerySet.as_manager()

    class Meta:
        ordering = ["season", "rank", "membership"]
        constraints = [
            models.UniqueConstraint(name="final_standing_once_a_membership", fields=["season", "membership"])
        ]

    def __str__(self) -> str:
        return f"{self.membership}: rank {self.rank} of {self.season}"

    @property
    def win_rate(self) -> float | None:
        """Wins per game, 0 to 1; a win that k players share counts 1/k for each; ``None`` without a game."""
        return win_rate(self.win_shares, self.games)
