from __future__ import annotations

from django.urls import URLPattern, path

from ladder.pages.auditing import views

urlpatterns: list[URLPattern] = [
    path("ladders/<slug:slug>/audit/", views.audit, name="audit"),
    path("ladders/<slug:slug>/ledger.jsonl", views.ledger, name="ledger"),
    path("ladders/<slug:slug>/correct/merge/", views.merge, name="merge"),
    path("ladders/<slug:slug>/correct/k/", views.new_k, name="new_k"),
    path("matches/<int:match_id>/correct/", views.withdraw, name="withdraw"),
]
