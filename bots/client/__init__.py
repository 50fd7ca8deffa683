"""Python client of the API: read the data of a site, upload bots, and play with remote bots."""

from __future__ import annotations

from bots.client.async_client import AsyncClient
from bots.client.calls import (
    Challenged,
    ClientError,
    Closed,
    Event,
    GameEnd,
    GameStart,
    OpenDecision,
    Problem,
    Unreachable,
    Verdict,
)
from bots.client.client import Client
from bots.client.player import Incident, NoAnswer, Player, Session, Strategy, is_legal, play

__all__ = [
    "AsyncClient",
    "Challenged",
    "Client",
    "ClientError",
    "Closed",
    "Event",
    "GameEnd",
    "GameStart",
    "Incident",
    "NoAnswer",
    "OpenDecision",
    "Player",
    "Problem",
    "Session",
    "Strategy",
    "Unreachable",
    "Verdict",
    "is_legal",
    "play",
]
