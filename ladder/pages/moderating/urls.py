from __future__ import annotations

from django.urls import URLPattern, path

from ladder.pages.moderating import views

urlpatterns: list[URLPattern] = [
    path("staff/bots/<int:bot_id>/", views.bot, name="moderate_bot"),
    path("staff/trail/", views.trail, name="trail"),
]
