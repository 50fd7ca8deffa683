from __future__ import annotations

from django.urls import URLPattern, path

from ladder.pages.tutoring import views

urlpatterns: list[URLPattern] = [
    path("rules/<slug:slug>/tutorial/", views.tutorial, name="tutorial"),
]
