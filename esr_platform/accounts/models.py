"""Users and their API tokens."""

from __future__ import annotations

from datetime import timedelta
from hashlib import sha256
from typing import Any, ClassVar

from allauth.account.models import EmailAddress
from django.conf import settings
from django.contrib.auth.models import AbstractUser, UserManager
from django.db import models
from django.db.models.functions import Length, Lower, Now
from django.db.models.lookups import Exact
from django.utils import timezone

USED_WITHIN = timedelta(minutes=1)
"""Precision of ``last_used``, so that frequent use does not write the row each time."""


class Role(models.TextChoices):
    """What a member of the site staff may do (``esr_platform.accounts.roles``). Site admins have all roles."""

    MODERATOR = "moderator", "Moderator"
    OPERATOR = "operator", "Operator"
    ADMIN = "admin", "Site admin"


class RoleManager(UserManager["User"]):
    """Creates site admins for ``manage.py createsuperuser``."""

    def create_superuser(
        self, username: str, email: str | None = None, password: str | None = None, **extra: Any
    ) -> Any:
        """Create a site admin."""
        return super().create_superuser(username, email, password, role=Role.ADMIN, **extra)


class User(AbstractUser):
    """A user. A custom model from the first migration, so that fields can be added.

    ``role`` is empty for users who are not staff. Django's flags ``is_staff`` (any role) and ``is_superuser`` (site
    admin) follow from it. Only Django and other packages read them.
    """

    role = models.CharField(max_length=10, choices=Role, blank=True, default="", db_default="", editable=False)
    wants_digests = models.BooleanField(default=True, help_text="whether to send the daily email")
    chat = models.BooleanField(default=True, db_default=True, help_text="whether chat at tables is on")
    next_digest = models.DateTimeField(null=True, blank=True, editable=False, help_text="no digest is sent before")
    told_until = models.DateTimeField(null=True, blank=True, editable=False, help_text="news up to this time were sent")
    feed_epoch = models.PositiveIntegerField(
        default=0, db_default=0, editable=False, help_text="an increment invalidates the URL of the private feed"
    )
    terms_version = models.CharField(max_length=20, blank=True, editable=False, help_text="last accepted version")
    terms_accepted = models.DateTimeField(null=True, blank=True, editable=False)
    session_epoch = models.PositiveIntegerField(default=0, editable=False, help_text="an increment ends all sessions")
    suspended = models.DateTimeField(null=True, blank=True, editable=False)
    suspension_reason = models.CharField(max_length=500, blank=True, editable=False, help_text="reason for the user")
    deleted = models.DateTimeField(null=True, blank=True, editable=False, help_text="time of deletion by the owner")
    erased = models.DateTimeField(null=True, blank=True, editable=False, help_text="time when all data was erased")

    class Meta(AbstractUser.Meta):
        constraints = [
            models.UniqueConstraint(Lower("username"), name="username_once_whatever_the_case"),
            models.CheckConstraint(
                name="user_suspended_says_why_and_opens_nothing",
                condition=models.Q(suspended__isnull=True, suspension_reason="")
                | models.Q(suspended__isnull=False, is_active=False) & ~models.Q(suspension_reason=""),
            ),
            models.CheckConstraint(
                name="user_deleted_opens_nothing",
                condition=models.Q(deleted__isnull=True, erased__isnull=True)
                | models.Q(deleted__isnull=False, is_active=False, is_staff=False, is_superuser=False, email=""),
            ),
            models.CheckConstraint(
                name="user_flags_follow_from_the_role",
                condition=models.Q(role="", is_staff=False, is_superuser=False)
                | models.Q(role__in=["moderator", "operator"], is_staff=True, is_superuser=False)
                | models.Q(role="admin", is_staff=True, is_superuser=True),
            ),
        ]

    objects: ClassVar[RoleManager] = RoleManager()

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Save the user, with the flags that follow from the role."""
        for flag, value in flags_of(self.role).items():
            setattr(self, flag, value)
        super().save(*args, **kwargs)

    @property
    def moderates(self) -> bool:
        """Whether the user may moderate: reports, chat, cups and suspensions."""
        return self.role in (Role.MODERATOR, Role.ADMIN)

    @property
    def operates(self) -> bool:
        """Whether the user may run the site: queues, hosts, ladders, seasons and intake."""
        return self.role in (Role.OPERATOR, Role.ADMIN)

    @property
    def gives_roles(self) -> bool:
        """Whether the user may give roles to others."""
        return self.role == Role.ADMIN

    def _get_session_auth_hash(self, secret: Any = None) -> str:
        """The hash that binds a session to the password and the epoch, so that a new epoch ends all sessions."""
        bound: str = super()._get_session_auth_hash(secret)  # type: ignore[misc]
        return bound if not self.session_epoch else f"{bound}:{self.session_epoch}"

    @property
    def email_address(self) -> str | None:
        """The primary email address if it is verified, otherwise ``None``."""
        address = EmailAddress.objects.filter(user=self, primary=True, verified=True).first()
        return None if address is None else str(address.email)


def flags_of(role: str) -> dict[str, bool]:
    """The flags of Django that a user with ``role`` has."""
    return {"is_staff": role != "", "is_superuser": role == Role.ADMIN}


class Intake(models.TextChoices):
    """What operators can pause separately (``esr_platform.accounts.intake``)."""

    UPLOADS = "uploads", "Uploads"
    SIGN_UPS = "sign-ups", "Sign-ups"
    GUESTS = "guests", "Guests"


class IntakePause(models.Model):
    """A kind of ``Intake`` that is paused, with the public reason. The row is deleted when it is resumed."""

    kind = models.CharField(max_length=10, choices=Intake, unique=True)
    reason = models.CharField(max_length=500)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    since = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["kind"]

    def __str__(self) -> str:
        return f"pause of {self.kind}"


class FormerName(models.Model):
    """The hash of a former username, which no one else can use."""

    digest = models.CharField(max_length=64, unique=True)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(name="former_name_is_sha256", condition=Exact(Length("digest"), 64)),
        ]

    def __str__(self) -> str:
        return self.digest[:12]

    @staticmethod
    def digest_of(name: str) -> str:
        """The stored hash of a name, equal for spellings that differ only in case, hyphens or underscores."""
        plain = name.casefold().replace("_", "").replace("-", "")
        return sha256(f"former name: {plain}".encode()).hexdigest()


class Scope(models.TextChoices):
    """What a token may do. Scopes are defined only here. No scope includes another scope."""

    READ = "read", "read everything that the owner can see"
    PLAY = "play", "play with remote bots"
    UPLOAD = "upload", "upload bots"
    MANAGE = "manage", "manage bots, their ladders, cups and match requests"


class TokenQuerySet(models.QuerySet["Token"]):
    def live(self) -> TokenQuerySet:
        """Tokens of active users that are neither revoked nor expired."""
        return self.filter(models.Q(expires=None) | models.Q(expires__gt=Now()), revoked=None, user__is_active=True)


class Token(models.Model):
    """An API token that acts for its owner within its scopes. Only a hash of the secret is stored.

    A token with a ``bot`` can only play as that remote bot.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="tokens")
    name = models.CharField(max_length=60, help_text="name given by the owner")
    hint = models.CharField(max_length=12, help_text="start of the secret, to tell tokens apart")
    digest = models.CharField(max_length=64, unique=True, help_text="SHA-256 of the secret, hex")
    scopes = models.JSONField(default=list, help_text="a list of scopes")
    bot = models.ForeignKey(
        "bots.Bot",
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="tokens",
        help_text="the remote bot that the token is limited to",
    )
    created = models.DateTimeField(auto_now_add=True)
    last_used = models.DateTimeField(null=True, blank=True)
    expires = models.DateTimeField(null=True, blank=True)
    revoked = models.DateTimeField(null=True, blank=True)

    objects = TokenQuerySet.as_manager()

    class Meta:
        ordering = ["-created", "-pk"]
        constraints = [
            models.CheckConstraint(name="token_digest_is_sha256", condition=Exact(Length("digest"), 64)),
            models.CheckConstraint(
                name="token_of_a_bot_can_only_play", condition=models.Q(bot=None) | models.Q(scopes=["play"])
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.hint}…)"

    @property
    def live(self) -> bool:
        """Whether the token is valid."""
        return self.revoked is None and (self.expires is None or self.expires > timezone.now())

    def allows(self, scope: Scope) -> bool:
        """Whether the token has ``scope``."""
        return scope.value in self.scopes

    def note_use(self) -> None:
        """Store the time of this use."""
        now = timezone.now()
        if self.last_used is None or now - self.last_used > USED_WITHIN:
            Token.objects.filter(pk=self.pk).update(last_used=now)


def digest_of(secret: str) -> str:
    """The stored hash of a secret. The secret has 256 random bits, so one round of SHA-256 is enough."""
    return sha256(secret.encode()).hexdigest()
