"""Cups: tournaments of hosted bots, from registration to the final standings."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Exists, F, OuterRef, Q
from django.db.models.functions import Length, Now
from django.db.models.lookups import Exact

from bots.models import Bot, BotVersion
from bots.tournaments.formats import FORMATS, Format
from bots.tournaments.seatings import seatings
from ladder.models.ladders import Ladder


class Cup(models.Model):
    """A tournament in the format of ``ladder``: its game, seats and limits. Ratings of the ladder do not change.

    ``key`` decides seeding lots, pairings and deals. ``key_hash`` is public from the start, the key after the end.
    ``entrants_hash`` is the SHA-256 of the frozen entrant list, ``design`` the tables that its format has frozen with
    it, by place. ``blocks`` is the number of blocks per table and round,
    ``rounds`` the number of rounds if the organizer chooses it, else null. ``former_organizers`` were co-organizers.
    """

    class State(models.TextChoices):
        REGISTRATION = "registration", "Registration"
        READY = "ready", "Ready"
        RUNNING = "running", "Running"
        FINISHED = "finished", "Finished"
        CANCELLED = "cancelled", "Canceled"

    OPEN = (State.REGISTRATION, State.READY, State.RUNNING)

    slug = models.SlugField(max_length=60, unique=True)
    title = models.CharField(max_length=60)
    about = models.CharField(max_length=1000, blank=True)
    ladder = models.ForeignKey(Ladder, on_delete=models.PROTECT, related_name="cups")
    format = models.CharField(max_length=20, help_text="slug of a format in bots.tournaments.formats")
    blocks = models.PositiveSmallIntegerField(default=1)
    rounds = models.PositiveSmallIntegerField(null=True, blank=True)
    capacity = models.PositiveSmallIntegerField()
    entries_per_user = models.PositiveSmallIntegerField(default=1)
    at_a_table = models.PositiveSmallIntegerField(default=1, help_text="entries of one owner at a table, if avoidable")
    listed = models.BooleanField(default=True, help_text="whether it is in the list; else only its link leads to it")
    organizer = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="cups"
    )
    co_organizers = models.ManyToManyField(settings.AUTH_USER_MODEL, blank=True, related_name="cups_helped")
    former_organizers = models.ManyToManyField(settings.AUTH_USER_MODEL, blank=True, related_name="cups_once_helped")
    closes_at = models.DateTimeField(help_text="end of the registration, when versions freeze")
    starts_at = models.DateTimeField()
    time_zone = models.CharField(max_length=40, default="UTC", help_text="of the organizer, for display")
    repeat_days = models.PositiveSmallIntegerField(null=True, blank=True, help_text="days until the next such cup")
    previous = models.OneToOneField("self", on_delete=models.SET_NULL, null=True, blank=True, related_name="next")
    reserved_percent = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="share of the workers that site admins have reserved for it"
    )
    state = models.CharField(max_length=12, choices=State, default=State.REGISTRATION)
    paused = models.BooleanField(default=False, help_text="whether the organizer has paused it: no round begins")
    reason = models.CharField(max_length=500, blank=True, help_text="why it was canceled, or is paused")
    key = models.BinaryField(max_length=32)
    key_hash = models.CharField(max_length=64)
    entrants_hash = models.CharField(max_length=64, blank=True)
    design = models.JSONField(default=list, blank=True)
    created = models.DateTimeField(auto_now_add=True)
    ended = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-starts_at", "-pk"]
        indexes = [
            models.Index(
                name="cup_open",
                fields=["state", "closes_at"],
                condition=Q(state__in=["registration", "ready", "running"]),
            )
        ]
        constraints = [
            models.CheckConstraint(
                name="cup_has_an_end_when_it_has_ended",
                condition=Q(state__in=["registration", "ready", "running"], ended=None)
                | Q(state__in=["finished", "cancelled"], ended__isnull=False),
            ),
            models.CheckConstraint(name="cup_cancelled_says_why", condition=~Q(state="cancelled") | ~Q(reason="")),
            models.CheckConstraint(name="cup_has_rounds", condition=Q(rounds=None) | Q(rounds__gte=1)),
            models.CheckConstraint(name="cup_starts_after_registration", condition=Q(starts_at__gte=F("closes_at"))),
            models.CheckConstraint(
                name="cup_has_entrants_when_it_is_frozen",
                condition=Q(state__in=["registration", "cancelled"]) | ~Q(entrants_hash=""),
            ),
            models.CheckConstraint(
                name="cup_reservation_leaves_workers_to_others",
                condition=Q(reserved_percent=None) | Q(reserved_percent__range=(1, 90)),
            ),
            models.CheckConstraint(name="cup_key_has_32_bytes", condition=Exact(Length("key"), 32)),
            models.CheckConstraint(name="cup_key_hash_is_sha256", condition=Exact(Length("key_hash"), 64)),
            models.CheckConstraint(
                name="cup_plays_blocks",
                condition=Q(blocks__gte=1, capacity__gte=2, entries_per_user__gte=1, at_a_table__gte=1),
            ),
        ]

    def __str__(self) -> str:
        return self.title

    @classmethod
    def lock(cls, pk: int) -> Cup:
        """The cup with its ladder, whose row is locked until the end of the transaction."""
        return cls.objects.select_for_update(no_key=True, of=("self",)).select_related("ladder").get(pk=pk)

    @staticmethod
    def has_people(cup: str = "pk") -> Exists:
        """Whether bots of users are entered in a cup, as an expression for a query with the id in ``cup``."""
        entries = CupEntry.objects.filter(cup=OuterRef(cup), state=CupEntry.State.ENTERED)
        return Exists(entries.filter(bot__owner__isnull=False))

    @property
    def tournament_format(self) -> Format:
        """The tournament format."""
        return FORMATS[self.format]

    @property
    def games_at_a_table(self) -> int:
        """The number of games of a table, without blocks that decide ties."""
        return self.blocks * len(seatings(self.ladder.seats))

    @property
    def public_key(self) -> str | None:
        """The key in hex once the cup has ended and none of its games is running, ``None`` before."""
        is_over = self.ended is not None and not self.played_rounds.filter(ended=None).exists()
        return bytes(self.key).hex() if is_over else None


class CupEntry(models.Model):
    """A bot that is entered in a cup. ``number``, ``version`` and ``owner_number`` are set when the list freezes.

    ``number`` counts from 0 and is also the seed. ``owner_number`` identifies the owner among those of all entrants,
    null for house bots; accounts can be deleted later. ``reason`` explains why an entry is not in the list or has left.
    ``rank`` is the place in the final standings of a finished cup.
    """

    class State(models.TextChoices):
        ENTERED = "entered", "Entered"
        REJECTED = "rejected", "Rejected at the deadline"
        WITHDRAWN = "withdrawn", "Withdrawn"
        DISQUALIFIED = "disqualified", "Disqualified"

    cup = models.ForeignKey(Cup, on_delete=models.PROTECT, related_name="entries")
    bot = models.ForeignKey(Bot, on_delete=models.PROTECT, related_name="cup_entries")
    version = models.ForeignKey(BotVersion, on_delete=models.PROTECT, null=True, blank=True, related_name="cup_entries")
    number = models.PositiveSmallIntegerField(null=True, blank=True)
    owner_number = models.PositiveSmallIntegerField(null=True, blank=True)
    rank = models.PositiveSmallIntegerField(null=True, blank=True)
    state = models.CharField(max_length=12, choices=State, default=State.ENTERED)
    reason = models.CharField(max_length=500, blank=True)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["cup", "number", "pk"]
        verbose_name_plural = "cup entries"
        constraints = [
            models.UniqueConstraint(name="cup_entry_once_a_bot", fields=["cup", "bot"]),
            models.UniqueConstraint(name="cup_entry_number_once", fields=["cup", "number"]),
            models.CheckConstraint(
                name="cup_entry_state_is_known",
                condition=Q(state__in=["entered", "rejected", "withdrawn", "disqualified"]),
            ),
            models.CheckConstraint(
                name="cup_entry_is_frozen_with_its_version",
                condition=Q(number=None, version=None) | Q(number__isnull=False, version__isnull=False),
            ),
            models.CheckConstraint(
                name="cup_entry_owner_is_frozen_with_it", condition=Q(owner_number=None) | Q(number__isnull=False)
            ),
            models.CheckConstraint(
                name="cup_entry_rejected_has_no_number", condition=~Q(state="rejected") | Q(number=None) & ~Q(reason="")
            ),
            models.CheckConstraint(
                name="cup_entry_is_ranked_from_the_list", condition=Q(rank=None) | Q(rank__gte=1, number__isnull=False)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.bot} in {self.cup}"


class CupRound(models.Model):
    """A round of a cup. Each of its tables plays separate deals.

    A round that is ``stopped`` was running when its cup was canceled. It does not count in the standings.
    """

    cup = models.ForeignKey(Cup, on_delete=models.PROTECT, related_name="played_rounds")
    number = models.PositiveSmallIntegerField(help_text="from 1")
    byes = models.JSONField(default=list, help_text="numbers of the entrants with a bye")
    started = models.DateTimeField(db_default=Now())
    ended = models.DateTimeField(null=True, blank=True, help_text="when its deals and replays became public")
    stopped = models.BooleanField(default=False)

    class Meta:
        ordering = ["cup", "number"]
        constraints = [
            models.UniqueConstraint(name="cup_round_once", fields=["cup", "number"]),
            models.UniqueConstraint(name="cup_round_one_at_a_time", fields=["cup"], condition=Q(ended=None)),
            models.CheckConstraint(name="cup_round_counts_from_one", condition=Q(number__gte=1)),
        ]

    def __str__(self) -> str:
        return f"round {self.number} of {self.cup}"


class CupTable(models.Model):
    """A table of a round: the entrants, by their place in the first seating, and their points once it is decided.

    ``points`` is null until the table is decided, and remains null at a void table. ``ruled``: an organizer decided it.
    """

    round = models.ForeignKey(CupRound, on_delete=models.PROTECT, related_name="tables")
    index = models.PositiveSmallIntegerField(help_text="from 0")
    entrants = models.JSONField(help_text="numbers of the entrants")
    points = models.JSONField(null=True, blank=True, help_text="points by entrant, over all games")
    gone = models.JSONField(default=list, blank=True, help_text="places of entrants who had left when it was decided")
    decided = models.BooleanField(default=False)
    ruled = models.BooleanField(default=False)

    class Meta:
        ordering = ["round", "index"]
        constraints = [
            models.UniqueConstraint(name="cup_table_once", fields=["round", "index"]),
            models.CheckConstraint(
                name="cup_table_has_points_when_decided", condition=Q(decided=True) | Q(points=None)
            ),
            models.CheckConstraint(name="cup_table_ruled_is_decided", condition=Q(ruled=False) | Q(decided=True)),
        ]

    def __str__(self) -> str:
        return f"table {self.index + 1} of {self.round}"


class CupLedgerEntry(models.Model):
    """What happened in a cup, in order: the proof for verifiers, beside the rows that the site goes by.

    Entries are appended; ``hash`` covers the document and the entry before.

    The document contains the hash of ``salt`` and ``reason`` only, so that moderators can remove these two.
    """

    class Kind(models.TextChoices):
        ENTRANTS = "entrants", "Frozen entrant list"
        ROUND = "round", "Start of a round"
        RESULTS = "results", "Results of a round"
        RULING = "ruling", "Ruling"
        LEFT = "left", "Entrant left"
        PAUSED = "paused", "Paused"
        RESUMED = "resumed", "Resumed"
        CHANGED = "changed", "Settings changed"
        CANCELLED = "cancelled", "Canceled"
        END = "end", "End"

    cup = models.ForeignKey(Cup, on_delete=models.PROTECT, related_name="ledger")
    number = models.PositiveIntegerField(help_text="from 1, without gaps")
    kind = models.CharField(max_length=10, choices=Kind)
    document = models.JSONField()
    hash = models.CharField(max_length=64)
    reason = models.CharField(max_length=500, null=True, blank=True)  # noqa: DJ001  # null as in the public ledger
    salt = models.CharField(max_length=32, null=True, blank=True, help_text="16 bytes in hex")  # noqa: DJ001
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["cup", "number"]
        verbose_name_plural = "cup ledger entries"
        constraints = [
            models.UniqueConstraint(name="cup_ledger_number_once", fields=["cup", "number"]),
            models.CheckConstraint(name="cup_ledger_counts_from_one", condition=Q(number__gte=1)),
            models.CheckConstraint(
                name="cup_ledger_kind_is_known",
                condition=Q(
                    kind__in=[
                        *("entrants", "round", "results", "ruling", "left"),
                        *("paused", "resumed", "changed", "cancelled", "end"),
                    ]
                ),
            ),
            models.CheckConstraint(name="cup_ledger_hash_is_sha256", condition=Exact(Length("hash"), 64)),
            models.CheckConstraint(
                name="cup_ledger_reason_has_a_salt",
                condition=Q(reason=None, salt=None) | Q(reason__isnull=False, salt__isnull=False) & ~Q(reason=""),
            ),
            models.CheckConstraint(name="cup_ledger_salt_has_16_bytes", condition=Exact(Length("salt"), 32)),
        ]

    def __str__(self) -> str:
        return f"{self.cup} #{self.number}"


class CupSchedule(models.Model):
    """The rounds that an open cup is expected to play after its first ``rounds`` rounds, by ``ladder.cups.schedules``.

    ``tables`` and ``round_s`` are the tables and the seconds of each further round, and ``full_s`` is the duration of a
    full cup. Values that are unknown are null. ``basis`` is a hash of the entrants and the number of rounds.
    """

    cup = models.OneToOneField(Cup, on_delete=models.CASCADE, related_name="schedule")
    rounds = models.PositiveSmallIntegerField(help_text="rounds that had ended")
    basis = models.CharField(max_length=64)
    tables = models.JSONField(default=list)
    round_s = models.JSONField(null=True, blank=True)
    full_s = models.FloatField(null=True, blank=True)
    computed = models.DateTimeField()

    def __str__(self) -> str:
        return f"schedule of {self.cup} after {self.rounds} rounds"


class CupReport(models.Model):
    """A report about the title or the description of a cup, for moderators."""

    cup = models.ForeignKey(Cup, on_delete=models.CASCADE, related_name="reports")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="cup_reports")
    text = models.CharField(max_length=500)
    created = models.DateTimeField(auto_now_add=True)
    settled_at = models.DateTimeField(null=True, blank=True)
    settled_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                name="cup_report_once_a_person", fields=["cup", "by"], condition=Q(settled_at=None)
            ),
            models.CheckConstraint(
                name="cup_report_settled_by_somebody_is_settled",
                condition=Q(settled_by=None) | Q(settled_at__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"about {self.cup} by {self.by}"
