"""The tournament formats. To add one, write its class in a module of this folder and add it to ``FORMATS``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from bots.tournaments.formats.base import MOST_BLOCKS, MOST_ENTRANTS, MOST_ROUNDS, NO_ONE, Format, Plan
from bots.tournaments.formats.double_elimination import DoubleElimination
from bots.tournaments.formats.gauntlet import Gauntlet
from bots.tournaments.formats.halving import Halving
from bots.tournaments.formats.knockout import Knockout
from bots.tournaments.formats.round_robin import RoundRobin
from bots.tournaments.formats.swiss import Swiss

__all__ = ["FORMATS", "MOST_BLOCKS", "MOST_ENTRANTS", "MOST_ROUNDS", "NO_ONE", "Format", "Plan"]

FORMATS: Final[Mapping[str, Format]] = {
    format_.slug: format_
    for format_ in (
        Swiss(),
        RoundRobin(),
        Knockout(),
        DoubleElimination(),
        Halving(),
        Gauntlet(),
    )
}
"""The formats by their slug, in the order of the form."""
