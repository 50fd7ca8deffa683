"""The API, version 1: addresses are added, and what one answers grows, but neither changes its meaning."""

from __future__ import annotations

from django.urls import URLPattern, path
from django.views.generic import TemplateView
from drf_spectacular.views import SpectacularJSONAPIView

from esr_platform.api import uploads

app_name = "api"

urlpatterns: list[URLPattern] = [
    path("", TemplateView.as_view(template_name="api/reference.html"), name="reference"),
    path("schema", SpectacularJSONAPIView.as_view(authentication_classes=[], permission_classes=[]), name="schema"),
    path("bots", uploads.NewBot.as_view(), name="bots"),
    path("bots/<slug:slug>", uploads.OneBot.as_view(), name="bot"),
    path("bots/<slug:slug>/versions", uploads.NewVersion.as_view(), name="versions"),
    path("bots/<slug:slug>/versions/<int:number>", uploads.OneVersion.as_view(), name="version"),
    path("uploads/limits", uploads.Limits.as_view(), name="limits"),
]
