from __future__ import annotations

from django.urls import URLPattern, path

from ladder.pages.ordering import views

urlpatterns: list[URLPattern] = [
    path("matches/orders/", views.orders, name="orders"),
    path("matches/orders/<int:order_id>/", views.order, name="order"),
    path("matches/orders/<int:order_id>/cancel/", views.cancel, name="cancel_order"),
    path("matches/orders/<int:order_id>/answer/", views.answer, name="answer_order"),
    path("ladders/<slug:slug>/test/", views.test, name="order_test"),
    path("ladders/<slug:slug>/compare/", views.compare, name="order_comparison"),
    path("ladders/<slug:slug>/schedule/", views.schedule, name="order_schedule"),
]
