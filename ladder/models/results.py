"""What came out of a match, and the order in which results count. These rows are appended and never change."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from ladder.models.ladders import Ladder
from ladder.models.matches import FORFEITS, Attempt, Match, Seat


class Result(models.Model):
    """The one result of a match: its record and what the runner reported. The unique ``match`` judges duplicates.

    ``packed_record`` is read with ``ladder.records.record_of``; ``report`` has parts that only a seat's owner may see,
    but not what its bot wrote: that is in the seat's log, for a while.
    """

    match = models.OneToOneField(Match, on_delete=models.PROTECT, related_name="result")
    attempt = models.OneToOneField(Attempt, on_delete=models.PROTECT, related_name="result")
    packed_record = models.BinaryField()
    report = models.JSONField()
    created = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"result of {self.match}"


class LedgerEntry(models.Model):
    """A ladder's results in the order in which they are rated: numbers from 1 without gaps. Match ids mean nothing."""

    ladder = models.ForeignKey(Ladder, on_delete=models.PROTECT, related_name="ledger")
    number = models.PositiveBigIntegerField()
    result = models.OneToOneField(Result, on_delete=models.PROTECT, related_name="ledger_entry")

    class Meta:
        ordering = ["ladder", "number"]
        verbose_name_plural = "ledger entries"
        constraints = [
            models.UniqueConstraint(name="ledger_number_once_a_ladder", fields=["ladder", "number"]),
            models.CheckConstraint(name="ledger_counts_from_one", condition=Q(number__gte=1)),
        ]

    def __str__(self) -> str:
        return f"{self.ladder} #{self.number}"


class SeatResult(models.Model):
    """What a seat reached: rank and score by re-execution, and its entry's rating before and after, in 1/1000 point.

    ``evidence`` says what a forfeit was judged by, in words; both are empty for a seat that played to the end.
    """

    result = models.ForeignKey(Result, on_delete=models.PROTECT, related_name="seat_results")
    seat = models.OneToOneField(Seat, on_delete=models.PROTECT, related_name="result")
    rank = models.PositiveSmallIntegerField(help_text="competition rank: two winners are 1, 1, 3")
    score = models.JSONField(help_text="the game's own score object")
    forfeit = models.CharField(max_length=10, choices=FORFEITS, blank=True)
    evidence = models.TextField(blank=True)
    rating_before = models.BigIntegerField()
    rating_after = models.BigIntegerField()

    class Meta:
        ordering = ["result", "seat__index"]
        constraints = [
            models.CheckConstraint(name="seat_result_rank_from_one_to_five", condition=Q(rank__range=(1, 5))),
            models.CheckConstraint(
                name="seat_result_evidence_only_with_a_forfeit", condition=~Q(forfeit="") | Q(evidence="")
            ),
        ]

    def __str__(self) -> str:
        return f"{self.seat}: rank {self.rank}"

    @property
    def change(self) -> int:
        """What the match added to the rating, in 1/1000 point."""
        return self.rating_after - self.rating_before


class SeatLog(models.Model):
    """What a seat's owner may read of a match that counted, until it is old; ``ladder.owner_logs`` packs and reads it.

    It comes with the result, in one transaction, for the seats of people's bots. The house's have none.
    """

    seat = models.OneToOneField(Seat, on_delete=models.PROTECT, related_name="log")
    packed = models.BinaryField()
    created = models.DateTimeField(auto_now_add=True, db_index=True)

    class Meta:
        ordering = ["seat"]

    def __str__(self) -> str:
        return f"log of {self.seat}"
