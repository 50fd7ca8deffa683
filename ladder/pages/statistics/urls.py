from __future__ import annotations

from django.urls import URLPattern, path

from ladder.pages.statistics import views

urlpatterns: list[URLPattern] = [
    path("ladders/<slug:slug>/statistics/", views.statistics, name="statistics"),
    path("ladders/<slug:slug>/statistics/head-to-head/", views.head_to_head, name="head_to_head"),
    path("ladders/<slug:slug>/bots/<slug:bot>/", views.entry, name="entry"),
    path("staff/feeding/", views.feedings, name="feedings"),
    path("staff/feeding/<slug:slug>/", views.feeding, name="feeding"),
]
