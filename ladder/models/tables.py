"""Live games: the moves of a running game as they come in, and what each seat is asked and has left of its time."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Length, Now
from django.db.models.lookups import Exact

from bots.models import BotVersion
from games.rules import DEFAULT_REASONS
from ladder.models.matches import FORFEITS, Match, Seat

ASKED: Final = ["hosted", "substitute"]
DEFAULTS = [(reason, reason) for reason in DEFAULT_REASONS]


class Table(models.Model):
    """A match that is driven by requests. Its state is what its moves give when they are played again from the deal.

    ``moves`` is the number of rows in ``PlayedMove``, ``round`` counts the game's rounds from 1
    (``State.rounds_begun``), and ``settled_at`` is when the last move is shown to the other seats. ``followed_at`` is
    when people at the table have been shown all moves one after the other (``ladder.live.clocks.BEAT_MS``). ``over``
    says that no seat is asked again: the result can be stored. ``revision`` counts the changes that were saved by
    ``LockedMatch.save``. Lock the row of the match to change any of it, or of its seats.
    """

    match = models.OneToOneField(Match, on_delete=models.PROTECT, primary_key=True, related_name="table")
    limits = models.JSONField(default=dict, help_text="all fields of bots.protocol.Limits of the game")
    moves = models.PositiveIntegerField(default=0)
    round = models.PositiveIntegerField(default=1)
    settled_at = models.DateTimeField(db_default=Now())
    followed_at = models.DateTimeField(db_default=Now())
    over = models.BooleanField(default=False)
    revision = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["-pk"]
        indexes = [models.Index(name="table_to_be_ended", fields=["match"], condition=Q(over=True))]

    def __str__(self) -> str:
        return f"table of match {self.pk}"


class LiveSeat(models.Model):
    """A seat of a live game: how far it was asked, the strikes it has, its clock, and the decision that it owes.

    ``asked`` is the id of its last decision, counted from 1 for itself. ``owes``: this decision is still open. It is
    sent from ``due_at`` and lost at ``deadline``. ``log_asked`` is the length of its log at this decision, and
    ``log_before`` at the one before it. A hosted seat has no deadline, because the worker that plays it
    measures the time. The clock starts at ``due_at``, or for a person at ``Table.followed_at`` if that is later.
    ``bank_ms`` and ``game_ms`` are what was left when it was asked. ``latency_ms`` is what the network took of its
    last answer, by the time that the client reports.

    In a person's seat, who is away too long is stood in for: ``substitute`` plays, asked like a hosted seat, until they
    come back. ``forfeit_at`` is set by a forfeit, or by a resignation after which a substitute plays on. ``guest`` is
    the SHA-256 of the secret that gives a guest access, and ``guest_address`` is the keyed hash of their IP address.
    ``Occupant`` says who sat there when.
    """

    class Kind(models.TextChoices):
        HOSTED = "hosted", "program that the site runs"
        REMOTE = "remote", "program that its owner runs"
        PERSON = "person", "a person"
        SUBSTITUTE = "substitute", "hosted bot in the seat of a human player"

    ASKED_BY_WORKERS = (Kind.HOSTED, Kind.SUBSTITUTE)
    OF_PEOPLE = (Kind.PERSON, Kind.SUBSTITUTE)

    seat = models.OneToOneField(Seat, on_delete=models.PROTECT, primary_key=True, related_name="live_seat")
    table = models.ForeignKey(Table, on_delete=models.PROTECT, related_name="live_seats")
    kind = models.CharField(max_length=10, choices=Kind)
    asked = models.PositiveIntegerField(default=0)
    owes = models.BooleanField(default=False)
    log_asked = models.PositiveIntegerField(default=0, db_default=0, help_text="length of the log at the last decision")
    log_before = models.PositiveIntegerField(
        default=0, db_default=0, help_text="length of the log at the decision before it"
    )
    due_at = models.DateTimeField(null=True, blank=True)
    deadline = models.DateTimeField(null=True, blank=True)
    lease = models.UUIDField(null=True, blank=True, help_text="lease of the worker that asks for the open decision")
    lease_until = models.DateTimeField(null=True, blank=True)
    worker = models.CharField(
        max_length=120, blank=True, default="", db_default="", help_text="the worker that claimed a decision last"
    )
    claimed = models.DateTimeField(null=True, blank=True, help_text="when it did")
    starts = models.PositiveIntegerField(default=0, help_text="number of program starts in this game")
    strikes = models.PositiveSmallIntegerField(default=0)
    bank_ms = models.PositiveIntegerField()
    game_ms = models.PositiveIntegerField()
    latency_ms = models.PositiveIntegerField(null=True, blank=True)
    forfeit = models.CharField(max_length=10, choices=FORFEITS, blank=True)
    forfeit_at = models.PositiveIntegerField(
        null=True, blank=True, help_text="number of steps recorded when the seat gave up; null if unknown"
    )
    evidence = models.CharField(max_length=500, blank=True, help_text="evidence for the forfeit")
    guest = models.CharField(max_length=64, blank=True, default="", db_default="", help_text="SHA-256, hex")
    guest_address = models.CharField(max_length=64, blank=True, default="", db_default="", help_text="keyed hash, hex")
    substitute = models.ForeignKey(
        BotVersion,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
        help_text="present or former substitute bot",
    )
    seen_at = models.DateTimeField(null=True, blank=True, help_text="time at which the player was last seen")
    left_at = models.DateTimeField(null=True, blank=True, help_text="time at which the player left")
    missed = models.PositiveSmallIntegerField(default=0, db_default=0, help_text="consecutive missed decisions")
    returned = models.BooleanField(
        default=False, db_default=False, help_text="whether the player has already returned once"
    )
    resigned = models.BooleanField(
        default=False, db_default=False, help_text="whether the player resigned and a substitute plays"
    )
    would_abort = models.BooleanField(default=False, db_default=False, help_text="whether the player agrees to abort")

    class Meta:
        ordering = ["seat"]
        indexes = [
            models.Index(name="live_seat_deadlines", fields=["deadline"], condition=Q(owes=True)),
            models.Index(name="live_seat_by_guest", fields=["guest"], condition=~Q(guest="")),
            models.Index(name="live_seat_by_address", fields=["guest_address"], condition=~Q(guest_address="")),
            models.Index(name="live_seat_to_be_woken", fields=["due_at"], condition=Q(owes=True, kind__in=ASKED)),
        ]
        constraints = [
            models.CheckConstraint(
                name="live_seat_kind_is_known", condition=Q(kind__in=["hosted", "remote", "person", "substitute"])
            ),
            models.CheckConstraint(
                name="live_seat_that_owes_knows_when_it_was_asked",
                condition=Q(owes=False, due_at=None, deadline=None) | Q(owes=True, due_at__isnull=False, asked__gte=1),
            ),
            models.CheckConstraint(
                name="live_seat_has_a_deadline_unless_a_worker_asks_it",
                condition=Q(owes=False)
                | Q(kind__in=ASKED, deadline=None)
                | ~Q(kind__in=ASKED) & Q(deadline__isnull=False),
            ),
            models.CheckConstraint(
                name="live_seat_has_a_lease_only_while_a_worker_asks_it",
                condition=Q(lease=None, lease_until=None)
                | Q(owes=True, kind__in=ASKED, lease__isnull=False, lease_until__isnull=False),
            ),
            models.CheckConstraint(
                name="live_seat_with_a_substitute_says_who",
                condition=~Q(kind="substitute") | Q(substitute__isnull=False),
            ),
            models.CheckConstraint(
                name="live_seat_of_a_guest_is_a_persons",
                condition=Q(guest="") | Q(kind__in=["person", "substitute"]) & Q(Exact(Length("guest"), 64)),
            ),
            models.CheckConstraint(name="live_seat_forfeits_with_evidence", condition=~Q(forfeit="") | Q(evidence="")),
            models.CheckConstraint(
                name="live_seat_gave_up_by_a_forfeit_or_a_resignation",
                condition=~Q(forfeit="") | Q(resigned=True) | Q(forfeit_at=None),
            ),
            models.CheckConstraint(
                name="live_seat_that_forfeited_owes_nothing", condition=Q(forfeit="") | Q(owes=False)
            ),
        ]

    def __str__(self) -> str:
        return f"live seat of {self.seat}"

    @property
    def playing(self) -> BotVersion:
        """Who really answers: the version of the seat, or the one that stands in for its person."""
        if self.kind == self.Kind.SUBSTITUTE and self.substitute is not None:
            return self.substitute
        return self.seat.version

    def close_decision(self) -> None:
        """The seat owes nothing, so no worker asks it. The caller saves the row."""
        self.owes = False
        self.due_at = self.deadline = self.lease = self.lease_until = None


class Occupant(models.Model):
    """Who sat at a seat from which move on, kept beside the record: a person, or the bot that stood in for them.

    ``from_move`` and ``to_move``, which is not part of it, are numbers of ``PlayedMove``; an open one goes on. Every
    seat of a table with people has one from the opening on.
    """

    match = models.ForeignKey(Match, on_delete=models.PROTECT, related_name="occupants")
    seat = models.ForeignKey(Seat, on_delete=models.PROTECT, related_name="occupants")
    version = models.ForeignKey(BotVersion, on_delete=models.PROTECT, related_name="+")
    from_move = models.PositiveIntegerField()
    to_move = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        ordering = ["match", "seat", "from_move", "pk"]
        constraints = [
            models.UniqueConstraint(name="occupant_one_open_a_seat", fields=["seat"], condition=Q(to_move=None)),
            models.CheckConstraint(
                name="occupant_ends_after_it_begins", condition=Q(to_move=None) | Q(to_move__gte=F("from_move"))
            ),
        ]

    def __str__(self) -> str:
        return f"{self.version} at {self.seat} from move {self.from_move}"


class Outage(models.Model):
    """A time in which the site was unavailable to a table with people, so that running clocks were extended by it.

    ``before_move`` is the number of the ``PlayedMove`` that came next.
    """

    match = models.ForeignKey(Match, on_delete=models.PROTECT, related_name="outages")
    before_move = models.PositiveIntegerField()
    ended = models.DateTimeField()
    ms = models.PositiveIntegerField(help_text="ms since the last heartbeat before it")

    class Meta:
        ordering = ["match", "ended"]
        indexes = [models.Index(name="outage_by_end", fields=["ended"])]

    def __str__(self) -> str:
        return f"outage of {self.ms} ms at {self.match}"

    @property
    def began(self) -> datetime:
        return self.ended - timedelta(milliseconds=self.ms)


class PlayedMove(models.Model):
    """One move of a live game, appended. ``number`` counts a game's from 0, in the order in which they count.

    Forced moves have no row: playing the others gives them. ``decision`` is the id under which the seat was asked;
    without one the platform played for a seat that had forfeited, or whose game was played out after all others had
    gone. ``default`` says why it is the default move. ``answer`` is a hash of what was answered, so that the same
    answer is known again. ``round`` is ``Table.round`` after it. The other seats are shown it at ``visible_at``, with
    what followed by force, up to the first forced step of a veiled kind (``Rules.veiled``): each of those comes after
    another one of ``delays``.
    """

    match = models.ForeignKey(Match, on_delete=models.PROTECT, related_name="played_moves")
    number = models.PositiveIntegerField()
    seat = models.ForeignKey(Seat, on_delete=models.PROTECT, related_name="played_moves")
    decision = models.PositiveIntegerField(null=True, blank=True)
    move = models.JSONField()
    default = models.CharField(max_length=10, choices=DEFAULTS, blank=True)
    answer = models.CharField(max_length=64, blank=True)
    detail = models.CharField(max_length=500, blank=True, help_text="problem of the answer, for the owner")
    heard = models.CharField(max_length=600, blank=True, help_text="escaped start of the answer, for the owner")
    kind = models.CharField(max_length=20, help_text="kind of the decision")
    round = models.PositiveIntegerField()
    asked_at = models.DateTimeField(null=True, blank=True)
    received_at = models.DateTimeField(db_default=Now())
    visible_at = models.DateTimeField(db_default=Now())
    delays = models.JSONField(
        default=list, blank=True, help_text="delay in ms before each hidden forced step after the decision"
    )
    wall_ms = models.PositiveIntegerField(default=0, help_text="time charged to the seat")
    thought_ms = models.PositiveIntegerField(null=True, blank=True, help_text="thinking time that the client reported")

    class Meta:
        ordering = ["match", "number"]
        constraints = [
            models.UniqueConstraint(name="played_move_number_once_a_match", fields=["match", "number"]),
            models.UniqueConstraint(name="played_move_decision_once_a_seat", fields=["seat", "decision"]),
            models.CheckConstraint(
                name="played_move_without_a_decision_is_a_default",
                condition=Q(decision__isnull=False, decision__gte=1)
                | Q(decision=None, default__in=["forfeit", "absent"]),
            ),
            models.CheckConstraint(
                name="played_move_is_shown_after_it_came", condition=Q(visible_at__gte=F("received_at"))
            ),
        ]

    def __str__(self) -> str:
        return f"move {self.number} of match {self.match_id}"
