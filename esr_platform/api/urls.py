"""URLs of version 1 of the API. URLs and fields can be added; existing ones do not change."""

from __future__ import annotations

from typing import Final

from django.urls import URLPattern, path
from django.views.generic import TemplateView

from esr_platform.api.codes import ARCHIVES, LIMITS, REQUESTS, RULES, WORKERS
from esr_platform.api.http import paced
from esr_platform.api.openapi import redoc, schema
from esr_platform.api.resources import (
    bots,
    challenges,
    cups,
    exhibitions,
    games,
    ladders,
    matches,
    remote_bots,
    seasons,
    uploads,
)
from esr_platform.api.streams.answers import ACTS, Decision, SeatAction
from esr_platform.api.streams.bot import BotStreamView, GameDecision, NextDecision
from esr_platform.api.streams.lobby import LobbyStreamView
from esr_platform.api.streams.match import GameViewers, MatchStreamView, TableView
from esr_platform.api.streams.seat import SeatStreamView

CODES: Final = {"requests": REQUESTS, "rules": RULES, "archives": ARCHIVES, "limits": LIMITS, "workers": WORKERS}


# --- Streams ---------------------------------------------------------------------------------------------------------

stream_urls: list[URLPattern] = [
    path("bot/stream", BotStreamView.as_view(), name="bot_stream"),
    path("bot/decision", NextDecision.as_view(), name="next_decision"),
    path("matches/<int:match>/view", TableView.as_view(), name="table_view"),
    path("matches/<int:match>/stream", MatchStreamView.as_view(), name="table_stream"),
    path("matches/<int:match>/viewers", GameViewers.as_view(), name="game_viewers"),
    path("matches/<int:match>/decision", GameDecision.as_view(), name="game_decision"),
    path("matches/<int:match>/decisions/<int:number>", Decision.as_view(), name="decision"),
    path("matches/<int:match>/seat/stream", SeatStreamView.as_view(), name="seat_stream"),
    *(path(f"matches/<int:match>/seat/{act}", SeatAction.as_view(act=act), name=f"seat_{act}") for act in ACTS),
    path("lobby/stream", LobbyStreamView.as_view(), name="lobby_stream"),
]


# --- Resources -------------------------------------------------------------------------------------------------------

resource_urls: list[URLPattern] = [
    path("games", games.Games.as_view(), name="games"),
    path("games/<slug:slug>", games.OneGame.as_view(), name="game"),
    path("games/<slug:slug>/schemas/<slug:document>", games.GameSchema.as_view(), name="game_schema"),
    path("ladders", ladders.Ladders.as_view(), name="ladders"),
    path("ladders/<slug:slug>", ladders.OneLadder.as_view(), name="ladder"),
    path("ladders/<slug:slug>/members", ladders.Members.as_view(), name="members"),
    path("ladders/<slug:slug>/matches", matches.LadderMatches.as_view(), name="ladder_matches"),
    path("ladders/<slug:slug>/seasons", seasons.Seasons.as_view(), name="seasons"),
    path("ladders/<slug:slug>/seasons/<int:number>", seasons.OneSeason.as_view(), name="season"),
    path("ladders/<slug:slug>/seasons/<int:number>/standings", seasons.Standings.as_view(), name="standings"),
    path("bots/<slug:slug>", bots.OneBot.as_view(), name="bot"),
    path("bots/<slug:slug>/versions/<int:number>", bots.OneVersion.as_view(), name="version"),
    path("bots/<slug:slug>/ratings", ladders.Ratings.as_view(), name="ratings"),
    path("bots/<slug:slug>/matches", matches.BotMatches.as_view(), name="bot_matches"),
    path("matches", matches.Matches.as_view(), name="matches"),
    path("matches/<int:match_id>", matches.OneMatch.as_view(), name="match"),
    path("matches/<int:match_id>/record", matches.Record.as_view(), name="record"),
    path("matches/<int:match_id>/log", matches.Log.as_view(), name="log"),
    path("matches/<int:match_id>/replay", matches.Replay.as_view(), name="replay"),
    path("head-to-head", ladders.HeadToHead.as_view(), name="head_to_head"),
    path("people/<str:username>", bots.Person.as_view(), name="person"),
]


# --- Changes ---------------------------------------------------------------------------------------------------------

change_urls: list[URLPattern] = [
    path("ladders/<slug:slug>/members/<slug:bot>", ladders.OneMember.as_view(), name="member"),
    path("ladders/<slug:slug>/records", matches.Records.as_view(), name="records"),
    path("challenges", challenges.Challenges.as_view(), name="challenges"),
    path("challenges/<int:challenge_id>", challenges.OneChallenge.as_view(), name="challenge"),
    path("challenges/<int:challenge_id>/accept", challenges.Acceptance.as_view(), name="accept_challenge"),
    path("challenges/<int:challenge_id>/decline", challenges.Decline.as_view(), name="decline_challenge"),
    path("challenges/<int:challenge_id>/withdraw", challenges.Withdrawal.as_view(), name="withdraw_challenge"),
    path("exhibitions", exhibitions.Exhibitions.as_view(), name="exhibitions"),
    path("exhibitions/<int:exhibition_id>", exhibitions.OneExhibition.as_view(), name="exhibition"),
]


# --- Cups ------------------------------------------------------------------------------------------------------------

cup_urls: list[URLPattern] = [
    path("cups", cups.Cups.as_view(), name="cups"),
    path("cups/<slug:slug>", cups.OneCup.as_view(), name="cup"),
    path("cups/<slug:slug>/standings", cups.CupStandings.as_view(), name="cup_standings"),
    path("cups/<slug:slug>/rounds", cups.Rounds.as_view(), name="cup_rounds"),
    path("cups/<slug:slug>/rounds/<int:number>", cups.OneRound.as_view(), name="cup_round"),
    path("cups/<slug:slug>/ledger", cups.CupLedger.as_view(), name="cup_ledger"),
    path("cups/<slug:slug>/entries", cups.Entries.as_view(), name="cup_entries"),
    path("cups/<slug:slug>/entries/<slug:bot>", cups.OneEntry.as_view(), name="cup_entry"),
    path("cups/<slug:slug>/entries/<slug:bot>/remove", cups.Removal.as_view(), name="remove_cup_entry"),
    path("cups/<slug:slug>/pause", cups.Pause.as_view(), name="pause_cup"),
    path("cups/<slug:slug>/resume", cups.Resumption.as_view(), name="resume_cup"),
    path("cups/<slug:slug>/cancel", cups.Cancellation.as_view(), name="cancel_cup"),
    path("cups/<slug:slug>/organizers/<str:username>", cups.CoOrganizer.as_view(), name="cup_organizer"),
    path("cups/<slug:slug>/rulings", cups.Rulings.as_view(), name="cup_rulings"),
]


# --- All -------------------------------------------------------------------------------------------------------------

app_name = "api"

urlpatterns: list[URLPattern] = [
    path("", paced(TemplateView.as_view(template_name="api/reference.html")), name="reference"),
    path("redoc", redoc, name="redoc"),
    path("schema", schema, name="schema"),
    path("errors", paced(TemplateView.as_view(template_name="api/errors.html", extra_context=CODES)), name="errors"),
    path("bots", uploads.NewBot.as_view(), name="bots"),
    path("bots/<slug:slug>/versions", uploads.NewVersion.as_view(), name="versions"),
    path("remote-bots", uploads.NewRemoteBot.as_view(), name="remote_bots"),
    path("remote-bots/<slug:slug>/versions", uploads.NewLabel.as_view(), name="remote_bot_versions"),
    path("bots/<slug:slug>/versions/<int:number>/activate", uploads.Activation.as_view(), name="activate"),
    path("bot", remote_bots.OwnBotView.as_view(), name="own_bot"),
    path("token", remote_bots.OwnToken.as_view(), name="own_token"),
    path("uploads/limits", uploads.UploadLimits.as_view(), name="limits"),
    *stream_urls,
    *resource_urls,
    *change_urls,
    *cup_urls,
]
