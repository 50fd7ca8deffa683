"""Proposals of live games, searches for an opponent, and reports about the names of guests."""

from __future__ import annotations

from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Length, Now
from django.db.models.lookups import Exact

from bots.models import Bot
from bots.names import MAX_GUEST_NAME, guest_label
from ladder.models.ladders import Ladder
from ladder.models.matches import Match, Seat


class ProposalQuerySet(models.QuerySet["Proposal"]):
    """Proposals of live games."""

    def waiting(self) -> Self:
        """Those that can still be joined or accepted."""
        return self.filter(state="open", expires__gt=Now())

    def challenges(self) -> Self:
        """Challenges, rematches among them: every player was named."""
        return self.filter(kind="challenge")

    def games(self) -> Self:
        """All others: open games, games by an invite link and games against bots."""
        return self.exclude(kind="challenge")


class Proposal(models.Model):
    """A live game that a person proposes on ``ladder``. It begins once all seats have players who accept.

    Anyone may join an ``open`` game, and players who know its ``token`` one by ``link``. A game against ``bots`` begins
    at once. A ``challenge`` names all its players. ``again`` is the match of which a challenge is the rematch.

    ``clock`` names one of ``ladder.matchmaking.game_start.CLOCKS``; it is empty for challenges. A challenge without
    ``limits`` uses those of the ladder. ``match`` is the game that has begun. Without ``by``, a guest has proposed a
    casual game by link or a rematch; ``by_guest`` is the SHA-256 of their secret, for a while.
    """

    class Kind(models.TextChoices):
        OPEN = "open", "for everyone"
        LINK = "link", "by an invite link"
        BOTS = "bots", "against bots"
        CHALLENGE = "challenge", "for named players"

    class State(models.TextChoices):
        OPEN = "open"
        STARTED = "started"
        DECLINED = "declined"
        EXPIRED = "expired"
        WITHDRAWN = "withdrawn"

    ladder = models.ForeignKey(Ladder, on_delete=models.PROTECT, related_name="proposals")
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="proposals"
    )
    by_guest = models.CharField(max_length=64, blank=True, default="", db_default="", help_text="SHA-256, hex")
    kind = models.CharField(max_length=10, choices=Kind, default=Kind.OPEN)
    rated = models.BooleanField(default=False)
    clock = models.CharField(max_length=10, blank=True, default="")
    limits = models.JSONField(default=dict, blank=True, help_text="all fields of bots.protocol.Limits")
    token = models.CharField(max_length=43, blank=True, default="", help_text="secret part of the link")
    again = models.ForeignKey(Match, null=True, blank=True, on_delete=models.PROTECT, related_name="rematches")
    state = models.CharField(max_length=10, choices=State, default=State.OPEN)
    match = models.OneToOneField(Match, null=True, blank=True, on_delete=models.PROTECT, related_name="proposal")
    created = models.DateTimeField(db_default=Now(), editable=False)
    expires = models.DateTimeField()
    ended = models.DateTimeField(null=True, blank=True)

    objects = ProposalQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]
        indexes = [
            models.Index(name="proposal_open", fields=["expires"], condition=Q(state="open")),
            models.Index(name="proposal_by_person", fields=["by", "-created"]),
        ]
        constraints = [
            models.CheckConstraint(
                name="proposal_kind_is_known", condition=Q(kind__in=["open", "link", "bots", "challenge"])
            ),
            models.CheckConstraint(
                name="proposal_state_is_known",
                condition=Q(state__in=["open", "started", "declined", "expired", "withdrawn"]),
            ),
            models.UniqueConstraint(name="proposal_token_once", fields=["token"], condition=~Q(token="")),
            models.CheckConstraint(name="proposal_by_link_has_a_token", condition=~Q(kind="link") | ~Q(token="")),
            models.CheckConstraint(
                name="proposal_of_a_guest_is_casual_by_link_or_a_rematch",
                condition=Q(by__isnull=False, by_guest="") | Q(by=None, kind__in=["link", "challenge"], rated=False),
            ),
            models.CheckConstraint(
                name="proposal_declined_is_a_challenge", condition=~Q(state="declined") | Q(kind="challenge")
            ),
            models.CheckConstraint(
                name="proposal_of_a_rematch_is_a_challenge", condition=Q(again=None) | Q(kind="challenge")
            ),
            models.CheckConstraint(
                name="proposal_has_a_match_once_started",
                condition=Q(state="started", match__isnull=False) | ~Q(state="started") & Q(match=None),
            ),
            models.CheckConstraint(
                name="proposal_has_an_end_when_it_has_ended",
                condition=Q(state="open", ended=None) | ~Q(state="open") & Q(ended__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"proposal {self.pk}"

    @property
    def by_name(self) -> str:
        """The name of the user or guest who made the proposal."""
        if self.by is not None:
            return self.by.username
        theirs = (player.name for player in self.players.all() if player.guest and player.guest == self.by_guest)
        return next(theirs, guest_label(""))


class ProposalPlayer(models.Model):
    """A player of a proposal. ``accepted`` is null until a player who was asked has answered.

    ``index`` counts from 0, in the order in which players were named or joined. Guests share one ``bot``: ``guest`` is
    the SHA-256 of their secret, ``guest_name`` their name and ``guest_address`` the keyed hash of their IP address. A
    house bot can play several seats: ``copy`` counts them from 0.
    """

    proposal = models.ForeignKey(Proposal, on_delete=models.PROTECT, related_name="players")
    index = models.PositiveSmallIntegerField()
    bot = models.ForeignKey(Bot, on_delete=models.PROTECT, related_name="proposals")
    copy = models.PositiveSmallIntegerField(default=0, db_default=0)
    accepted = models.BooleanField(null=True, blank=True)
    guest = models.CharField(max_length=64, blank=True, default="", db_default="", help_text="SHA-256, hex")
    guest_name = models.CharField(max_length=MAX_GUEST_NAME, blank=True, default="", db_default="")
    guest_address = models.CharField(max_length=64, blank=True, default="", db_default="", help_text="keyed hash, hex")

    class Meta:
        ordering = ["proposal", "index"]
        indexes = [
            models.Index(name="proposal_player_by_guest", fields=["guest"], condition=~Q(guest="")),
            models.Index(name="proposal_player_by_address", fields=["guest_address"], condition=~Q(guest_address="")),
        ]
        constraints = [
            models.UniqueConstraint(name="proposal_player_index_once", fields=["proposal", "index"]),
            models.UniqueConstraint(name="proposal_player_once", fields=["proposal", "bot", "guest", "copy"]),
            models.CheckConstraint(name="proposal_player_guest_plays_once", condition=Q(guest="") | Q(copy=0)),
            models.CheckConstraint(
                name="proposal_player_guest_is_sha256", condition=Q(guest="") | Q(Exact(Length("guest"), 64))
            ),
        ]

    def __str__(self) -> str:
        return f"{self.bot} in {self.proposal}"

    @property
    def name(self) -> str:
        """The name of the bot, person or guest."""
        return guest_label(self.guest_name) if self.guest else self.bot.name


class Pairing(models.Model):
    """A person, by the row that plays for them, looks for a rated game on ``ladder`` right now; gone when it is found.

    Since when, and when the browser last said so: who says nothing any more is not paired.
    """

    bot = models.OneToOneField(Bot, on_delete=models.CASCADE, related_name="pairing")
    ladder = models.ForeignKey(Ladder, on_delete=models.CASCADE, related_name="pairings")
    since = models.DateTimeField(db_default=Now())
    seen_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["since", "pk"]
        indexes = [
            models.Index(name="pairing_by_ladder", fields=["ladder", "since"]),
            models.Index(name="pairing_seen", fields=["seen_at"]),
        ]

    def __str__(self) -> str:
        return f"{self.bot} looks for a game on {self.ladder}"


class GuestNameReport(models.Model):
    """A user reports the name of a guest at a table to moderators, or a moderator removes it.

    ``name`` is what was reported; it is kept if the name was ``removed``. All rows about a guest are settled together.
    """

    seat = models.ForeignKey(Seat, on_delete=models.PROTECT, related_name="guest_name_reports")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="guest_name_reports")
    name = models.CharField(max_length=MAX_GUEST_NAME)
    created = models.DateTimeField(db_default=Now(), editable=False)
    settled_at = models.DateTimeField(null=True, blank=True)
    settled_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    removed = models.BooleanField(default=False, db_default=False, help_text="whether the name was removed")

    class Meta:
        ordering = ["-pk"]
        indexes = [models.Index(name="guest_name_report_open", fields=["created"], condition=Q(settled_at=None))]
        constraints = [
            models.UniqueConstraint(name="guest_name_report_once_a_person", fields=["seat", "by"]),
            models.CheckConstraint(
                name="guest_name_report_settled_by_somebody_is_settled",
                condition=Q(settled_by=None) | Q(settled_at__isnull=False),
            ),
            models.CheckConstraint(
                name="guest_name_removed_is_settled", condition=Q(removed=False) | Q(settled_at__isnull=False)
            ),
        ]

    def __str__(self) -> str:
        return f"name of the guest at {self.seat}"
