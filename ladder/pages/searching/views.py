"""Parse, one call, answer."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.cache import patch_cache_control
from django.views.decorators.http import require_safe

from ladder.pages.pacing import too_many
from ladder.pages.searching.finds import KINDS, finds, part
from ladder.pages.searching.suggestions import suggestions
from ladder.pages.searching.words import Words

KEPT_SECONDS = 20


@require_safe
def search(request: HttpRequest) -> HttpResponse:
    words, kind = Words.of(request.GET.get("q")), request.GET.get("kind", "")
    limited = too_many(request, "search") if words else None
    if limited is not None:
        return limited
    if words and kind in KINDS:
        context = {"words": words, "part": part(kind, words, request.user, request.GET.get("page"))}
    else:
        context = {"words": words, "found": finds(words, request.user)}
    response = render(request, "pages/search.html", context)
    response["X-Robots-Tag"] = "noindex"
    return response


@require_safe
def suggest(request: HttpRequest) -> HttpResponse:
    limited = too_many(request, "suggest")
    if limited is not None:
        return limited
    response = JsonResponse({"suggestions": suggestions(Words.of(request.GET.get("q")), request.user)})
    patch_cache_control(response, private=True, max_age=KEPT_SECONDS)
    return response
