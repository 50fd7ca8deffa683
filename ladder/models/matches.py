"""A match from its scheduling to its end. Its row is the queue; a message to a worker is only a hint."""

from __future__ import annotations

from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.db.models.functions import Now

from bots.models import BotVersion
from bots.names import MAX_GUEST_NAME
from games.rules import FORFEIT_REASONS
from ladder.models.blocks import Block
from ladder.models.ladders import Ladder, Membership

FORFEITS = [(reason, reason) for reason in FORFEIT_REASONS]


class Match(models.Model):
    """One game of a block, to be played, being played or ended.

    Void: it was tried and has no result; cancelled: never tried; aborted: its players ended it, or a remote bot never
    received it. ``seating`` is the index into ``bots.tournaments.seatings``. ``lease`` is the token of the attempt at
    work.
    """

    class Status(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        FINISHED = "finished"
        VOID = "void"
        CANCELLED = "cancelled"
        ABORTED = "aborted"

    PENDING = (Status.QUEUED, Status.RUNNING)
    ENDED = (Status.FINISHED, Status.VOID, Status.CANCELLED, Status.ABORTED)

    ladder = models.ForeignKey(Ladder, on_delete=models.PROTECT, related_name="matches")
    block = models.ForeignKey(Block, on_delete=models.PROTECT, related_name="matches")
    seating = models.PositiveSmallIntegerField(default=0)
    lineup = models.PositiveSmallIntegerField(default=0, help_text="0 or 1 in a version comparison, else 0")
    status = models.CharField(max_length=10, choices=Status, default=Status.QUEUED)
    priority = models.SmallIntegerField(default=0, help_text="higher runs first")
    due_at = models.DateTimeField(db_default=Now(), help_text="earliest start")
    sent_at = models.DateTimeField(null=True, blank=True, help_text="time of the last message to a worker")
    lease = models.UUIDField(null=True, blank=True, unique=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    attempts_started = models.PositiveSmallIntegerField(default=0)
    reason = models.CharField(max_length=500, blank=True, help_text="public reason why it has no result")
    created = models.DateTimeField(auto_now_add=True)
    started = models.DateTimeField(null=True, blank=True, help_text="start of the last attempt")
    ended = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-pk"]
        indexes = [
            models.Index(name="match_queue", fields=["ladder", "-priority", "due_at"], condition=Q(status="queued")),
            models.Index(name="match_leases", fields=["lease_until"], condition=Q(status="running")),
            models.Index(name="match_by_ladder_and_status", fields=["ladder", "status", "-id"]),
        ]
        constraints = [
            models.CheckConstraint(
                name="match_status_is_known",
                condition=Q(status__in=["queued", "running", "finished", "void", "cancelled", "aborted"]),
            ),
            models.UniqueConstraint(name="match_once_a_seating", fields=["block", "lineup", "seating"]),
            models.UniqueConstraint(name="match_runs_alone_in_block", fields=["block"], condition=Q(status="running")),
            models.CheckConstraint(
                name="match_has_a_lease_while_it_runs",
                condition=Q(status="running", lease__isnull=False, lease_until__isnull=False, started__isnull=False)
                | ~Q(status="running") & Q(lease__isnull=True, lease_until__isnull=True),
            ),
            models.CheckConstraint(
                name="match_has_an_end_when_it_has_ended",
                condition=Q(status__in=["queued", "running"], ended__isnull=True)
                | Q(status__in=["finished", "void", "cancelled", "aborted"], ended__isnull=False),
            ),
            models.CheckConstraint(
                name="match_without_a_result_says_why",
                condition=Q(status__in=["void", "cancelled", "aborted"]) & ~Q(reason="")
                | ~Q(status__in=["void", "cancelled", "aborted"]) & Q(reason=""),
            ),
        ]

    def __str__(self) -> str:
        return f"match {self.pk}"

    @staticmethod
    def another_runs() -> Exists:
        """Whether a match of the same block is running, as an expression for a query on matches."""
        return Exists(Match.objects.filter(block=OuterRef("block"), status=Match.Status.RUNNING))

    @staticmethod
    def on_hold() -> Exists:
        """Whether the ladder of the match is paused, as an expression for a query on matches."""
        return Exists(Ladder.objects.filter(pk=OuterRef("ladder"), paused__isnull=False))


class Seat(models.Model):
    """Who sits where, with the version that plays. The membership belongs to the match's ladder, the version to its
    bot.

    Without a membership the seat is of an unrated match. ``guest_name`` is the name that a guest has chosen; it
    is kept for a while.
    """

    match = models.ForeignKey(Match, on_delete=models.PROTECT, related_name="seats")
    index = models.PositiveSmallIntegerField(help_text="from 0")
    membership = models.ForeignKey(Membership, on_delete=models.PROTECT, null=True, blank=True, related_name="seats")
    version = models.ForeignKey(BotVersion, on_delete=models.PROTECT, related_name="seats")
    guest_name = models.CharField(max_length=MAX_GUEST_NAME, blank=True, default="", db_default="")

    class Meta:
        ordering = ["match", "index"]
        indexes = [models.Index(name="seat_by_version_and_match", fields=["version", "match"])]
        constraints = [
            models.UniqueConstraint(name="seat_taken_once", fields=["match", "index"]),
            models.UniqueConstraint(name="seat_once_a_membership", fields=["match", "membership"]),
            models.CheckConstraint(name="seat_counts_from_zero_to_four", condition=Q(index__range=(0, 4))),
        ]

    def __str__(self) -> str:
        return f"seat {self.index} of {self.match}"


class AttemptQuerySet(models.QuerySet["Attempt"]):
    def of_workers(self) -> AttemptQuerySet:
        """Those at games that a worker plays from start to end. A live game's attempt says nothing of the workers."""
        return self.exclude(match__block__purpose__in=Block.DRIVEN_BY_REQUESTS)


class Attempt(models.Model):
    """One worker's try at a match, or a live game's only one. Appended; at most one of a match is open."""

    class Ending(models.TextChoices):
        OPEN = "open"
        FINISHED = "finished", "finished"
        FAILED = "failed", "failed because of an error on the site"
        EXPIRED = "expired", "failed because the worker lost its lease"
        DELAYED = "delayed", "discarded because of server lag and re-run"
        BUSY = "busy", "ended because no processor core was free"
        WITHDRAWN = "withdrawn", "ended because the match was withdrawn"
        RETURNED = "returned", "returned because the worker stopped or could not get the code"

    match = models.ForeignKey(Match, on_delete=models.PROTECT, related_name="attempts")
    number = models.PositiveSmallIntegerField(help_text="from 1")
    token = models.UUIDField(unique=True)
    worker = models.CharField(max_length=120)
    started = models.DateTimeField()
    heartbeat_at = models.DateTimeField()
    ended = models.DateTimeField(null=True, blank=True)
    ending = models.CharField(max_length=10, choices=Ending, default=Ending.OPEN)
    failure = models.CharField(max_length=500, blank=True)

    objects = AttemptQuerySet.as_manager()

    class Meta:
        ordering = ["match", "number"]
        indexes = [models.Index(name="attempt_by_ending", fields=["ending", "worker"])]
        constraints = [
            models.UniqueConstraint(name="attempt_number_once_a_match", fields=["match", "number"]),
            models.UniqueConstraint(name="attempt_one_open_a_match", fields=["match"], condition=Q(ending="open")),
            models.CheckConstraint(name="attempt_counts_from_one", condition=Q(number__gte=1)),
            models.CheckConstraint(
                name="attempt_ending_is_known",
                condition=Q(ending="open", ended__isnull=True)
                | Q(
                    ending__in=["finished", "failed", "expired", "delayed", "busy", "withdrawn", "returned"],
                    ended__isnull=False,
                ),
            ),
            models.CheckConstraint(
                name="attempt_without_a_result_says_why",
                condition=Q(ending__in=["open", "finished"], failure="")
                | Q(ending__in=["failed", "expired", "delayed", "busy", "withdrawn", "returned"]) & ~Q(failure=""),
            ),
        ]

    def __str__(self) -> str:
        return f"attempt {self.number} at {self.match}"


class Rerun(models.Model):
    """A game of ``block`` was played again because the machine had made ``version`` late: its one right to it there."""

    block = models.ForeignKey(Block, on_delete=models.PROTECT, related_name="reruns")
    version = models.ForeignKey(BotVersion, on_delete=models.PROTECT, related_name="reruns")
    attempt = models.ForeignKey(Attempt, on_delete=models.PROTECT, related_name="reruns")

    class Meta:
        ordering = ["-pk"]
        constraints = [models.UniqueConstraint(name="rerun_once_a_version_and_block", fields=["block", "version"])]

    def __str__(self) -> str:
        return f"re-run of {self.attempt} for {self.version}"
