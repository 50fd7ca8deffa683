"""A client of the API: what a site shows, and what a remote bot plays. It needs a site, not its code."""

from __future__ import annotations

from bots.client.async_client import AsyncClient
from bots.client.client import Client
from bots.client.documents import Asked, Challenged, Event, GameEnd, GameStart
from bots.client.errors import ClientError, Closed, Problem, Unreachable
from bots.client.judging import is_legal
from bots.client.playing import Session, Strategy, play
from bots.client.seats import Incident, NoAnswer, Player
from bots.client.verdicts import Verdict

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
