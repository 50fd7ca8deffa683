"""The tables of the ladder. One-row rules live here; what changes several rows is a use case in its own module."""

from __future__ import annotations

from ladder.models.ladders import Entry, Ladder
from ladder.models.matches import Attempt, Match, Seat
from ladder.models.results import LedgerEntry, Result, SeatLog, SeatResult

__all__ = ["Attempt", "Entry", "Ladder", "LedgerEntry", "Match", "Result", "Seat", "SeatLog", "SeatResult"]
