"""Where too few bots are on a ladder for one table, house bots take the empty seats, and the ladder's page says so.

Their entries are not active: so they are on no such ladder for its own sake, and leave the tables as soon as enough
others are there. What they have played counts like everything else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, Exists, OuterRef, Q

from bots.models import Bot, BotVersion
from bots.programs import plays
from ladder.models import Entry, Ladder, Season


@dataclass(frozen=True)
class Company:
    """How many play on a ladder: owners, bots of the house, and bots of all. Those that only fill up do not count.

    ``season_open`` says whether new blocks can be scheduled, as far as that depends on seasons.
    """

    ladder: Ladder
    owners: int
    house: int
    bots: int
    season_open: bool


def people_on(ladder: Ladder) -> int:
    """How many people have a bot that plays on ``ladder``, counted up to the seats of a table; one query."""
    theirs = Entry.objects.filter(ladder=ladder, active=True, bot__owner__isnull=False, bot__in=Bot.objects.playing())
    return len(theirs.order_by().values_list("bot__owner", flat=True).distinct()[: ladder.seats])


def companies(ladders: Sequence[Ladder]) -> dict[int, Company]:
    """By ladder, who plays there now; one query."""
    plays = Q(entries__active=True, entries__bot__in=Bot.objects.playing())
    counted = Ladder.objects.filter(pk__in=[ladder.pk for ladder in ladders]).annotate(
        owners=Count("entries__bot__owner", filter=plays, distinct=True),
        bots=Count("entries__bot", filter=plays, distinct=True),
        house=Count("entries__bot", filter=plays & Q(entries__bot__owner=None), distinct=True),
        season_open=Exists(Season.objects.filter(ladder=OuterRef("pk"), closing=None)),
    )
    by_id = {ladder.pk: ladder for ladder in ladders}
    rows = counted.values_list("pk", "owners", "house", "bots", "season_open")
    return {pk: Company(by_id[pk], owners, house, bots, season) for pk, owners, house, bots, season in rows}


def house_on(ladder: Ladder) -> int:
    """How many bots of the house could play on ``ladder``, entered or not; one query."""
    return len(_house(ladder))


def fillers(ladder: Ladder, owners: Sequence[int | None]) -> list[Entry]:
    """Entries of house bots to fill up the tables of ``ladder`` beside bots of ``owners`` (``None``: of the house).

    None if those can fill a table. In a transaction that holds the ladder's row: it enters who is missing.
    """
    if len(set(owners) - {None}) + owners.count(None) >= ladder.seats:
        return []
    known = {entry.bot_id: entry for entry in Entry.objects.filter(ladder=ladder, bot__owner=None)}
    missing = [bot for bot in _house(ladder) if bot not in known]
    new = Entry.objects.bulk_create(Entry(ladder=ladder, bot_id=bot, active=False) for bot in missing)
    return [*(entry for entry in known.values() if not entry.active), *new]


def _house(ladder: Ladder) -> list[int]:
    """The bots of the house that can play on ``ladder``."""
    active = BotVersion.objects.filter(active=True, bot__owner=None, bot__in=Bot.objects.playing()).order_by("bot")
    versions = active.select_related("bot").defer("check_report")
    return [version.bot_id for version in versions if plays(version, ladder.game, ladder.seats)]
