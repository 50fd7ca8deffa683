"""The versions that play on ladders: the active ones, and on frozen ladders those of the deadline.

A ladder freezes at its own moment, by the database's clock. A membership is frozen by a periodic task, or before
another version of its bot may play, whichever comes first. House bots continue as they are installed, because code that
a newer installation has replaced cannot be played.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Now

from bots.models import Bot, BotVersion
from ladder.models import Ladder, Membership

BOTS_PER_RUN = 200


def frozen_ladders() -> QuerySet[Ladder]:
    """The ladders whose deadline has passed."""
    return Ladder.objects.filter(freezes_at__lte=Now())


def freeze(bot: Bot) -> None:
    """Pin what ``bot``, whose row the caller holds, plays on the ladders that are frozen by now.

    Call it before another version may play. A version whose check ended after a deadline was not there in time.
    """
    for membership in _due(Membership.objects.filter(bot=bot)):
        version = bot.versions.filter(active=True).values_list("pk", flat=True).first()
        Membership.objects.filter(pk=membership.pk, frozen=None).update(frozen=version)


def freeze_all() -> int:
    """Do that for every membership that is due; of how many bots. Safe to run twice at once."""
    bots = list(_due(Membership.objects.all()).order_by("bot").values_list("bot", flat=True).distinct()[:BOTS_PER_RUN])
    for bot_id in bots:
        with transaction.atomic():
            freeze(Bot.objects.select_for_update(no_key=True).get(pk=bot_id))
    return len(bots)


def _due(memberships: QuerySet[Membership]) -> QuerySet[Membership]:
    """Those that are to be frozen: the active version of their bot was there at the deadline."""
    in_time = Q(bot__versions__validated=None) | Q(bot__versions__validated__lte=F("ladder__freezes_at"))
    return memberships.filter(
        in_time, bot__versions__active=True, frozen=None, bot__owner__isnull=False, ladder__in=frozen_ladders()
    )


def playing_versions(
    memberships: Iterable[Membership], with_bot: str = "bot", fields: Sequence[str] = ()
) -> dict[int, BotVersion]:
    """By bot, the version that plays for its membership: the frozen one, else the bot's active one. Two queries.

    ``with_bot`` is what comes with each version: its ``bot``, or ``bot__owner`` too. ``fields`` are what is read of
    both, where that is not everything.
    """
    by_bot = {membership.bot_id: membership.frozen_id for membership in memberships}
    versions = BotVersion.objects.select_related(with_bot).defer("check_report")
    versions = versions.only(*fields) if fields else versions
    active = {
        version.bot_id: version
        for version in versions.filter(active=True, bot__in=[b for b, f in by_bot.items() if not f])
    }
    pinned = {version.bot_id: version for version in versions.filter(pk__in=[f for f in by_bot.values() if f])}
    return active | pinned
