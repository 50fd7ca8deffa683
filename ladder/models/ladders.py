"""A ladder and who stands on it."""

from __future__ import annotations

from django.db import models

from bots.models import Bot
from ladder.ratings.elo import START_RATING
from ladder.ratings.shares import WIN

GENESIS = "0" * 64
"""What the first ledger entry of a ladder has for the hash before it."""


class Ladder(models.Model):
    """Rated play of one game with one number of seats."""

    slug = models.SlugField(max_length=60, unique=True)
    name = models.CharField(max_length=80)
    game = models.CharField(max_length=60, help_text="a slug of games.registry.GAMES")
    seats = models.PositiveSmallIntegerField()
    limits = models.JSONField(
        default=dict, blank=True, help_text="bots.runner.spec.Limits that differ from the default"
    )
    weight = models.PositiveSmallIntegerField(
        default=1, help_text="its share of the workers, beside the other ladders'"
    )
    open = models.BooleanField(default=True, help_text="whether new matches are scheduled")
    next_ledger = models.PositiveBigIntegerField(default=1, editable=False)
    ledger_head = models.CharField(max_length=64, default=GENESIS, editable=False, help_text="the last entry's hash")
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(name="ladder_has_two_to_five_seats", condition=models.Q(seats__range=(2, 5))),
            models.CheckConstraint(name="ladder_ledger_counts_from_one", condition=models.Q(next_ledger__gte=1)),
        ]

    def __str__(self) -> str:
        return self.name


class Entry(models.Model):
    """A bot on a ladder, with what its rated matches of the season have added up to.

    ``rating`` and ``last_change`` are in 1/1000 point. ``wins`` is in 1/60 of a win: k winners get 60/k each.
    Everything but ``active`` and ``declined`` is a function of the ladder's ledger (``ladder.rebuilding``). The wish in
    ``declined`` outlives every version; ``ladder.joining`` keeps ``active`` at what follows from it.
    """

    ladder = models.ForeignKey(Ladder, on_delete=models.PROTECT, related_name="entries")
    bot = models.ForeignKey(Bot, on_delete=models.PROTECT, related_name="entries")
    rating = models.BigIntegerField(default=START_RATING)
    last_change = models.BigIntegerField(default=0)
    games = models.PositiveIntegerField(default=0)
    wins = models.PositiveBigIntegerField(default=0)
    active = models.BooleanField(default=True, help_text="whether the bot is given new matches here")
    declined = models.BooleanField(default=False, help_text="whether its owner wants no matches here")
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["ladder", "-rating", "pk"]
        indexes = [models.Index(name="entry_by_rating", fields=["ladder", "-rating"])]
        constraints = [
            models.UniqueConstraint(name="entry_once_a_bot_and_ladder", fields=["ladder", "bot"]),
            models.CheckConstraint(
                name="entry_declined_is_not_active", condition=~models.Q(active=True, declined=True)
            ),
            models.CheckConstraint(
                name="entry_wins_at_most_its_games", condition=models.Q(wins__lte=models.F("games") * WIN)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.bot} on {self.ladder}"

    @property
    def points(self) -> float:
        """The rating in points, for people; arithmetic uses ``rating``."""
        return self.rating / 1000

    @property
    def win_share(self) -> float | None:
        """First places per game, shared ones divided, 0 to 1; ``None`` before the first game."""
        return self.wins / (WIN * self.games) if self.games else None

    def count(self, gain: int, share: int) -> None:
        """Add one rated match: ``gain`` in 1/1000 point, ``share`` of its win in 1/60."""
        self.rating += gain
        self.last_change = gain
        self.games += 1
        self.wins += share
