"""Whose bots there are, and which code a bot has had. Not how code is run: that is ``bots.runner``."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models.functions import Length
from django.db.models.lookups import Exact


class Bot(models.Model):
    """A player made of code: a name that keeps its rating while its versions change.

    A bot belongs either to a person (``owner``) or to the house (``house_name``, an entry of ``bots.house.catalogue``).
    """

    slug = models.SlugField(max_length=60, unique=True)
    name = models.CharField(max_length=60)
    description = models.TextField(max_length=2000, blank=True)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="bots"
    )
    house_name = models.CharField(max_length=60, blank=True, editable=False)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name", "pk"]
        constraints = [
            models.CheckConstraint(
                name="bot_belongs_to_a_person_or_to_the_house",
                condition=models.Q(owner__isnull=False, house_name="")
                | models.Q(owner__isnull=True) & ~models.Q(house_name=""),
            ),
            models.UniqueConstraint(
                name="bot_house_name_once", fields=["house_name"], condition=~models.Q(house_name="")
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def active_version(self) -> BotVersion | None:
        """The version that new matches are given; ``None`` while the bot has none."""
        return self.versions.filter(active=True).first()


class BotVersion(models.Model):
    """One state of a bot's code, named by its hash; versions are appended and never change."""

    bot = models.ForeignKey(Bot, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    digest = models.CharField(max_length=64, help_text="SHA-256 of the code, hex")
    active = models.BooleanField(default=False, help_text="whether new matches are given this version")
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["bot", "number"]
        constraints = [
            models.UniqueConstraint(name="version_number_once_a_bot", fields=["bot", "number"]),
            models.UniqueConstraint(name="version_digest_once_a_bot", fields=["bot", "digest"]),
            models.UniqueConstraint(name="version_one_active_a_bot", fields=["bot"], condition=models.Q(active=True)),
            models.CheckConstraint(name="version_counts_from_one", condition=models.Q(number__gte=1)),
            models.CheckConstraint(name="version_digest_is_sha256", condition=Exact(Length("digest"), 64)),
        ]

    def __str__(self) -> str:
        return f"{self.bot} v{self.number}"
