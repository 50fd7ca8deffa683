"""The tables of the ladder. One-row rules live here; what changes several rows is a use case in its own module."""

from __future__ import annotations

from ladder.models.audits import ChainMark, Intervention, RebuildRun
from ladder.models.blocks import Block
from ladder.models.chat import ChatLine, ChatReport
from ladder.models.estimates import Estimate, Estimation
from ladder.models.ladders import Entry, Ladder, Membership
from ladder.models.lobby import GuestTable, Pairing, Seek, SeekPlayer
from ladder.models.matches import Attempt, Match, Rerun, Seat
from ladder.models.orders import Agreement, Order, OrderPlayer
from ladder.models.results import LedgerEntry, Result, SeatLog, SeatResult
from ladder.models.seasons import DealSeries, FinalStanding, Season
from ladder.models.statistics import PairTally, SeasonStatistics, SeatTally, VersionTally
from ladder.models.tables import Chair, Challenge, ChallengePlayer, Outage, PlayedMove, Sitting, Table
from ladder.models.waiting import LastSeat

__all__ = [
    "Agreement",
    "Attempt",
    "Block",
    "ChainMark",
    "Chair",
    "Challenge",
    "ChallengePlayer",
    "ChatLine",
    "ChatReport",
    "DealSeries",
    "Entry",
    "Estimate",
    "Estimation",
    "FinalStanding",
    "GuestTable",
    "Intervention",
    "Ladder",
    "LastSeat",
    "LedgerEntry",
    "Match",
    "Membership",
    "Order",
    "OrderPlayer",
    "Outage",
    "PairTally",
    "Pairing",
    "PlayedMove",
    "RebuildRun",
    "Rerun",
    "Result",
    "Season",
    "SeasonStatistics",
    "Seat",
    "SeatLog",
    "SeatResult",
    "SeatTally",
    "Seek",
    "SeekPlayer",
    "Sitting",
    "Table",
    "VersionTally",
]
