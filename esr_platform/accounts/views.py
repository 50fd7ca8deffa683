"""A person's own pages. Parse, one call, answer."""

from __future__ import annotations

from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from esr_platform.accounts import tokens
from esr_platform.accounts.forms import TokenForm
from esr_platform.accounts.models import User


@require_safe
@login_required
def account(request: HttpRequest) -> HttpResponse:
    return render(request, "accounts/account.html")


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
