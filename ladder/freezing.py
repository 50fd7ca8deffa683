"""From its deadline on a ladder's entries go on with the versions that played then, whatever becomes of their bots.

The moment is the ladder's, by the database's clock, and not when somebody looks: an entry is frozen by the clock's
task, or before another version of its bot may play, whichever comes first. The house's bots go on as they are
installed: what a newer installation has replaced could not be played.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Now

from bots.models import Bot, BotVersion
from ladder.models import Entry, Ladder

AT_ONCE = 200


def frozen_ladders() -> QuerySet[Ladder]:
    """The ladders whose deadline has passed."""
    return Ladder.objects.filter(freezes_at__lte=Now())


def freeze(bot: Bot) -> None:
    """Pin what ``bot``, whose row the caller holds, plays on the ladders that are frozen by now.

    Call it before another version may play. A version whose check ended after a deadline was not there in time.
    """
    for entry in _due(Entry.objects.filter(bot=bot)):
        version = bot.versions.filter(active=True).values_list("pk", flat=True).first()
        Entry.objects.filter(pk=entry.pk, frozen=None).update(frozen=version)


def freeze_all() -> int:
    """Do that for every entry that is due; of how many bots. Safe to run twice at once."""
    bots = list(_due(Entry.objects.all()).order_by("bot").values_list("bot", flat=True).distinct()[:AT_ONCE])
    for bot_id in bots:
        with transaction.atomic():
            freeze(Bot.objects.select_for_update(no_key=True).get(pk=bot_id))
    return len(bots)


def playing_versions(
    entries: Iterable[Entry], with_bot: str = "bot", fields: Sequence[str] = ()
) -> dict[int, BotVersion]:
    """By bot, the version that plays for its entry: the frozen one, else the bot's active one. Two queries.

    ``with_bot`` is what comes with each version: its ``bot``, or ``bot__owner`` too. ``fields`` are what is read of
    both, where that is not everything.
    """
    by_bot = {entry.bot_id: entry.frozen_id for entry in entries}
    versions = BotVersion.objects.select_related(with_bot).defer("check_report")
    versions = versions.only(*fields) if fields else versions
    active = {one.bot_id: one for one in versions.filter(active=True, bot__in=[b for b, f in by_bot.items() if not f])}
    pinned = {one.bot_id: one for one in versions.filter(pk__in=[f for f in by_bot.values() if f])}
    return active | pinned


def _due(entries: QuerySet[Entry]) -> QuerySet[Entry]:
    """Those that are to be frozen: the active version of their bot was there at the deadline."""
    in_time = Q(bot__versions__checked=None) | Q(bot__versions__checked__lte=F("ladder__freezes_at"))
    return entries.filter(
        in_time, bot__versions__active=True, frozen=None, bot__owner__isnull=False, ladder__in=frozen_ladders()
    )
