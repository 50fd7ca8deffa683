"""The tables of the ladder. One-row rules live here; what changes several rows is a use case in its own module."""

from __future__ import annotations

from ladder.models.audits import ChainMark, Intervention, RebuildRun
from ladder.models.blocks import Block
from ladder.models.chat import ChatLine, ChatReport
from ladder.models.cups import (
    Cup,
    CupEntry,
    CupLedgerEntry,
    CupReport,
    CupRound,
    CupSchedule,
    CupTable,
)
from ladder.models.estimates import Estimate, Estimation
from ladder.models.exhibitions import Agreement, Exhibition, ExhibitionPlayer
from ladder.models.ladders import Invitation, Ladder, Membership
from ladder.models.last_seats import LastSeat
from ladder.models.lobby import GuestNameReport, Pairing, Proposal, ProposalPlayer
from ladder.models.matches import Attempt, Match, Rerun, Seat
from ladder.models.rechecks import Recheck
from ladder.models.results import LedgerEntry, Result, SeatLog, SeatResult
from ladder.models.seasons import DealSeries, FinalStanding, Season
from ladder.models.statistics import PairTally, SeasonStatistics, SeatTally, VersionTally
from ladder.models.tables import LiveSeat, Occupant, Outage, PlayedMove, Table

__all__ = [
    "Agreement",
    "Attempt",
    "Block",
    "ChainMark",
    "ChatLine",
    "ChatReport",
    "Cup",
    "CupEntry",
    "CupLedgerEntry",
    "CupReport",
    "CupRound",
    "CupSchedule",
    "CupTable",
    "DealSeries",
    "Estimate",
    "Estimation",
    "Exhibition",
    "ExhibitionPlayer",
    "FinalStanding",
    "GuestNameReport",
    "Intervention",
    "Invitation",
    "Ladder",
    "LastSeat",
    "LedgerEntry",
    "LiveSeat",
    "Match",
    "Membership",
    "Occupant",
    "Outage",
    "PairTally",
    "Pairing",
    "PlayedMove",
    "Proposal",
    "ProposalPlayer",
    "RebuildRun",
    "Recheck",
    "Rerun",
    "Result",
    "Season",
    "SeasonStatistics",
    "Seat",
    "SeatLog",
    "SeatResult",
    "SeatTally",
    "Table",
    "VersionTally",
]
