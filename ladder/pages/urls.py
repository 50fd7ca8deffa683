from __future__ import annotations

from django.urls import URLPattern, path

from ladder.pages import complaints, sandboxes, views
from ladder.pages.auditing.urls import urlpatterns as of_audits
from ladder.pages.comparing.urls import urlpatterns as of_comparisons
from ladder.pages.founding.urls import urlpatterns as of_founding
from ladder.pages.lobby.urls import urlpatterns as of_the_lobby
from ladder.pages.moderating.urls import urlpatterns as of_moderation
from ladder.pages.ordering.urls import urlpatterns as of_orders
from ladder.pages.owning.urls import urlpatterns as of_owners
from ladder.pages.people.urls import urlpatterns as of_people
from ladder.pages.playing.urls import urlpatterns as of_playing
from ladder.pages.searching.urls import urlpatterns as of_search
from ladder.pages.seasons.urls import urlpatterns as of_seasons
from ladder.pages.statistics.urls import urlpatterns as of_statistics
from ladder.pages.tutoring.urls import urlpatterns as of_tutorials

app_name = "pages"

urlpatterns: list[URLPattern] = [
    path("", views.home, name="home"),
    path("ladders/", views.ladders, name="ladders"),
    path("ladders/<slug:slug>/", views.ladder, name="ladder"),
    *of_audits,
    *of_comparisons,
    *of_founding,
    *of_moderation,
    *of_the_lobby,
    *of_orders,
    *of_people,
    *of_playing,
    *of_search,
    *of_seasons,
    *of_statistics,
    path("bots/", views.bots, name="bots"),
    *of_owners,
    path("bots/<slug:slug>/", views.bot, name="bot"),
    path("bots/<slug:slug>/report/", complaints.report, name="report"),
    path("staff/sandboxes/", sandboxes.sandboxes, name="sandboxes"),
    path("staff/reports/", complaints.reports, name="reports"),
    path("staff/reports/<int:bot_id>/", complaints.settle, name="settle"),
    path("matches/", views.matches, name="matches"),
    path("matches/<int:match_id>/", views.match, name="match"),
    path("matches/<int:match_id>/record", views.record, name="record"),
    path("matches/<int:match_id>/replay.json", views.replay, name="replay"),
    path("rules/", views.rules, name="rules"),
    *of_tutorials,
    path("rules/<slug:slug>/", views.game_rules, name="game_rules"),
    path("about/", views.about, name="about"),
]
