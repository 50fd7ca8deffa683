"""The rules of the games, with ways to play and learn them."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from games.registry import GAMES
from games.words import in_words
from ladder.models import Ladder
from ladder.pages.components.markup import prose
from ladder.pages.docs import as_markdown, markdown_url
from ladder.pages.lobby_forms import symbols
from ladder.pages.play_now import open_formats


@require_safe
def rules(request: HttpRequest) -> HttpResponse:
    playable = {game for game, _ in open_formats(Ladder.objects.visible_to(request.user).order_by("pk"))}
    games = [
        (game, prose(game.presentation.guide, game), symbols(game), game.slug in playable) for game in GAMES.values()
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
        "markdown_url": markdown_url("rules", slug),
        "guide": prose(game.presentation.guide, game),
        "playable": bool(open_formats(ladders)),
        "ladders": any(not ladder.by_invitation for ladder in ladders),
    }
    return render(request, "pages/game_rules.html", context)


@require_safe
def markdown(_request: HttpRequest, slug: str) -> HttpResponse:
    """The rules of a game in Markdown, as ``esr rules`` prints them."""
    game = GAMES.get(slug)
    if game is None:
        raise Http404
    guide = in_words(game.presentation.guide, game.presentation.drawn).strip()
    return as_markdown(f"# {game.name}\n\n{guide}\n")
