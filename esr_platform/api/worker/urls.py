"""URLs of worker hosts."""

from __future__ import annotations

from django.urls import URLPattern, path

from esr_platform.api.worker import views

app_name = "worker"

urlpatterns: list[URLPattern] = [
    path("work", views.Work.as_view(), name="work"),
    path("leases/<uuid:lease>/renew", views.Renewal.as_view(), name="renew"),
    path("leases/<uuid:lease>/code", views.Code.as_view(), name="code"),
    path("leases/<uuid:lease>/result", views.BroughtResult.as_view(), name="result"),
    path("leases/<uuid:lease>/give-up", views.GivenUp.as_view(), name="give_up"),
]
