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
from ladder.models import Season, SeasonStatistics, SeatTally
from ladder.played_blocks import ended_blocks, played_blocks
from ladder.statistics.blocks import PlayedBlock
from ladder.statistics.feeding import Feeding, feedings
from ladder.statistics.saving import variance_saved
from ladder.statistics.seats import seat_effect
from ladder.statistics.tallies import SeatSum, added
from ladder.statistics.winning import Winning, winnings

MOST_BLOCKS: Final = 5000
"""The latest blocks of a season over which it is measured: enough for any interval that anybody can see."""

NAMED: Final = 100
"""Pairs that are kept of who feeds whom, the most striking first."""

_READ_AT_ONCE: Final = 500
_GROWTH: Final = 50


def measure() -> int:
    """Measure every season whose tallies have grown by a fiftieth since it was measured; how many."""
    grown = SeasonStatistics.objects.filter(blocks__gt=F("measured_blocks") + F("measured_blocks") / _GROWTH)
    return sum(measure_season(statistics) for statistics in grown.select_related("season__ladder").order_by("season"))


def measure_season(statistics: SeasonStatistics) -> bool:
    """Measure one season; false if somebody else has done that meanwhile."""
    blocks = latest_blocks(statistics.season)
    mine = SeasonStatistics.objects.filter(pk=statistics.pk, measured_blocks=statistics.measured_blocks)
    return bool(
        mine.update(
            measured=Now(),
            measured_blocks=statistics.blocks,
            document=season_document(blocks) | {"totals": seat_totals(statistics.season)},
            feeding=feeding_document(blocks, with_people=statistics.season.ladder.for_people),
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


def seat_totals(season: Season) -> list[Document]:
    """By seat, the sums of all tallies of ``season``, in their units: ``{"games", "wins", "figures"}``."""
    totals: dict[int, SeatSum] = {}
    for seat, games, wins, figures in (
        SeatTally.objects.filter(season=season).order_by().values_list("seat", "games", "wins", "figures").iterator()
    ):
        its = totals.setdefault(seat, SeatSum())
        its.games, its.wins, its.figures = its.games + games, its.wins + wins, added(its.figures, figures)
    return [{"games": its.games, "wins": its.wins, "figures": its.figures} for _, its in sorted(totals.items())]


def feeding_document(blocks: Sequence[PlayedBlock], *, with_people: bool = False) -> Document:
    """``{"blocks", "pairs": how many were compared, "found": [Feeding, …]}``; players are entries' ids.

    ``with_people`` it has the same of who wins for whom: ``"won": {"pairs", "found": [Winning, …]}``.
    """
    document = {"blocks": len(blocks), **_named(feedings(blocks))}
    return {**document, "won": _named(winnings(blocks))} if with_people else document


def _named(found: Sequence[Feeding | Winning]) -> Document:
    rows: list[dict[str, Any]] = [
        asdict(one) | {"excess": one.excess, "stands_out": one.stands_out} for one in found[:NAMED]
    ]
    return {"pairs": len(found), "found": rows}
