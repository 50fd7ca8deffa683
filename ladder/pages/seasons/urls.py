from __future__ import annotations

from django.urls import URLPattern, path

from ladder.pages.seasons import views

urlpatterns: list[URLPattern] = [
    path("ladders/<slug:slug>/seasons/", views.all_seasons, name="seasons"),
    path("ladders/<slug:slug>/seasons/open/", views.open_next, name="open_season"),
    path("ladders/<slug:slug>/seasons/<int:number>/", views.one_season, name="season"),
    path("ladders/<slug:slug>/seasons/<int:number>/close/", views.close, name="close_season"),
    path("ladders/<slug:slug>/seasons/<int:number>/deals.jsonl", views.deals, name="season_deals"),
]
