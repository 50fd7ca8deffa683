"""Remote bots: bring one, and say what it is now. Parse, one call, answer."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from bots.models import Bot
from esr_platform.accounts.errors import NameRefused, Refused
from ladder import access
from ladder.members import membership
from ladder.pages.owning.forms import DeclarationForm, RegisterForm

_REFUSED = 422


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def register(request: HttpRequest) -> HttpResponse:
    """Bring a bot that plays from elsewhere; who has not signed in sees what it takes, and where to sign in."""
    if not request.user.is_authenticated:
        return render(request, "pages/register_remote.html")
    form = RegisterForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        said = form.cleaned_data
        try:
            version = membership.register(request.user, said["name"], form.games, said["label"], said["games_at_once"])
            return redirect("pages:bot", version.bot.slug)
        except Refused as refusal:
            form.add_error("name" if isinstance(refusal, NameRefused) else None, str(refusal))
    return render(request, "pages/register_remote.html", {"form": form}, status=_REFUSED if form.errors else 200)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def declare(request: HttpRequest, slug: str) -> HttpResponse:
    """Another state of the program, other tables, more or fewer games at once."""
    bot = access.bot_changed_by(request.user, slug)
    if bot.kind != Bot.Kind.REMOTE:
        raise Http404(_("%(name)s is not a remote bot.") % {"name": bot.name})
    form = DeclarationForm.of(bot, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        said = form.cleaned_data
        try:
            membership.declare(bot, label=said["label"], games=form.games, games_at_once=said["games_at_once"])
            messages.success(request, _("Saved. Games that run go on as they began."))
            return redirect("pages:bot", bot.slug)
        except Refused as refusal:
            form.add_error(None, str(refusal))
    context = {"form": form, "bot": bot}
    return render(request, "pages/register_remote.html", context, status=_REFUSED if form.errors else 200)
