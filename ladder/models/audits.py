"""Integrity of ladders: rebuilds, verified hash chains, and staff actions on matches and texts of cups."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from ladder.models.cups import Cup
from ladder.models.ladders import Ladder
from ladder.models.matches import Match
from ladder.ratings.chain import GENESIS


class RebuildRun(models.Model):
    """A rebuild of a ladder's ratings from its ledger (``ladder.ledger.rebuild``).

    ``ledger_number`` is the last entry of the ledger at that time. ``differences`` is the number of differences, and
    ``sentences`` describes the first of them. A correction is described by its ledger entry instead.
    """

    class Purpose(models.TextChoices):
        CHECK = "check", "compared everything"
        REPAIR = "repair", "wrote what differed"
        CORRECTION = "correction", "applied a correction"

    WRITES = (Purpose.REPAIR, Purpose.CORRECTION)

    ladder = models.ForeignKey(Ladder, on_delete=models.PROTECT, related_name="rebuilds")
    purpose = models.CharField(max_length=10, choices=Purpose)
    ledger_number = models.PositiveBigIntegerField()
    results = models.PositiveBigIntegerField(help_text="number of results in the ledger")
    records = models.BooleanField(default=False, help_text="whether all records were also hashed again")
    differences = models.PositiveBigIntegerField()
    sentences = models.JSONField(default=list, blank=True)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    started = models.DateTimeField()
    ended = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-pk"]
        indexes = [models.Index(name="rebuild_by_ladder", fields=["ladder", "-id"])]
        constraints = [
            models.CheckConstraint(
                name="rebuild_purpose_is_known", condition=Q(purpose__in=["check", "repair", "correction"])
            ),
            models.CheckConstraint(name="rebuild_ends_after_it_starts", condition=Q(ended__gte=F("started"))),
        ]

    def __str__(self) -> str:
        return f"rebuild of {self.ladder} up to {self.ledger_number}"


class ChainMark(models.Model):
    """The last verified entry of a ladder's ledger, with its hash.

    ``problem`` describes a fault of the next entry. ``violations`` is the number of violated statements when the ladder
    was last ``audited`` (``ladder.ledger.integrity``).
    """

    ladder = models.OneToOneField(Ladder, on_delete=models.PROTECT, related_name="chain_mark")
    number = models.PositiveBigIntegerField(default=0)
    hash = models.CharField(max_length=64, default=GENESIS)
    problem = models.CharField(max_length=500, blank=True)
    checked = models.DateTimeField(auto_now=True)
    violations = models.PositiveIntegerField(default=0)
    audited = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["ladder"]

    def __str__(self) -> str:
        return f"{self.ladder} up to {self.number}"


class Intervention(models.Model):
    """An action of a staff member on a match, on a ladder or on a text of a cup. Only staff see its author.

    The kind and the reason of an action that ends a match are public, and the reason of a pause while it lasts.
    ``before`` is the removed text of a cup. Rows are only added: the database refuses changes. The audit log shows
    them with ``bots.models.StaffAction``.
    """

    class Action(models.TextChoices):
        CANCELLED = "cancelled", "canceled before it started"
        VOIDED = "voided", "voided without a result"
        TAKEN_BACK = "taken back", "voided its result"
        REQUEUED = "requeued", "queued again"
        PAUSED = "paused", "paused the ladder"
        RESUMED = "resumed", "resumed the ladder"
        REMOVED_TITLE = "removed title", "removed the title"
        REMOVED_ABOUT = "removed about", "removed the description"
        REMOVED_REASON = "removed reason", "removed a reason"

    WITHOUT_RESULT = (Action.CANCELLED, Action.VOIDED)
    ON_CUPS = (Action.REMOVED_TITLE, Action.REMOVED_ABOUT, Action.REMOVED_REASON)

    match = models.ForeignKey(Match, null=True, blank=True, on_delete=models.PROTECT, related_name="interventions")
    ladder = models.ForeignKey(
        Ladder, null=True, blank=True, on_delete=models.PROTECT, related_name="interventions", db_index=False
    )
    cup = models.ForeignKey(Cup, null=True, blank=True, on_delete=models.PROTECT, related_name="interventions")
    action = models.CharField(max_length=16, choices=Action)
    before = models.CharField(max_length=1000, blank=True, help_text="the removed text")
    reason = models.CharField(max_length=500)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                name="intervention_ends_a_match_once", fields=["match"], condition=~Q(action="requeued")
            ),
            models.CheckConstraint(
                name="intervention_is_on_one_thing",
                condition=Q(match__isnull=False, ladder=None, cup=None, before="")
                & Q(action__in=["cancelled", "voided", "taken back", "requeued"])
                | Q(match=None, ladder__isnull=False, cup=None, before="", action__in=["paused", "resumed"])
                | Q(match=None, ladder=None, cup__isnull=False)
                & Q(action__in=["removed title", "removed about", "removed reason"])
                & ~Q(before=""),
            ),
            models.CheckConstraint(name="intervention_says_why", condition=~Q(reason="")),
        ]

    def __str__(self) -> str:
        return f"{self.match or self.ladder or self.cup} {self.action}"
