"""A person's own pages. Parse, one call, answer."""

from __future__ import annotations

from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from esr_platform.accounts import letters as writing
from esr_platform.accounts import tokens
from esr_platform.accounts.forms import TokenForm
from esr_platform.accounts.models import User


@require_safe
@login_required
def account(request: HttpRequest) -> HttpResponse:
    return render(request, "accounts/account.html")


@require_POST
@login_required
def letters(request: HttpRequest) -> HttpResponse:
    wanted = request.POST.get("wanted") == "yes"
    User.objects.filter(pk=cast("User", request.user).pk).update(wants_letters=wanted)
    messages.success(request, "Letters about your bots are on." if wanted else "Letters about your bots are off.")
    return redirect("accounts:account")


@csrf_exempt  # mail programs send this form for their reader; the link itself is signed (RFC 8058)
@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def letters_off(request: HttpRequest, signed: str) -> HttpResponse:
    done = request.method == "POST" and writing.turn_off(signed)
    context = {"done": done, "broken": request.method == "POST" and not done}
    return render(request, "accounts/letters_off.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def token_list(request: HttpRequest) -> HttpResponse:
    user = cast("User", request.user)
    form = TokenForm(request.POST or None)
    secret = None
    if request.method == "POST" and form.is_valid():
        try:
            _, secret = tokens.issue(user, form.cleaned_data["name"], form.chosen_scopes, form.lifetime)
            form = TokenForm()
        except tokens.TooManyTokens as problem:
            form.add_error(None, str(problem))
    context = {"tokens": user.tokens.all()[:100], "form": form, "secret": secret}
    return render(request, "accounts/tokens.html", context)


@require_POST
@login_required
def revoke_token(request: HttpRequest, token_id: int) -> HttpResponse:
    if tokens.revoke(cast("User", request.user), token_id):
        messages.success(request, "The token no longer works.")
    return redirect("accounts:tokens")
