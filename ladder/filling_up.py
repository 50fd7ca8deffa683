"""Where too few bots are on a ladder for one table, house bots take the empty seats, and the ladder's page says so.

Their entries are not active: so they are on no such ladder for its own sake, and leave the tables as soon as enough
others are there. What they have played counts like everything else.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bots.models import Bot, BotVersion
from bots.programs import plays
from ladder.models import Entry, Ladder


@dataclass(frozen=True)
class Company:
    """Who plays on a ladder: ``owners`` with a bot there, and bots of the ``house`` that are there as themselves."""

    ladder: Ladder
    owners: int
    house: int

    @property
    def only_house(self) -> bool:
        """Whether nobody's bot plays there."""
        return not self.owners

    @property
    def too_few_people(self) -> bool:
        """Whether every table needs bots of the house."""
        return 0 < self.owners < self.ladder.seats

    @property
    def filled_up(self) -> bool:
        """Whether house bots sit down that are not on the ladder for its own sake."""
        return self.owners + self.house < self.ladder.seats


def company(ladder: Ladder) -> Company:
    """Who plays on ``ladder`` now; one query."""
    owners = Entry.objects.filter(
        ladder=ladder, active=True, bot__in=Bot.objects.playing(), bot__versions__active=True
    ).values_list("bot__owner", flat=True)
    people = [owner for owner in owners if owner is not None]
    return Company(ladder, len(set(people)), len(owners) - len(people))


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


def _house(ladder: Ladder) -> Iterable[int]:
    """The bots of the house that can play on ``ladder``."""
    active = BotVersion.objects.filter(active=True, bot__owner=None, bot__in=Bot.objects.playing()).order_by("bot")
    versions = active.select_related("bot").defer("check_report")
    return [version.bot_id for version in versions if plays(version, ladder.game, ladder.seats)]
