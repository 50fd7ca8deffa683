from __future__ import annotations

from django.urls import URLPattern, path

from esr_platform.api import bulk
from esr_platform.api.writing import challenges, entries, orders

urlpatterns: list[URLPattern] = [
    path("ladders/<slug:slug>/entries/<slug:bot>", entries.StandsThere.as_view(), name="entry"),
    path("ladders/<slug:slug>/records", bulk.Records.as_view(), name="records"),
    path("challenges", challenges.Challenges.as_view(), name="challenges"),
    path("challenges/<int:challenge_id>", challenges.OneChallenge.as_view(), name="challenge"),
    path("challenges/<int:challenge_id>/accept", challenges.Acceptance.as_view(), name="accept_challenge"),
    path("challenges/<int:challenge_id>/decline", challenges.Refusing.as_view(), name="decline_challenge"),
    path("challenges/<int:challenge_id>/withdraw", challenges.Withdrawal.as_view(), name="withdraw_challenge"),
    path("orders", orders.Orders.as_view(), name="orders"),
    path("orders/<int:order_id>", orders.OneOrder.as_view(), name="order"),
]
