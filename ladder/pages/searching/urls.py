from __future__ import annotations

from django.urls import URLPattern, path

from ladder.pages.searching import views

urlpatterns: list[URLPattern] = [
    path("search/", views.search, name="search"),
    path("search/suggestions/", views.suggest, name="suggestions"),
]
