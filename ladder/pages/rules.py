"""The rules of the games, with ways to play and learn them."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from games.registry import GAMES
from ladder.models import Ladder
from ladder.pages.components.markup import prose
from ladder.pages.lobby_forms import starts, symbols


@require_safe
def rules(request: HttpRequest) -> HttpResponse:
    begin = {start.game.slug: start for start in starts(Ladder.objects.visible_to(request.user).order_by("pk"))}
    games = [
        (game, prose(game.presentation.guide, game), symbols(game), begin.get(game.slug)) for game in GAMES.values()
    ]
    return render(request, "pages/rules.html", {"games": games})


@require_safe
def game_rules(request: HttpRequest, slug: str) -> HttpResponse:
    game = GAMES.get(slug)
    if game is None:
        raise Http404(_("Game not found."))
    ladders = Ladder.objects.visible_to(request.user).filter(game=slug).order_by("pk")
    context = {
        "game": game,
        "guide": prose(game.presentation.guide, game),
        "start": next(iter(starts(ladders)), None),
        "ladders": any(not ladder.by_invitation for ladder in ladders),
    }
    return render(request, "pages/game_rules.html", context)
