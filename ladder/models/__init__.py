"""The tables of the ladder. One-row rules live here; what changes several rows is a use case in its own module."""

from __future__ import annotations

from ladder.models.blocks import Block
from ladder.models.ladders import Entry, Ladder
from ladder.models.matches import Attempt, Match, Seat
from ladder.models.results import LedgerEntry, Result, SeatLog, SeatResult
from ladder.models.seasons import DealSeries, FinalStanding, Season

__all__ = [
    "Attempt",
    "Block",
    "DealSeries",
    "Entry",
    "FinalStanding",
    "Ladder",
    "LedgerEntry",
    "Match",
    "Result",
    "Season",
    "Seat",
    "SeatLog",
    "SeatResult",
]
