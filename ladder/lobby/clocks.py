"""The clocks that people may choose between for a casual game, by name; rated ones are played at ``RATED``."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from django.utils.translation import gettext as _

from bots.protocol import Limits
from esr_platform.accounts.errors import Refused
from ladder.persons import PEOPLE_LIMITS

_GAME_MS: Final = PEOPLE_LIMITS["game_ms"]

CLOCKS: Final[Mapping[str, Limits]] = MappingProxyType(
    {
        "quick": Limits(move_ms=15_000, bank_ms=60_000, game_ms=_GAME_MS),
        "usual": Limits(**PEOPLE_LIMITS),
        "calm": Limits(move_ms=120_000, bank_ms=600_000, game_ms=_GAME_MS),
    }
)

RATED: Final = "usual"


def limits_of(clock: str, *, rated: bool) -> Limits:
    """What a seat may use up at this clock. Raises ``Refused`` for one that there is not, or not for rated games."""
    if clock not in CLOCKS:
        raise Refused(_("There is no such clock. Choose one of those that are offered."))
    if rated and clock != RATED:
        raise Refused(_("Rated games are played at the usual clock. Choose that, or a casual game."))
    return CLOCKS[clock]
