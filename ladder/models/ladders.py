"""A ladder and who stands on it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeAlias

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.db import models
from django.db.models import Q

from bots.models import Bot, BotVersion
from esr_platform.accounts.roles import has_role
from ladder.ratings.chain import GENESIS
from ladder.ratings.elo import START_RATING
from ladder.ratings.shares import WIN, win_rate

Viewer: TypeAlias = AbstractBaseUser | AnonymousUser


class LadderQuerySet(models.QuerySet["Ladder"]):
    def visible_to(self, user: Viewer) -> LadderQuerySet:
        """Those that ``user`` may know of: a private one is there for its members and for staff alone.

        Whatever shows ladders, or anything that stands on one, asks this first.
        """
        if has_role(user):
            return self.all()
        if user.pk is None:
            return self.filter(private=False)
        return self.filter(Q(private=False) | Q(pk__in=Invitation.objects.filter(person=user.pk).values("ladder")))


class Ladder(models.Model):
    """Rated play of one game with one number of seats.

    ``players`` says who sits at its tables: hosted code alone, which plays in blocks; remote bots alone; people alone;
    or all of them. Games of anybody but hosted code are live ones (``ladder.live``), each with a deal of its own.
    ``by_invitation`` says that only members enter their bots, each by their own choice; ``private``, which only such a
    ladder can be, that nobody else knows of it. While it is ``paused`` (``ladder.operations``), no match of it begins,
    also none of a cup or an exhibition. From ``freezes_at`` on nobody enters, and each membership goes on with
    the version that played then (``ladder.matches.playing_versions``).
    """

    class Players(models.TextChoices):
        HOSTED = "hosted", "hosted bots"
        REMOTE = "remote", "remote bots"
        OPEN = "open", "everyone"
        PEOPLE = "people", "people"

    slug = models.SlugField(max_length=60, unique=True)
    name = models.CharField(max_length=80)
    players = models.CharField(max_length=10, choices=Players, default=Players.HOSTED)
    game = models.CharField(max_length=60, help_text="a slug of games.registry.GAMES")
    seats = models.PositiveSmallIntegerField()
    limits = models.JSONField(
        default=dict, blank=True, help_text="bots.runner.spec.Limits that differ from the default"
    )
    weight = models.PositiveSmallIntegerField(default=1, help_text="share of the workers, relative to other ladders")
    open = models.BooleanField(default=True, help_text="whether new matches are scheduled")
    paused = models.DateTimeField(null=True, blank=True, help_text="no match begins since")
    pause_reason = models.CharField(max_length=500, blank=True, default="", db_default="", help_text="public")
    by_invitation = models.BooleanField(default=False, help_text="whether only bots of members can join")
    private = models.BooleanField(default=False, help_text="whether only members and site staff can see it")
    invitation = models.CharField(max_length=43, blank=True, help_text="secret part of the join link")
    freezes_at = models.DateTimeField(null=True, blank=True, help_text="time at which versions are frozen")
    opened_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    next_ledger = models.PositiveBigIntegerField(default=1, editable=False)
    ledger_head = models.CharField(max_length=64, default=GENESIS, editable=False, help_text="hash of the last entry")
    created = models.DateTimeField(auto_now_add=True)

    objects = LadderQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(
                name="ladder_private_is_by_invitation", condition=Q(private=False) | Q(by_invitation=True)
            ),
            models.UniqueConstraint(name="ladder_invitation_once", fields=["invitation"], condition=~Q(invitation="")),
            models.CheckConstraint(
                name="ladder_players_are_known", condition=Q(players__in=["hosted", "remote", "open", "people"])
            ),
            models.CheckConstraint(name="ladder_has_two_to_five_seats", condition=models.Q(seats__range=(2, 5))),
            models.CheckConstraint(
                name="ladder_paused_says_why",
                condition=Q(paused__isnull=True, pause_reason="") | Q(paused__isnull=False) & ~Q(pause_reason=""),
            ),
            models.CheckConstraint(name="ladder_ledger_counts_from_one", condition=models.Q(next_ledger__gte=1)),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_standard(self) -> bool:
        """Whether every site has this ladder of its format and kind of players (``ladder.creation.open_house``)."""
        suffix = STANDARD_SUFFIXES[self.Players(self.players)]
        return self.slug in (f"{self.game}{suffix}", f"{self.game}-{self.seats}{suffix}")

    @property
    def plays(self) -> bool:
        """Whether new matches are scheduled and begin."""
        return self.open and self.paused is None

    @property
    def live(self) -> bool:
        """Whether its games are live ones, one at a time, and not blocks."""
        return self.players != self.Players.HOSTED

    @property
    def for_house(self) -> bool:
        """Whether the house's bots sit there."""
        return self.players in (self.Players.HOSTED, self.Players.OPEN)

    @property
    def for_people(self) -> bool:
        """Whether people sit there themselves."""
        return self.players in (self.Players.PEOPLE, self.Players.OPEN)


STANDARD_SUFFIXES: Final[Mapping[Ladder.Players, str]] = {
    Ladder.Players.HOSTED: "",
    Ladder.Players.REMOTE: "-remote",
    Ladder.Players.OPEN: "-open",
    Ladder.Players.PEOPLE: "-people",
}
"""The ending of the slug of a standard ladder, by kind of players."""


class Invitation(models.Model):
    """Somebody who was invited to a ladder: by its link, or by name."""

    ladder = models.ForeignKey(Ladder, on_delete=models.CASCADE, related_name="invitations")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="invitations")
    created = models.DateTimeField(auto_now_add=True)
    agreed = models.DateTimeField(
        null=True, blank=True, help_text="when the member accepted it and let organizers add bots"
    )

    class Meta:
        ordering = ["ladder", "pk"]
        constraints = [models.UniqueConstraint(name="invitation_once_a_person", fields=["ladder", "person"])]

    def __str__(self) -> str:
        return f"{self.person} on {self.ladder}"


class MembershipQuerySet(models.QuerySet["Membership"]):
    def listed(self) -> MembershipQuerySet:
        """Those that the standings list: members that get games, and former members that have played."""
        return self.filter(Q(active=True) | Q(games__gt=0))


class Membership(models.Model):
    """A bot on a ladder, with what its rated matches of the season have added up to.

    ``rating`` and ``last_change`` are in 1/1000 point. ``win_shares`` are in 1/60 of a win: k winners get 60/k each.
    Everything but ``active`` and ``declined`` is a function of the ladder's ledger (``ladder.ledger.rebuild``). The
    wish in ``declined`` outlives every version; ``ladder.members.memberships`` keeps ``active`` at what follows from
    it. ``frozen`` is the version that plays here whichever is the bot's active one, once the ladder has frozen
    (``ladder.matches.playing_versions``).
    """

    ladder = models.ForeignKey(Ladder, on_delete=models.PROTECT, related_name="memberships")
    bot = models.ForeignKey(Bot, on_delete=models.PROTECT, related_name="memberships")
    rating = models.BigIntegerField(default=START_RATING)
    last_change = models.BigIntegerField(default=0)
    games = models.PositiveIntegerField(default=0)
    win_shares = models.PositiveBigIntegerField(default=0)
    active = models.BooleanField(default=True, help_text="whether the bot gets new matches")
    declined = models.BooleanField(default=False, help_text="whether the owner declined matches")
    frozen = models.ForeignKey(
        BotVersion, null=True, blank=True, on_delete=models.PROTECT, related_name="frozen_in", editable=False
    )
    created = models.DateTimeField(auto_now_add=True)

    objects = MembershipQuerySet.as_manager()

    class Meta:
        ordering = ["ladder", "-rating", "pk"]
        indexes = [models.Index(name="membership_by_rating", fields=["ladder", "-rating"])]
        constraints = [
            models.UniqueConstraint(name="membership_once_a_bot_and_ladder", fields=["ladder", "bot"]),
            models.CheckConstraint(
                name="membership_declined_is_not_active", condition=~models.Q(active=True, declined=True)
            ),
            models.CheckConstraint(
                name="membership_wins_at_most_its_games", condition=models.Q(win_shares__lte=models.F("games") * WIN)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.bot} on {self.ladder}"

    @property
    def points(self) -> float:
        """The rating in points, for people; arithmetic uses ``rating``."""
        return self.rating / 1000

    @property
    def win_rate(self) -> float | None:
        """Wins per game, 0 to 1; a win that k players share counts 1/k for each; ``None`` before the first game."""
        return win_rate(self.win_shares, self.games)

    @property
    def listed(self) -> bool:
        """Whether the standings list it."""
        return self.active or self.games > 0
