"""What came out of a match, and the order in which it counts. These rows are appended."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Length, Now
from django.db.models.lookups import Exact

from ladder.models.ladders import Ladder
from ladder.models.matches import FORFEITS, Attempt, Match, Seat
from ladder.models.seasons import Season


class Result(models.Model):
    """The one result of a match: its record and what the runner reported. The unique ``match`` judges duplicates.

    ``packed_record`` is read with ``ladder.exports.documents.record_of``; ``report`` has parts that only a seat's owner
    may see, but not what its bot wrote: that is in the seat's log, for a while. ``figures`` are what the game told of
    its seats when it was re-executed (``ladder.matches.results``).
    """

    match = models.OneToOneField(Match, on_delete=models.PROTECT, related_name="result")
    attempt = models.OneToOneField(Attempt, on_delete=models.PROTECT, related_name="result")
    packed_record = models.BinaryField()
    report = models.JSONField()
    figures = models.JSONField(default=dict)
    created = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"result of {self.match}"


class LedgerEntry(models.Model):
    """What counts on a ladder, in the order in which it counts: numbers from 1 without gaps. Match ids mean nothing.

    ``document`` says it in full, without a rating; ``hash`` is of it and of the entry before
    (``ladder.ledger.entries``). ``result`` is what a result's entry counts and a void's takes back. ``author`` is who
    of the staff wrote it.
    """

    class Kind(models.TextChoices):
        RESULT = "result", "a result"
        VOID = "void", "a voided result"
        MERGE = "merge", "a merged or removed bot"
        K = "k", "a new K"
        SEASON = "season", "a season's start"

    ladder = models.ForeignKey(Ladder, on_delete=models.PROTECT, related_name="ledger")
    season = models.ForeignKey(Season, on_delete=models.PROTECT, related_name="ledger")
    number = models.PositiveBigIntegerField()
    kind = models.CharField(max_length=10, choices=Kind, default=Kind.RESULT)
    result = models.ForeignKey(Result, on_delete=models.PROTECT, null=True, blank=True, related_name="ledger_entries")
    document = models.JSONField()
    hash = models.CharField(max_length=64)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["ladder", "number"]
        verbose_name_plural = "ledger entries"
        indexes = [models.Index(name="ledger_by_kind", fields=["ladder", "kind", "number"])]
        constraints = [
            models.UniqueConstraint(name="ledger_number_once_a_ladder", fields=["ladder", "number"]),
            models.UniqueConstraint(name="ledger_result_once", fields=["result"], condition=Q(kind="result")),
            models.UniqueConstraint(name="ledger_void_once_a_result", fields=["result"], condition=Q(kind="void")),
            models.CheckConstraint(name="ledger_counts_from_one", condition=Q(number__gte=1)),
            models.CheckConstraint(
                name="ledger_kind_is_known_and_names_its_result",
                condition=Q(kind__in=["result", "void"], result__isnull=False)
                | Q(kind__in=["merge", "k", "season"], result=None),
            ),
            models.CheckConstraint(name="ledger_hash_is_sha256", condition=Exact(Length("hash"), 64)),
        ]

    def __str__(self) -> str:
        return f"{self.ladder} #{self.number}"


class SeatResult(models.Model):
    """What a seat reached: rank and score by re-execution, and its membership's rating before and after, in 1/1000
    point.

    Without ratings it does not count: an unrated match, a result voided since, or a membership merged out. They follow
    from the ledger (``ladder.ledger.rebuild``); everything else never changes.

    ``evidence`` says what a forfeit was judged by, in words; both are empty for a seat that played to the end.
    """

    result = models.ForeignKey(Result, on_delete=models.PROTECT, related_name="seat_results")
    seat = models.OneToOneField(Seat, on_delete=models.PROTECT, related_name="result")
    rank = models.PositiveSmallIntegerField(help_text="competition rank: 1, 1, 3 for two winners")
    score = models.JSONField(help_text="score object of the game; only forfeits if the game ended early")
    forfeit = models.CharField(max_length=10, choices=FORFEITS, blank=True)
    forfeit_at = models.PositiveIntegerField(
        null=True, blank=True, help_text="number of steps recorded when the seat gave up; null if unknown"
    )
    evidence = models.TextField(blank=True)
    rating_before = models.BigIntegerField(null=True, blank=True)
    rating_after = models.BigIntegerField(null=True, blank=True)

    class Meta:
        ordering = ["result", "seat__index"]
        constraints = [
            models.CheckConstraint(name="seat_result_rank_from_one_to_five", condition=Q(rank__range=(1, 5))),
            models.CheckConstraint(
                name="seat_result_evidence_only_with_a_forfeit", condition=~Q(forfeit="") | Q(evidence="")
            ),
            models.CheckConstraint(
                name="seat_result_gave_up_by_a_forfeit", condition=~Q(forfeit="") | Q(forfeit_at=None)
            ),
            models.CheckConstraint(
                name="seat_result_has_both_ratings_or_none",
                condition=Q(rating_before=None, rating_after=None)
                | Q(rating_before__isnull=False, rating_after__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.seat}: rank {self.rank}"

    @property
    def change(self) -> int | None:
        """What the match added to the rating, in 1/1000 point; ``None`` where it does not count."""
        if self.rating_before is None or self.rating_after is None:
            return None
        return self.rating_after - self.rating_before


class SeatLog(models.Model):
    """What a seat's owner may read of a match that counted, until it is old; ``ladder.matches.logs`` packs and reads
    it.

    It comes with the result, in one transaction, for the seats of people's bots. The house's have none.
    """

    seat = models.OneToOneField(Seat, on_delete=models.PROTECT, related_name="log")
    packed = models.BinaryField()
    created = models.DateTimeField(auto_now_add=True, db_index=True)

    class Meta:
        ordering = ["seat"]

    def __str__(self) -> str:
        return f"log of {self.seat}"
