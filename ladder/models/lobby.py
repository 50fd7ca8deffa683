"""How people find a game: seats that somebody offers, the search for an opponent, and tables of guests."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Length, Now
from django.db.models.lookups import Exact

from bots.models import Bot
from ladder.models.ladders import Ladder
from ladder.models.matches import Match


class Seek(models.Model):
    """Somebody offers seats at a table of ``ladder``; it begins once ``SeekPlayer`` has everybody. ``match`` is it.

    An ``open`` one stands in the lobby, one by ``link`` is for whoever has its ``token``, and one against ``bots`` is
    filled by those that were named. ``clock`` names one of ``ladder.matchmaking.begin.CLOCKS``.
    """

    class Kind(models.TextChoices):
        OPEN = "open", "for everybody"
        LINK = "link", "by an invite link"
        BOTS = "bots", "against bots"

    class State(models.TextChoices):
        OPEN = "open"
        STARTED = "started"
        WITHDRAWN = "withdrawn"
        EXPIRED = "expired"

    ladder = models.ForeignKey(Ladder, on_delete=models.PROTECT, related_name="seeks")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="seeks")
    rated = models.BooleanField(default=False)
    clock = models.CharField(max_length=10)
    kind = models.CharField(max_length=10, choices=Kind, default=Kind.OPEN)
    token = models.CharField(max_length=43, blank=True, default="", help_text="the secret part of its link")
    state = models.CharField(max_length=10, choices=State, default=State.OPEN)
    match = models.OneToOneField(Match, null=True, blank=True, on_delete=models.PROTECT, related_name="seek")
    created = models.DateTimeField(db_default=Now(), editable=False)
    expires = models.DateTimeField()
    ended = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-pk"]
        indexes = [
            models.Index(name="seek_open", fields=["expires"], condition=Q(state="open")),
            models.Index(name="seek_by_person", fields=["by", "-created"]),
        ]
        constraints = [
            models.CheckConstraint(name="seek_kind_is_known", condition=Q(kind__in=["open", "link", "bots"])),
            models.CheckConstraint(
                name="seek_state_is_known", condition=Q(state__in=["open", "started", "withdrawn", "expired"])
            ),
            models.UniqueConstraint(name="seek_token_once", fields=["token"], condition=~Q(token="")),
            models.CheckConstraint(name="seek_by_link_has_a_token", condition=~Q(kind="link") | ~Q(token="")),
            models.CheckConstraint(
                name="seek_has_a_match_once_started",
                condition=Q(state="started", match__isnull=False) | ~Q(state="started") & Q(match=None),
            ),
            models.CheckConstraint(
                name="seek_has_an_end_when_it_has_ended",
                condition=Q(state="open", ended=None) | ~Q(state="open") & Q(ended__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"seek {self.pk}"


class SeekPlayer(models.Model):
    """Who has taken a seat of a seek, as a player; ``index`` counts from 0, in the order in which they came."""

    seek = models.ForeignKey(Seek, on_delete=models.PROTECT, related_name="players")
    index = models.PositiveSmallIntegerField()
    bot = models.ForeignKey(Bot, on_delete=models.PROTECT, related_name="seeks")

    class Meta:
        ordering = ["seek", "index"]
        constraints = [
            models.UniqueConstraint(name="seek_player_index_once", fields=["seek", "index"]),
            models.UniqueConstraint(name="seek_player_once", fields=["seek", "bot"]),
        ]

    def __str__(self) -> str:
        return f"{self.bot} in {self.seek}"


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


class GuestTable(models.Model):
    """A guest's casual game against the house: what is kept of their secret and, hashed, of their address."""

    match = models.OneToOneField(Match, on_delete=models.PROTECT, related_name="guest_table")
    secret_hash = models.CharField(max_length=64, help_text="SHA-256 of the guest's secret, hex")
    address = models.CharField(max_length=64, help_text="keyed hash of the network address, hex; empty once forgotten")
    created = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["-pk"]
        indexes = [
            models.Index(name="guest_table_by_secret", fields=["secret_hash", "-created"]),
            models.Index(name="guest_table_by_address", fields=["address", "-created"]),
            models.Index(name="guest_table_by_time", fields=["-created"]),
        ]
        constraints = [
            models.CheckConstraint(name="guest_table_secret_is_sha256", condition=Exact(Length("secret_hash"), 64)),
        ]

    def __str__(self) -> str:
        return f"a guest's match {self.match_id}"
