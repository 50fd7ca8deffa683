"""Play one game with bots and report the result. It needs no matches, ratings or database."""

from __future__ import annotations

from bots.protocol import Limits
from bots.runner.bot_log import Conversation, LoggedDecision, Transcript
from bots.runner.consultation import Advice, Consultation, consult
from bots.runner.launcher import Launcher, Observer, PlatformFailure, Process
from bots.runner.play import play_match
from bots.runner.report import ForfeitReport, MachineDelay, MatchReport, SeatReport, Strike, Thought
from bots.runner.spec import (
    FakeProgram,
    HouseProgram,
    LocalProgram,
    MatchSpec,
    Program,
    SeatSpec,
    StoredProgram,
)

__all__ = [
    "Advice",
    "Consultation",
    "Conversation",
    "FakeProgram",
    "ForfeitReport",
    "HouseProgram",
    "Launcher",
    "Limits",
    "LocalProgram",
    "LoggedDecision",
    "MachineDelay",
    "MatchReport",
    "MatchSpec",
    "Observer",
    "PlatformFailure",
    "Process",
    "Program",
    "SeatReport",
    "SeatSpec",
    "StoredProgram",
    "Strike",
    "Thought",
    "Transcript",
    "consult",
    "play_match",
]
