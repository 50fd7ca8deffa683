"""The API, version 1: addresses are added, and what one answers grows, but neither changes its meaning."""

from __future__ import annotations

from django.urls import URLPattern, path
from django.views.generic import TemplateView

from esr_platform.api import own_bot, own_token, uploads
from esr_platform.api.describing.view import redoc, schema
from esr_platform.api.live.urls import urlpatterns as of_live
from esr_platform.api.reading.urls import urlpatterns as of_reading
from esr_platform.api.writing.urls import urlpatterns as of_writing

app_name = "api"

urlpatterns: list[URLPattern] = [
    path("", TemplateView.as_view(template_name="api/reference.html"), name="reference"),
    path("redoc", redoc, name="redoc"),
    path("schema", schema, name="schema"),
    path("bots", uploads.NewBot.as_view(), name="bots"),
    path("bots/<slug:slug>/versions", uploads.NewVersion.as_view(), name="versions"),
    path("bots/<slug:slug>/versions/<int:number>/activate", uploads.Activation.as_view(), name="activate"),
    path("bot", own_bot.OwnBot.as_view(), name="own_bot"),
    path("token", own_token.OwnToken.as_view(), name="own_token"),
    path("uploads/limits", uploads.Limits.as_view(), name="limits"),
    *of_live,
    *of_reading,
    *of_writing,
]
