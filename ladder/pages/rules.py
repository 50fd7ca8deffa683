"""The rules of the games."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from games.registry import GAMES
from ladder.models import Ladder
from ladder.pages.components.markup import prose


@require_safe
def rules(request: HttpRequest) -> HttpResponse:
    return render(
        request,
        "pages/rules.html",
        {"games": [(game, prose(game.presentation.guide, game)) for game in GAMES.values()]},
    )


@require_safe
def game_rules(request: HttpRequest, slug: str) -> HttpResponse:
    game = GAMES.get(slug)
    if game is None:
        raise Http404(_("Game not found."))
    ladders = Ladder.objects.visible_to(request.user).filter(game=slug).order_by("pk")
    context = {"game": game, "guide": prose(game.presentation.guide, game), "ladders": ladders}
    return render(request, "pages/game_rules.html", context)
