"""The list of a person's own bots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, OuterRef, Prefetch, Q, Subquery, Sum
from django.utils.translation import gettext as _

from bots import remote
from bots.models import Bot, BotVersion
from ladder.models import Entry
from ladder.models.ladders import Viewer
from ladder.pages.owning.trial import Trial


@dataclass(frozen=True)
class Mine:
    """One of the person's bots, with its newest version and the one that plays."""

    bot: Bot
    trial: Trial | None
    active: BotVersion | None
    here: bool

    @property
    def state(self) -> str:
        """How it stands, in words."""
        if self.bot.retired is not None:
            return _("retired")
        if self.bot.suspended is not None:
            return _("suspended")
        if self.bot.on_leave is not None:
            return _("on leave")
        if self.active is None:
            return _("does not play yet")
        if self.bot.kind == Bot.Kind.REMOTE:
            return _("remote, here now") if self.here else _("remote, away")
        return _("v%(number)s plays") % {"number": self.active.number}

    @property
    def news(self) -> str:
        """What is to be said of its newest version, where that is not the one that plays."""
        if self.trial is None or self.trial.version == self.active:
            return ""
        return self.trial.heading


def my_bots(owner: Viewer) -> Sequence[Mine]:
    """All bots of ``owner``, those that play first; three queries. Settings limit how many a person has."""
    newest = BotVersion.objects.filter(bot=OuterRef("bot")).order_by("-number").values("pk")[:1]
    shown = BotVersion.objects.filter(Q(active=True) | Q(pk=Subquery(newest)))
    versions = shown.defer("check_report").order_by("-number")
    entries = Entry.objects.filter(active=True).select_related("ladder").order_by("ladder")
    bots = (
        Bot.objects.of_code()
        .filter(owner=owner.pk)
        .annotate(played=Sum("entries__games", default=0), here=Exists(remote.here().filter(pk=OuterRef("pk"))))
        .prefetch_related(Prefetch("versions", queryset=versions), Prefetch("entries", queryset=entries))
        .order_by("-retired", "name", "pk")
    )
    return sorted((_mine(bot) for bot in bots), key=lambda mine: mine.bot.retired is not None)


def _mine(bot: Any) -> Mine:
    versions = list(bot.versions.all())
    active = next((version for version in versions if version.active), None)
    checked = versions and bot.kind != Bot.Kind.REMOTE
    return Mine(bot, Trial(versions[0]) if checked else None, active, bot.here)
