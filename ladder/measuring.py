"""What is measured over a season's blocks, and kept until there are more of them.

What seats are worth and what blocks save is for everybody; who feeds whom is for staff.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final

from django.db.models import F
from django.db.models.functions import Now

from games.base import Document
from ladder.models import Season, SeasonStatistics
from ladder.played_blocks import ended_blocks, played_blocks
from ladder.statistics.blocks import PlayedBlock
from ladder.statistics.feeding import feedings
from ladder.statistics.saving import variance_saved
from ladder.statistics.seats import seat_effect

MOST_BLOCKS: Final = 5000
"""The latest blocks of a season over which it is measured: enough for any interval that anybody can see."""

NAMED: Final = 100
"""Pairs that are kept of who feeds whom, the most striking first."""

_READ_AT_ONCE: Final = 500


def measure() -> int:
    """Measure every season whose tallies have grown since it was measured; how many."""
    grown = SeasonStatistics.objects.exclude(blocks=F("measured_blocks")).select_related("season").order_by("season")
    return sum(measure_season(statistics) for statistics in grown)


def measure_season(statistics: SeasonStatistics) -> bool:
    """Measure one season; false if somebody else has done that meanwhile."""
    blocks = latest_blocks(statistics.season)
    mine = SeasonStatistics.objects.filter(pk=statistics.pk, measured_blocks=statistics.measured_blocks)
    return bool(
        mine.update(
            measured=Now(),
            measured_blocks=statistics.blocks,
            document=season_document(blocks),
            feeding=feeding_document(blocks),
        )
    )


def latest_blocks(season: Season) -> list[PlayedBlock]:
    """The latest blocks of ``season`` that have ended and count, the oldest first."""
    ids = list(ended_blocks(season).order_by("-pk").values_list("pk", flat=True)[:MOST_BLOCKS])[::-1]
    played: dict[int, PlayedBlock] = {}
    for first in range(0, len(ids), _READ_AT_ONCE):
        played |= played_blocks(ids[first : first + _READ_AT_ONCE])
    return [played[block] for block in ids if block in played]


def season_document(blocks: Sequence[PlayedBlock]) -> Document:
    """``{"blocks", "seats": [{"value", "margin", "count"}], "saving": {…} or None}``, as the functions answer."""
    saving = variance_saved(blocks)
    return {
        "blocks": len(blocks),
        "seats": [asdict(mean) for mean in seat_effect(blocks)],
        "saving": saving and asdict(saving),
    }


def feeding_document(blocks: Sequence[PlayedBlock]) -> Document:
    """``{"blocks", "pairs": how many were compared, "found": [Feeding, …]}``; players are entries' ids."""
    found = feedings(blocks)
    rows: list[dict[str, Any]] = [asdict(one) | {"stands_out": one.stands_out} for one in found[:NAMED]]
    return {"blocks": len(blocks), "pairs": len(found), "found": rows}
