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
    """Store the version of ``bot`` that plays on ladders that are frozen now. The caller has locked the row of the bot.

    Call it before another version may play. A version whose validation ended after the deadline does not count.
    """
    for membership in _due(Membership.objects.filter(bot=bot)):
        version = bot.versions.filter(active=True).values_list("pk", flat=True).first()
        Membership.objects.filter(pk=membership.pk, frozen=None).update(frozen=version)


def freeze_all() -> int:
    """Freeze the memberships of up to ``BOTS_PER_RUN`` bots; return the number of bots. Safe to run concurrently."""
    bots = list(_due(Membership.objects.all()).order_by("bot").values_list("bot", flat=True).distinct()[:BOTS_PER_RUN])
    for bot_id in bots:
        with transaction.atomic():
            freeze(Bot.objects.select_for_update(no_key=True).get(pk=bot_id))
    return len(bots)


def _due(memberships: QuerySet[Membership]) -> QuerySet[Membership]:
    """The memberships to freeze: the active version of their bot was validated before the deadline."""
    in_time = Q(bot__versions__validated=None) | Q(bot__versions__validated__lte=F("ladder__freezes_at"))
    return memberships.filter(
        in_time, bot__versions__active=True, frozen=None, bot__owner__isnull=False, ladder__in=frozen_ladders()
    )


def playing_versions(
    memberships: Iterable[Membership], with_bot: str = "bot", fields: Sequence[str] = ()
) -> dict[int, BotVersion]:
    """By bot, the version that plays for its membership: the frozen one, else the active one; two queries.

    ``with_bot`` is read with each version: ``bot`` or ``bot__owner``. If ``fields`` are given, only these are read.
    """
    by_bot = {membership.bot_id: membership.frozen_id for membership in memberships}
    versions = BotVersion.objects.select_related(with_bot).defer("validation_report")
    versions = versions.only(*fields) if fields else versions
    active = {
        version.bot_id: version
        for version in versions.filter(active=True, bot__in=[b for b, f in by_bot.items() if not f])
    }
    pinned = {version.bot_id: version for version in versions.filter(pk__in=[f for f in by_bot.values() if f])}
    return active | pinned
