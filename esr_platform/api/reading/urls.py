from __future__ import annotations

from django.urls import URLPattern, path

from esr_platform.api.reading import bots, games, head_to_head, ladders, matches, people, ratings, records, seasons

urlpatterns: list[URLPattern] = [
    path("games", games.Games.as_view(), name="games"),
    path("games/<slug:slug>", games.OneGame.as_view(), name="game"),
    path("games/<slug:slug>/schemas/<slug:document>", games.GameSchema.as_view(), name="game_schema"),
    path("ladders", ladders.Ladders.as_view(), name="ladders"),
    path("ladders/<slug:slug>", ladders.OneLadder.as_view(), name="ladder"),
    path("ladders/<slug:slug>/entries", ladders.Entries.as_view(), name="entries"),
    path("ladders/<slug:slug>/matches", matches.LadderMatches.as_view(), name="ladder_matches"),
    path("ladders/<slug:slug>/seasons", seasons.Seasons.as_view(), name="seasons"),
    path("ladders/<slug:slug>/seasons/<int:number>", seasons.OneSeason.as_view(), name="season"),
    path("ladders/<slug:slug>/seasons/<int:number>/standings", seasons.Standings.as_view(), name="standings"),
    path("bots/<slug:slug>", bots.OneBot.as_view(), name="bot"),
    path("bots/<slug:slug>/versions/<int:number>", bots.OneVersion.as_view(), name="version"),
    path("bots/<slug:slug>/ratings", ratings.Ratings.as_view(), name="ratings"),
    path("bots/<slug:slug>/matches", matches.BotMatches.as_view(), name="bot_matches"),
    path("matches", matches.Matches.as_view(), name="matches"),
    path("matches/<int:match_id>", matches.OneMatch.as_view(), name="match"),
    path("matches/<int:match_id>/record", records.Record.as_view(), name="record"),
    path("matches/<int:match_id>/log", records.Log.as_view(), name="log"),
    path("matches/<int:match_id>/replay", records.Replay.as_view(), name="replay"),
    path("head-to-head", head_to_head.HeadToHead.as_view(), name="head_to_head"),
    path("people/<str:username>", people.Person.as_view(), name="person"),
]
