from __future__ import annotations

from django.urls import URLPattern, path

from ladder.pages.people import views

urlpatterns: list[URLPattern] = [
    path("people/<str:username>/", views.person, name="person"),
]
