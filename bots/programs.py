"""Find the program that a launcher starts for a version in the database.

A version belongs to a house bot only if ``bots.house.catalogue`` contains its name with the same digest. Then the
installed code runs. Everything else is untrusted code, and no value in the database lets it run outside the sandbox.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from bots.house.catalogue import HOUSE, HouseBot
from bots.machines import current_test
from bots.models import Bot, BotVersion
from bots.runner.launcher import PlatformFailure
from bots.runner.spec import HouseProgram, StoredProgram
from bots.sandbox import offers
from bots.uploads.storage import ArchiveLost, OutOfReach, program_of_upload
from esr_platform.prepared import Prepared


class NotHere(LookupError):
    """A version cannot be started on this machine; the message contains the reason."""


class LostCode(PlatformFailure):
    """The archive of ``version`` is permanently lost; the message contains the reason."""

    def __init__(self, version: BotVersion, message: str) -> None:
        super().__init__(message)
        self.version = version


def house_bot(version: BotVersion) -> HouseBot | None:
    """Return the house bot of ``version``, or ``None`` for untrusted code."""
    entry = HOUSE.get(version.bot.house_name)
    return entry if entry is not None and entry.digest() == version.digest else None


def plays(version: BotVersion, game: str, seats: int) -> bool:
    """Whether the code of ``version`` is available and supports the format."""
    entry = house_bot(version)
    if entry is not None:
        return entry.plays(game, seats)
    return bool(version.archive) and version.state == version.State.READY and version.supports(game, seats)


def program_of(version: BotVersion, *, rated: bool = False) -> HouseProgram | StoredProgram:
    """Return the program of ``version``, for a ``rated`` game or another one.

    Raises ``NotHere`` if its code, the sandbox or the storage is not available now, and ``LostCode`` if its archive is
    permanently lost.
    """
    entry = house_bot(version)
    if entry is not None:
        return HouseProgram(entry.name, version.digest)
    if not version.archive:
        raise NotHere(f"the code of {version} ({version.digest[:12]}…) is not installed on this machine")
    test = current_test()
    if not test.ok:
        raise NotHere(f"{version} needs a sandbox, but the sandbox on this machine does not work: {test.problem}")
    if version.language not in {offer.name for offer in offers()}:
        raise NotHere(f"{version} is written in {version.language}, which this machine does not offer")
    if rated and not test.rated:
        raise NotHere(f"{version} can only play unrated games on this machine: {test.problem}")
    try:
        return program_of_upload(version)
    except OutOfReach as failure:
        raise NotHere(str(failure)) from failure
    except ArchiveLost as lost:
        raise LostCode(version, str(lost)) from lost


_ACTIVE: Final = Prepared(
    lambda bots: (
        BotVersion.objects.filter(active=True, bot__pk__in=bots)
        .exclude(bot__kind=Bot.Kind.PERSON)
        .order_by()
        .values_list("bot", "number")
    )
)


def active_versions(bots: Collection[int]) -> dict[int, int]:
    """Return the numbers of the active versions by bot. Human players have none. One query."""
    return dict(_ACTIVE(bots=list(bots)))
