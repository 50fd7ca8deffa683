from __future__ import annotations

from django.urls import URLPattern, path

from ladder.pages.comparing import views

urlpatterns: list[URLPattern] = [
    path("compare/", views.choose, name="compare"),
    path("compare/<slug:first>/<slug:second>/", views.comparison, name="comparison"),
]
