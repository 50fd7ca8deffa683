"""A block: one deal, played in all seatings."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.db.models.functions import Length
from django.db.models.lookups import Exact

from ladder.models.cups import CupTable
from ladder.models.exhibitions import Exhibition
from ladder.models.ladders import Ladder
from ladder.models.seasons import DealSeries
from ladder.openness import is_open


class Block(models.Model):
    """The games of one deal among the same bots, and the commitment to that deal.

    ``seed`` is secret until every game has ended, which ``ended`` says; ask ``public_seed``. Blocks from before there
    were seasons have neither series nor number, and one game each. A live game has a deal of its own, so its block has
    that one game. Blocks of a cup are numbered at their table. What is ``COUNTED`` is rated and dealt in a season:
    estimates and statistics are made of it.
    """

    class Purpose(models.TextChoices):
        LADDER = "ladder", "rated"
        TEST = "test", "test"
        CHALLENGE = "challenge", "challenge"
        COMPARISON = "comparison", "comparison of versions"
        SCHEDULED = "scheduled", "scheduled match"
        CUP = "cup", "cup"
        LIVE = "live", "rated live game"
        CASUAL = "casual", "casual live game"
        EARLY = "early", "rated, from before the first season"

    RATED = (Purpose.LADDER, Purpose.EARLY, Purpose.LIVE)
    COUNTED = (Purpose.LADDER, Purpose.LIVE)
    DRIVEN_BY_REQUESTS = (Purpose.LIVE, Purpose.CASUAL)

    ladder = models.ForeignKey(Ladder, on_delete=models.PROTECT, related_name="blocks")
    series = models.ForeignKey(DealSeries, on_delete=models.PROTECT, null=True, blank=True, related_name="blocks")
    number = models.PositiveBigIntegerField(
        null=True, blank=True, help_text="from 1, without gaps in the series or at the table"
    )
    purpose = models.CharField(max_length=10, choices=Purpose, default=Purpose.LADDER)
    exhibition = models.ForeignKey(Exhibition, null=True, blank=True, on_delete=models.PROTECT, related_name="blocks")
    cup_table = models.ForeignKey(CupTable, null=True, blank=True, on_delete=models.PROTECT, related_name="blocks")
    seed = models.BinaryField(max_length=32)
    commitment = models.CharField(max_length=64, help_text="SHA-256 of the seed, hex, public from the start")
    created = models.DateTimeField(auto_now_add=True)
    ended = models.DateTimeField(null=True, blank=True, help_text="time at which the last game ended")
    gathered = models.BooleanField(default=False, help_text="whether the season statistics include it")

    class Meta:
        ordering = ["-pk"]
        indexes = [
            models.Index(name="block_open", fields=["ladder"], condition=Q(ended=None)),
            models.Index(
                name="block_to_gather",
                fields=["series", "id"],
                condition=Q(gathered=False, ended__isnull=False, purpose__in=["ladder", "live"]),
            ),
            models.Index(name="block_by_ladder_and_purpose", fields=["ladder", "purpose", "-id"]),
            models.Index(name="block_by_end", fields=["ladder", "ended"], condition=Q(ended__isnull=False)),
        ]
        constraints = [
            models.UniqueConstraint(name="block_number_once_a_series", fields=["series", "number"]),
            models.CheckConstraint(
                name="block_purpose_is_known",
                condition=Q(
                    purpose__in=[
                        "ladder",
                        "test",
                        "challenge",
                        "comparison",
                        "scheduled",
                        "cup",
                        "live",
                        "casual",
                        "early",
                    ]
                ),
            ),
            models.CheckConstraint(
                name="block_is_numbered_in_a_series_unless_early",
                condition=Q(purpose="early", series=None, number=None)
                | Q(purpose="cup", series=None, number__isnull=False, number__gte=1)
                | ~Q(purpose__in=["early", "cup"]) & Q(series__isnull=False, number__isnull=False, number__gte=1),
            ),
            models.CheckConstraint(
                name="block_of_a_cup_has_its_table",
                condition=Q(purpose="cup", cup_table__isnull=False) | ~Q(purpose="cup") & Q(cup_table=None),
            ),
            models.UniqueConstraint(name="block_number_once_a_table", fields=["cup_table", "number"]),
            models.CheckConstraint(name="block_seed_has_32_bytes", condition=Exact(Length("seed"), 32)),
            models.CheckConstraint(name="block_commitment_is_sha256", condition=Exact(Length("commitment"), 64)),
        ]

    def __str__(self) -> str:
        return f"block {self.pk}"

    @property
    def rated(self) -> bool:
        """Whether its finished games count for the ladder's ratings."""
        return self.purpose in self.RATED

    @property
    def public_seed(self) -> str | None:
        """The seed in hex once every game has ended, ``None`` before."""
        return bytes(self.seed).hex() if is_open(self) else None
