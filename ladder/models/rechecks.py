"""Games that another worker plays again, to check the worker host that played them."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from ladder.models.results import Result


class Recheck(models.Model):
    """A game of deterministic house bots from a worker host, which a worker elsewhere plays again.

    It changes no result. ``worker`` is who plays it again. ``detail`` says how a ``different`` game differs, or why
    nobody could play it again.
    """

    class Outcome(models.TextChoices):
        WAITING = "waiting", "not played again yet"
        SAME = "same", "the same game"
        DIFFERENT = "different", "another game"
        UNKNOWN = "unknown", "could not be played again"

    result = models.OneToOneField(Result, on_delete=models.PROTECT, related_name="recheck")
    outcome = models.CharField(max_length=10, choices=Outcome, default=Outcome.WAITING)
    detail = models.CharField(max_length=300, blank=True)
    worker = models.CharField(max_length=120, blank=True)
    tries = models.PositiveSmallIntegerField(default=0)
    lease = models.UUIDField(null=True, blank=True, unique=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    created = models.DateTimeField(db_default=Now())
    ended = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["pk"]
        indexes = [models.Index(name="recheck_queue", fields=["id"], condition=Q(outcome="waiting"))]
        constraints = [
            models.CheckConstraint(
                name="recheck_outcome_is_known",
                condition=Q(outcome="waiting", ended__isnull=True)
                | Q(outcome__in=["same", "different", "unknown"], ended__isnull=False, lease=None, lease_until=None),
            ),
        ]

    def __str__(self) -> str:
        return f"recheck of {self.result}"
