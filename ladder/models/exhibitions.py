"""Exhibition matches on request: test matches, challenges, version comparisons and scheduled matches."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from bots.models import BotVersion
from esr_platform.request_ids import LONGEST, current_request_id
from ladder.models.ladders import Ladder, Viewer


class ExhibitionQuerySet(models.QuerySet["Exhibition"]):
    def visible_to(self, user: Viewer) -> ExhibitionQuerySet:
        """Exhibitions on ladders that ``user`` may see."""
        return self.filter(ladder__in=Ladder.objects.visible_to(user))


class Exhibition(models.Model):
    """A match request. ``ladder.exhibitions.progress`` creates its blocks step by step.

    ``blocks_wanted`` is the maximum of a comparison, which ends as soon as it is decided, and exact otherwise.
    ``margin`` (1/1000 of a score) is the difference that a comparison detects, ``verdict`` its result
    (``ladder.ratings.sprt.TestVerdict``). With ``rotated`` each deal is played in all seatings, otherwise once in the
    requested seats.
    """

    class Kind(models.TextChoices):
        TEST = "test", "Test match"
        CHALLENGE = "challenge", "Challenge"
        COMPARISON = "comparison", "Version comparison"
        SCHEDULED = "scheduled", "Scheduled match"

    class State(models.TextChoices):
        INVITED = "invited", "Waiting for answers"
        PLANNED = "planned", "Scheduled"
        RUNNING = "running", "Running"
        FINISHED = "finished", "Finished"
        CANCELLED = "cancelled", "Canceled"

    OPEN = (State.INVITED, State.PLANNED, State.RUNNING)

    kind = models.CharField(max_length=10, choices=Kind)
    ladder = models.ForeignKey(Ladder, on_delete=models.PROTECT, related_name="exhibitions")
    requested_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="exhibitions")
    token = models.UUIDField(unique=True, help_text="token of the form, against double submission")
    blocks_wanted = models.PositiveIntegerField()
    games_wanted = models.PositiveIntegerField(help_text="in all blocks, for the daily limit")
    rotated = models.BooleanField(default=True)
    margin = models.PositiveSmallIntegerField(null=True, blank=True)
    verdict = models.CharField(max_length=10, blank=True)
    due_at = models.DateTimeField(null=True, blank=True, help_text="start time of a scheduled match")
    request_id = models.CharField(
        max_length=LONGEST,
        blank=True,
        default=current_request_id,
        db_default="",
        help_text="of the click, for the logs",
    )
    state = models.CharField(max_length=10, choices=State)
    reason = models.CharField(max_length=500, blank=True, help_text="why it was canceled or ended early")
    ended_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
        help_text="the user who canceled or declined it",
    )
    created = models.DateTimeField(auto_now_add=True)
    ended = models.DateTimeField(null=True, blank=True)

    objects = ExhibitionQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]
        indexes = [
            models.Index(
                name="exhibition_open",
                fields=["state", "due_at"],
                condition=Q(state__in=["invited", "planned", "running"]),
            ),
            models.Index(name="exhibition_by_person", fields=["requested_by", "-created"]),
        ]
        constraints = [
            models.CheckConstraint(
                name="exhibition_kind_is_known", condition=Q(kind__in=["test", "challenge", "comparison", "scheduled"])
            ),
            models.CheckConstraint(
                name="exhibition_has_an_end_when_it_has_ended",
                condition=Q(state__in=["invited", "planned", "running"], ended=None)
                | Q(state__in=["finished", "cancelled"], ended__isnull=False),
            ),
            models.CheckConstraint(
                name="exhibition_cancelled_says_why", condition=~Q(state="cancelled") | ~Q(reason="")
            ),
            models.CheckConstraint(
                name="exhibition_of_its_kind",
                condition=Q(kind="comparison", margin__isnull=False, margin__range=(1, 999), due_at=None)
                | Q(kind="scheduled", margin=None, due_at__isnull=False, verdict="")
                | Q(kind__in=["test", "challenge"], margin=None, due_at=None, verdict=""),
            ),
            models.CheckConstraint(
                name="exhibition_wants_blocks", condition=Q(blocks_wanted__gte=1, games_wanted__gte=1)
            ),
        ]

    def __str__(self) -> str:
        return f"exhibition {self.pk}"

    @property
    def open(self) -> bool:
        """Whether the exhibition has not ended."""
        return self.state in self.OPEN


class ExhibitionPlayer(models.Model):
    """A version that plays in an exhibition. ``index`` counts from 0 within its part.

    The seats are the same in every block. In a comparison the candidate and the baseline take the first place in turn;
    the versions of the gauntlet take the others and change from block to block.
    """

    class Part(models.TextChoices):
        SEAT = "seat"
        CANDIDATE = "candidate"
        BASELINE = "baseline"
        GAUNTLET = "gauntlet"

    exhibition = models.ForeignKey(Exhibition, on_delete=models.CASCADE, related_name="players")
    part = models.CharField(max_length=10, choices=Part)
    index = models.PositiveSmallIntegerField()
    version = models.ForeignKey(BotVersion, on_delete=models.PROTECT, related_name="ordered")

    class Meta:
        ordering = ["exhibition", "part", "index"]
        constraints = [
            models.UniqueConstraint(name="exhibition_player_once_a_place", fields=["exhibition", "part", "index"]),
            models.UniqueConstraint(name="exhibition_player_once_a_version", fields=["exhibition", "version"]),
            models.CheckConstraint(
                name="exhibition_player_part_is_known",
                condition=Q(part__in=["seat", "candidate", "baseline", "gauntlet"]),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.version} in {self.exhibition}"


class Agreement(models.Model):
    """The answer of a bot owner to a scheduled match; ``agreed`` is ``None`` until they answer."""

    exhibition = models.ForeignKey(Exhibition, on_delete=models.CASCADE, related_name="agreements")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="agreements")
    agreed = models.BooleanField(null=True, blank=True)
    answered = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["exhibition", "pk"]
        constraints = [
            models.UniqueConstraint(name="agreement_once_a_person", fields=["exhibition", "person"]),
            models.CheckConstraint(
                name="agreement_has_a_time_when_it_is_answered",
                condition=Q(agreed=None, answered=None) | Q(agreed__isnull=False, answered__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.person} on {self.exhibition}"
