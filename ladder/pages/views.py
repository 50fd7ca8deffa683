"""Parse, one call, answer."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from bots.models import Bot
from games.registry import GAMES
from ladder.access import bot_seen_by, ladder_seen_by, match_seen_by
from ladder.exports.documents import replay_of
from ladder.live import actions
from ladder.models import Ladder, Match
from ladder.pages.bots import bot_page
from ladder.pages.bots_list import bots_page
from ladder.pages.downloads import download, sent
from ladder.pages.home import home_page
from ladder.pages.listing import matches_page
from ladder.pages.lobby.visitors import secret_of
from ladder.pages.markup import prose
from ladder.pages.matches import match_page
from ladder.pages.players import player_address
from ladder.pages.rankings import ladder_page
from ladder.pages.tables import boards, by_players


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    return render(request, "pages/home.html", {"page": home_page(request.user)})


@require_safe
def ladders(request: HttpRequest) -> HttpResponse:
    return render(request, "pages/ladders.html", {"groups": by_players(boards(request.user))})


@require_safe
def ladder(request: HttpRequest, slug: str) -> HttpResponse:
    page = ladder_page(ladder_seen_by(request.user, slug), request.GET.get, request.user)
    return render(request, "pages/ladder.html", {"page": page})


@require_safe
def bots(request: HttpRequest) -> HttpResponse:
    return render(request, "pages/bots.html", {"page": bots_page(request.GET.get, request.user)})


@require_safe
def bot(request: HttpRequest, slug: str) -> HttpResponse:
    found = bot_seen_by(request.user, slug)
    if found.kind == Bot.Kind.PERSON:
        address = player_address(found)
        if not address:
            raise Http404(_("%(name)s has no page.") % {"name": found.name})
        return redirect(address)
    page = bot_page(found, request.GET.get, request.user)
    return render(request, "pages/bot.html", {"page": page})


@require_safe
def matches(request: HttpRequest) -> HttpResponse:
    slug = request.GET.get("ladder")
    chosen = ladder_seen_by(request.user, slug) if slug else None
    page = matches_page(chosen, request.GET.get("state", ""), request.GET.get, request.user)
    return render(request, "pages/matches.html", {"page": page})


@require_safe
def match(request: HttpRequest, match_id: int) -> HttpResponse:
    try:
        page = match_page(match_id, request.user)
    except Match.DoesNotExist:
        raise Http404(_("There is no match %(number)s.") % {"number": match_id}) from None
    sits = page.running is not None and actions.seat_of(match_id, None, secret_of(request)) is not None
    return render(request, "pages/match.html", {"page": page, "sits": sits})


@require_safe
def record(request: HttpRequest, match_id: int) -> HttpResponse:
    document = download(match_seen_by(request.user, match_id))
    if document is None:
        raise Http404(_("The record of match %(number)s opens when the match is over.") % {"number": match_id})
    name, text = document
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(text, content_type="application/json", headers=headers)


@require_safe
def replay(request: HttpRequest, match_id: int) -> HttpResponse:
    found = replay_of(match_seen_by(request.user, match_id))
    if found is None:
        raise Http404(_("The replay of match %(number)s opens when its record does.") % {"number": match_id})
    return sent(request, found)


@require_safe
def rules(request: HttpRequest) -> HttpResponse:
    return render(request, "pages/rules.html", {"games": [(game, prose(game.guide, game)) for game in GAMES.values()]})


@require_safe
def game_rules(request: HttpRequest, slug: str) -> HttpResponse:
    game = GAMES.get(slug)
    if game is None:
        raise Http404(_("No game is called %(name)s.") % {"name": slug})
    ladders = Ladder.objects.visible_to(request.user).filter(game=slug).order_by("pk")
    context = {"game": game, "guide": prose(game.guide, game), "ladders": ladders}
    return render(request, "pages/game_rules.html", context)


@require_safe
def about(request: HttpRequest) -> HttpResponse:
    return render(request, "pages/about.html")
