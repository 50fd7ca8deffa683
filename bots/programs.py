"""From a version in the database to the program that a launcher starts.

Whose code is the house's is decided here, and by nothing that somebody could set: a version is a house bot's exactly
if the installed catalogue has its bot's name with this very digest, and then that is the code which runs. Everything
else is a stranger's, and nothing that a row claims lets it run outside the sandbox.
"""

from __future__ import annotations

from bots.house.catalogue import HOUSE, HouseBot
from bots.machines import current_test
from bots.models import BotVersion
from bots.runner.launcher import PlatformFailure
from bots.runner.spec import HouseProgram, StoredProgram
from bots.uploads.storage import Lost, OutOfReach, program_of_upload


class NotHere(LookupError):
    """A version cannot be started on this machine; the message says why."""


class LostCode(PlatformFailure):
    """The archive of ``version`` is lost for good; the message says how."""

    def __init__(self, version: BotVersion, message: str) -> None:
        super().__init__(message)
        self.version = version


def house_bot(version: BotVersion) -> HouseBot | None:
    """The catalogue's entry that ``version`` is; ``None`` for everybody else's code."""
    entry = HOUSE.get(version.bot.house_name)
    return entry if entry is not None and entry.digest() == version.digest else None


def plays(version: BotVersion, game: str, seats: int) -> bool:
    """Whether ``version`` may be given a seat at a table of ``seats`` at ``game``: its code is there and claims it."""
    entry = house_bot(version)
    if entry is not None:
        return entry.plays(game, seats)
    return bool(version.archive) and version.state == version.State.READY and version.claims_table(game, seats)


def program_of(version: BotVersion, *, rated: bool = False) -> HouseProgram | StoredProgram:
    """What to start for ``version``, in a ``rated`` game or another one.

    Raises ``NotHere`` where its code, the sandbox that it needs or the storage is missing for now, and
    ``LostCode`` where its archive is lost for good: to wait for it would be to wait for ever.
    """
    entry = house_bot(version)
    if entry is not None:
        return HouseProgram(entry.name, version.digest)
    if not version.archive:
        raise NotHere(f"the code of {version} ({version.digest[:12]}…) is not installed here")
    test = current_test()
    if not test.ok:
        raise NotHere(f"{version} needs a sandbox, and there is none here: {test.problem}")
    if rated and not test.rated:
        raise NotHere(f"{version} can only play unrated games here: {test.problem}")
    try:
        return program_of_upload(version)
    except OutOfReach as failure:
        raise NotHere(str(failure)) from failure
    except Lost as lost:
        raise LostCode(version, str(lost)) from lost
