from __future__ import annotations

from django.urls import URLPattern, path

from ladder.pages.playing import views

urlpatterns: list[URLPattern] = [
    path("bots/<slug:slug>/waits/", views.waits, name="waits"),
    path("bots/<slug:slug>/feed.atom", views.bot_feed, name="bot_feed"),
    path("ladders/<slug:slug>/feed.atom", views.ladder_feed, name="ladder_feed"),
]
