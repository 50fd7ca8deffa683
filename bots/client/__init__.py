"""Python client of the API: read the data of a site, upload bots, and play with remote bots."""

from __future__ import annotations

from bots.client.async_client import AsyncClient
from bots.client.calls import (
    Asked,
    Challenged,
    ClientError,
    Closed,
    Event,
    GameEnd,
    GameStart,
    Problem,
    Unreachable,
    Verdict,
)
from bots.client.client import Client
from bots.client.player import Incident, NoAnswer, Player, Session, Strategy, is_legal, play

__all__ = [
    "Asked",
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
    "Player",
    "Problem",
    "Session",
    "Strategy",
    "Unreachable",
    "Verdict",
    "is_legal",
    "play",
]
