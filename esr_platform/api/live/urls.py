"""The addresses at which programs and people play and watch while games run."""

from __future__ import annotations

from django.urls import URLPattern, path

from esr_platform.api.live.answering import Decision
from esr_platform.api.live.bot_stream import BotStreamView
from esr_platform.api.live.lobby_stream import LobbyStreamView
from esr_platform.api.live.polling import GameDecision, NextDecision
from esr_platform.api.live.seat_actions import ACTS, SeatAction
from esr_platform.api.live.seat_stream import SeatStreamView
from esr_platform.api.live.watching import GameViewers, TableStream, TableView

urlpatterns: list[URLPattern] = [
    path("bot/stream", BotStreamView.as_view(), name="bot_stream"),
    path("bot/decision", NextDecision.as_view(), name="next_decision"),
    path("games/<int:match>/view", TableView.as_view(), name="table_view"),
    path("games/<int:match>/stream", TableStream.as_view(), name="table_stream"),
    path("games/<int:match>/viewers", GameViewers.as_view(), name="game_viewers"),
    path("games/<int:match>/decision", GameDecision.as_view(), name="game_decision"),
    path("games/<int:match>/decisions/<int:number>", Decision.as_view(), name="decision"),
    path("games/<int:match>/seat/stream", SeatStreamView.as_view(), name="seat_stream"),
    *(path(f"games/<int:match>/seat/{act}", SeatAction.as_view(act=act), name=f"seat_{act}") for act in ACTS),
    path("lobby/stream", LobbyStreamView.as_view(), name="lobby_stream"),
]
