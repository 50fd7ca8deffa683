"""Parse, one call, answer."""

from __future__ import annotations

from collections.abc import Sequence

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from games.registry import GAMES
from ladder.pages.tutoring.showing import Page, offered
from ladder.pages.tutoring.walking import Lost, numbers, walk


@require_safe
def tutorial(request: HttpRequest, slug: str) -> HttpResponse:
    game = GAMES.get(slug)
    if game is None or game.tutorial is None:
        raise Http404(gettext("There is no tutorial of that name."))
    try:
        page = Page(game, game.tutorial, walk(game.tutorial, numbers(request.GET.get("moves", ""), game.tutorial)))
    except Lost:
        raise Http404(gettext("These moves lead nowhere in this tutorial. Begin it again from its rules.")) from None
    amounts = None if page.over else _amounts(request, [heap.token for heap in page.lesson.heaps])
    if amounts is not None:
        found = offered(page, amounts)
        if isinstance(found, str):
            return redirect(found)
        page = found
    return render(request, "pages/tutorial.html", {"page": page})


def _amounts(request: HttpRequest, tokens: Sequence[str]) -> list[int] | None:
    """What an offer names, where one was sent; what is not a small number counts as none."""
    if not any(token in request.GET for token in tokens):
        return None
    sent = [request.GET.get(token, "") for token in tokens]
    return [int(text) if text.isascii() and text.isdigit() and len(text) < 3 else 0 for text in sent]
