"""From a version in the database to the program that a launcher starts.

Whose code is the house's is decided here, and by nothing that somebody could set: a version is a house bot's exactly
if the installed catalogue has its bot's name with this very digest, and then that is the code which runs. What a row
claims beyond that neither starts anything nor frees anybody from a rule.
"""

from __future__ import annotations

from bots.house.catalogue import HOUSE, HouseBot
from bots.models import BotVersion
from bots.runner.spec import HouseProgram, Program


class NotHere(LookupError):
    """The code of a version is not on this machine; the message says of which."""


def house_bot(version: BotVersion) -> HouseBot | None:
    """The catalogue's entry that ``version`` is; ``None`` for everybody else's code."""
    entry = HOUSE.get(version.bot.house_name)
    return entry if entry is not None and entry.digest() == version.digest else None


def program_of(version: BotVersion) -> Program:
    """What to start for ``version``. Raises ``NotHere`` where its code is not installed."""
    entry = house_bot(version)
    if entry is None:
        raise NotHere(f"the code of {version} ({version.digest[:12]}…) is not installed here")
    return HouseProgram(entry.name, version.digest)
