"""People and the tokens that act for them."""

from __future__ import annotations

from datetime import timedelta
from hashlib import sha256
from typing import Any

from allauth.account.models import EmailAddress
from django.conf import settings
from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models.functions import Length, Lower, Now
from django.db.models.lookups import Exact
from django.utils import timezone

USED_WITHIN = timedelta(minutes=1)
"""``last_used`` is this exact: a token that is used all the time does not write a row each time."""


class User(AbstractUser):
    """A person with an account; ours from the first migration, so that it can grow without a new table."""

    wants_digests = models.BooleanField(default=True, help_text="whether they get the daily email")
    chat = models.BooleanField(default=True, db_default=True, help_text="whether they see and write chat at tables")
    next_digest = models.DateTimeField(null=True, blank=True, editable=False, help_text="none is written before")
    told_until = models.DateTimeField(null=True, blank=True, editable=False, help_text="what letters have told of")
    feed_epoch = models.PositiveIntegerField(
        default=0, db_default=0, editable=False, help_text="one more ends the URL of the private feed"
    )
    terms_version = models.CharField(max_length=20, blank=True, editable=False, help_text="of the terms last accepted")
    terms_accepted = models.DateTimeField(null=True, blank=True, editable=False)
    session_epoch = models.PositiveIntegerField(default=0, editable=False, help_text="one more ends all sessions")
    suspended = models.DateTimeField(null=True, blank=True, editable=False)
    suspension_reason = models.CharField(max_length=500, blank=True, editable=False, help_text="for the person")
    deleted = models.DateTimeField(null=True, blank=True, editable=False, help_text="when its owner deleted it")
    erased = models.DateTimeField(null=True, blank=True, editable=False, help_text="when nothing was left to be erased")

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
        ]

    def _get_session_auth_hash(self, secret: Any = None) -> str:
        """What a session is bound to: the password, as Django has it, and the epoch; one more ends them all."""
        bound: str = super()._get_session_auth_hash(secret)  # type: ignore[misc]
        return bound if not self.session_epoch else f"{bound}:{self.session_epoch}"

    @property
    def email_address(self) -> str | None:
        """Where letters go: the primary address, once it has been verified."""
        found = EmailAddress.objects.filter(user=self, primary=True, verified=True).first()
        return None if found is None else str(found.email)


class FormerName(models.Model):
    """A user name that somebody had who is gone, by its ``account_pages.forms.fingerprint``: nobody else gets it."""

    digest = models.CharField(max_length=64, unique=True)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(name="former_name_is_sha256", condition=Exact(Length("digest"), 64)),
        ]

    def __str__(self) -> str:
        return self.digest[:12]


class Scope(models.TextChoices):
    """What a token may do. One word a scope; later scopes are added here and nowhere else. None contains another."""

    READ = "read", "read what its owner may see"
    PLAY = "play", "play with remote bots"
    UPLOAD = "upload", "upload bots"
    MANAGE = "manage", "manage bots, their ladders and orders"


class TokenQuerySet(models.QuerySet["Token"]):
    def live(self) -> TokenQuerySet:
        """Neither revoked nor expired, of people who may sign in."""
        return self.filter(models.Q(expires=None) | models.Q(expires__gt=Now()), revoked=None, user__is_active=True)


class Token(models.Model):
    """A secret that acts for its owner within its scopes. Only a hash is kept: what was issued is shown once.

    One of a ``bot`` acts for that remote bot alone, and can only play.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="tokens")
    name = models.CharField(max_length=60, help_text="what its owner calls it")
    hint = models.CharField(max_length=12, help_text="the beginning of the secret, to tell tokens apart")
    digest = models.CharField(max_length=64, unique=True, help_text="SHA-256 of the secret, hex")
    scopes = models.JSONField(default=list, help_text="a list of scopes")
    bot = models.ForeignKey(
        "bots.Bot",
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="tokens",
        help_text="the only one it plays",
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
        """Whether it still opens anything."""
        return self.revoked is None and (self.expires is None or self.expires > timezone.now())

    def allows(self, scope: Scope) -> bool:
        """Whether it may do what ``scope`` names."""
        return scope.value in self.scopes

    def note_use(self) -> None:
        """Remember that it was used just now."""
        now = timezone.now()
        if self.last_used is None or now - self.last_used > USED_WITHIN:
            Token.objects.filter(pk=self.pk).update(last_used=now)


def digest_of(secret: str) -> str:
    """What is kept of a secret. It has 256 random bits, so one SHA-256 is enough."""
    return sha256(secret.encode()).hexdigest()
