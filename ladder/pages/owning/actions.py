"""What an owner does on the page of a bot: one POST, one call, back to the page with a sentence."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from bots import managing
from bots.models import Bot
from esr_platform.accounts.errors import Refused
from ladder import access
from ladder.access import found
from ladder.matches import pauses
from ladder.members import membership
from ladder.pages.owning.choices import choose
from ladder.pages.owning.forms import WordsForm

View = Callable[..., HttpResponse]
_REFUSED = 422


def _owners(does: Callable[..., str]) -> View:
    """A view that does something to an owner's bot and goes back to its page with the sentence that ``does`` gives."""

    @require_POST
    @wraps(does)
    def view(request: HttpRequest, slug: str, **names: Any) -> HttpResponse:
        if not request.user.is_authenticated:
            return redirect_to_login(reverse("pages:bot", args=[slug]))
        bot = access.bot_changed_by(request.user, slug)
        try:
            messages.success(request, does(bot, request, **names))
        except Refused as refusal:
            messages.error(request, str(refusal))
        return redirect("pages:bot", bot.slug)

    return view


@_owners
def activate(bot: Bot, _request: HttpRequest, number: int) -> str:
    otherwise = _("%(name)s has no version %(number)s.") % {"name": bot.name, "number": number}
    membership.activate(found(bot.versions.all(), otherwise, number=number))
    return _("v%(number)s plays from the next match on.") % {"number": number}


@_owners
def choose_ladders(bot: Bot, request: HttpRequest) -> str:
    return choose(bot, request.POST.getlist("shown"), request.POST.getlist("ladder"))


@_owners
def put_back(bot: Bot, _request: HttpRequest) -> str:
    pauses.put_back(bot)
    return _("%(name)s is back and gets matches again.") % {"name": bot.name}


@_owners
def take_back(bot: Bot, _request: HttpRequest) -> str:
    membership.take_back(bot)
    return _("%(name)s is back on its ladders.") % {"name": bot.name}


@_owners
def hide_source(bot: Bot, _request: HttpRequest) -> str:
    managing.publish_source(bot, False)
    return _("The source is private again. Who has downloaded it keeps it.")


@_owners
def _publish(bot: Bot, _request: HttpRequest) -> str:
    managing.publish_source(bot, True)
    return _("Everybody may read and download the version that plays.")


@_owners
def _retire(bot: Bot, _request: HttpRequest) -> str:
    membership.retire(bot)
    return _("%(name)s is retired. Its results and ratings stay.") % {"name": bot.name}


def _confirmed(template: str, view: View) -> View:
    """Ask on a page of its own first, then do what ``view`` does."""

    @require_http_methods(["GET", "HEAD", "POST"])
    @never_cache
    @wraps(view)
    def asking(request: HttpRequest, slug: str) -> HttpResponse:
        if request.method == "POST":
            return view(request, slug)
        if not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        return render(request, template, {"bot": access.bot_changed_by(request.user, slug)})

    return asking


retire = _confirmed("pages/retire.html", _retire)
publish_source = _confirmed("pages/publish_source.html", _publish)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def settings(request: HttpRequest, slug: str) -> HttpResponse:
    """Another name, another description; from here to the source and to retiring."""
    bot = access.bot_changed_by(request.user, slug)
    form = WordsForm(bot, request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            managing.rename(bot, form.cleaned_data["name"])
            managing.describe(bot, form.cleaned_data["description"])
            messages.success(request, _("Saved."))
            return redirect("pages:bot", bot.slug)
        except Refused as refusal:
            form.add_error(None, str(refusal))
    status = _REFUSED if form.errors else 200
    return render(request, "pages/bot_settings.html", {"bot": bot, "form": form}, status=status)
