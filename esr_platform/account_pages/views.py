"""The account pages."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any, TypeVar, cast

from allauth.account.decorators import reauthentication_required
from allauth.account.views import LoginView as AllauthLoginView
from allauth.mfa.webauthn.views import LoginWebAuthnView
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.core.exceptions import NON_FIELD_ERRORS
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from bots.models import StaffAction
from esr_platform.account_pages import deletion, digests, exports, notifications, suspensions
from esr_platform.account_pages.forms import AccountReasonForm, DeleteForm, NameForm, RoleForm, TokenForm, remove_name
from esr_platform.account_pages.roles import give_role
from esr_platform.accounts import passkeys, terms, tokens
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.limits import WINDOW_S, refusal_over
from esr_platform.accounts.models import User
from esr_platform.downloads import streamed
from ladder import chat
from ladder.access import found
from ladder.pages.components.responses import for_admins, for_moderators, form_status

_View = TypeVar("_View", bound=Callable[..., HttpResponseBase])
reauthenticated: Callable[[_View], _View] = reauthentication_required


class LoginView(AllauthLoginView):  # type: ignore[misc]
    """allauth's sign-in page, with the status of a limit that was reached."""

    def form_invalid(self, form: Form) -> HttpResponse:
        """Show the form again, with status 429 after too many wrong passwords for the account or from the address."""
        response: HttpResponse = super().form_invalid(form)
        if form.has_error(NON_FIELD_ERRORS, "too_many_login_attempts"):
            response.status_code = 429
            response["Retry-After"] = str(WINDOW_S)
        return response


class PasskeyLoginView(LoginWebAuthnView):  # type: ignore[misc]
    """allauth's passkey sign-in, with the challenge in a signed cookie so that visitors create no session rows."""

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response: HttpResponse = super().get(request, *args, **kwargs)
        passkeys.keep_challenge(request, response)
        return response

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        passkeys.restore_challenge(request)
        response: HttpResponse = super().post(request, *args, **kwargs)
        passkeys.forget_challenge(request, response)
        return response


@require_safe
@login_required
def account(request: HttpRequest) -> HttpResponse:
    person = cast("User", request.user)
    context = {
        "has_terms": terms.holds_for(person),
        "blanked": person.username == remove_name(person.pk),
        "name_form": NameForm(person),
        "feed_url": f"{settings.SITE_URL}{notifications.path_of(person)}",
    }
    return render(request, "accounts/account.html", context)


@require_safe
def show_terms(request: HttpRequest) -> HttpResponse:
    context = {"updated": date.fromisoformat(terms.VERSION), "licence": terms.LICENCE, "licence_url": terms.LICENCE_URL}
    return render(request, "accounts/terms.html", context)


@require_POST
@login_required
def accept_terms(request: HttpRequest) -> HttpResponse:
    terms.accept(cast("User", request.user))
    messages.success(request, _("Terms accepted."))
    return redirect("accounts:account")


@require_POST
@login_required
def choose_name(request: HttpRequest) -> HttpResponse:
    form = NameForm(cast("User", request.user), request.POST)
    try:
        if not form.is_valid():
            raise Refused(" ".join(map(str, form.errors["username"])), code="invalid_username")
        suspensions.choose_name(cast("User", request.user), form.cleaned_data["username"])
        messages.success(request, _("Username changed."))
    except Refused as refusal:
        messages.error(request, str(refusal))
    return redirect("accounts:account")


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
@reauthenticated
def delete(request: HttpRequest) -> HttpResponse:
    """Delete the account, after reauthentication and with the username as confirmation."""
    person = cast("User", request.user)
    form = DeleteForm(person, request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            deletion.delete(person)
        except Refused as refusal:
            form.add_error(None, str(refusal))
        else:
            logout(request)
            messages.success(request, _("Your account was deleted."))
            return redirect("pages:home")
    return render(request, "accounts/delete.html", {"form": form}, status=422 if form.errors else 200)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
@reauthenticated
def export(request: HttpRequest) -> HttpResponseBase:
    """Download all data of the account, at most once every ten minutes.

    The page is opened first, because a browser stays on the page from which a file comes: without it, on the form that
    asks for the password.
    """
    person = cast("User", request.user)
    texts = {"pause_s": settings.EXPORT_PAUSE_SECONDS}
    if request.method != "POST":
        return render(request, "accounts/export.html", texts)
    wait = exports.wait_s(person)
    if wait:
        response = render(request, "accounts/export.html", {**texts, "wait_s": wait}, status=429)
        response["Retry-After"] = str(wait)
        return response
    name = f"{person.username}.zip"
    return streamed(request, name, exports.export(person), "application/zip")


@require_http_methods(["GET", "HEAD", "POST"])
@for_moderators
def moderate(request: HttpRequest, username: str) -> HttpResponse:
    """Moderate an account: suspend it, lift the suspension, or remove the username."""
    person = found(User.objects.filter(deleted=None), _("Player not found."), username__iexact=username)
    form = AccountReasonForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            _moderate(request, person, form.cleaned_data["reason"])
            return redirect("moderate_person", person.username)
        except Refused as refusal:
            form.add_error(None, str(refusal))
    actions = StaffAction.objects.filter(person=person).select_related("by")[:100]
    context = {
        "person": person,
        "refusal": refusal_over(cast("User", request.user), person),
        "form": form,
        "actions": actions,
        "bots": person.bots.order_by("name", "pk")[:200],
    }
    return render(request, "accounts/moderate.html", context, status=422 if form.errors else 200)


@require_http_methods(["GET", "HEAD", "POST"])
@for_admins
def roles(request: HttpRequest) -> HttpResponse:
    """The site staff with their roles, and a form that gives or takes away a role."""
    form = RoleForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        entered = form.cleaned_data
        try:
            give_role(entered["username"], entered["role"], cast("User", request.user), entered["reason"])
            messages.success(request, _("Role changed."))
            return redirect("roles")
        except Refused as refusal:
            form.add_error(None, str(refusal))
    changes = StaffAction.objects.filter(what=StaffAction.What.GAVE_ROLE).select_related("by", "person", "bot")
    context = {
        "form": form,
        "staff": User.objects.exclude(role="").order_by("role", "username"),
        "changes": changes[:50],
    }
    return render(request, "accounts/roles.html", context, status=form_status(form))


def _moderate(request: HttpRequest, person: User, reason: str) -> None:
    """Do what the button of the form says. Raises ``Refused``."""
    staff, acts = (
        cast("User", request.user),
        {
            "suspend": (suspensions.suspend, _("Account suspended.")),
            "lift": (suspensions.lift, _("Suspension lifted.")),
            "blank": (suspensions.remove_name_of, _("Username removed.")),
        },
    )
    act = acts.get(request.POST.get("do", ""))
    if act is None:
        raise Refused(_("Choose an action."), code="no_action")
    act[0](person, staff, reason)
    messages.success(request, act[1])


@require_POST
@login_required
def switch_emails(request: HttpRequest) -> HttpResponse:
    wanted = request.POST.get("wanted") == "yes"
    User.objects.filter(pk=cast("User", request.user).pk).update(wants_digests=wanted)
    text = _("Email notifications are on.") if wanted else _("Email notifications are off.")
    messages.success(request, text)
    return redirect("accounts:account")


@require_POST
@login_required
def switch_chat(request: HttpRequest) -> HttpResponse:
    wanted = request.POST.get("wanted") == "yes"
    try:
        chat.switch(cast("User", request.user), wanted)
        messages.success(request, _("Chat is on.") if wanted else _("Chat is off."))
    except Refused as refusal:
        messages.error(request, str(refusal))
    return redirect("accounts:account")


@csrf_exempt  # mail programs send this form for their reader; the link itself is signed (RFC 8058)
@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def digests_off(request: HttpRequest, signed: str) -> HttpResponse:
    done = request.method == "POST" and digests.turn_off(signed)
    context = {"done": done, "broken": request.method == "POST" and not done}
    return render(request, "accounts/emails_off.html", context)


@require_safe
def news_feed(request: HttpRequest, signed: str) -> HttpResponse:
    """A user's private feed, for a feed reader that knows the URL and is not signed in."""
    person = notifications.person_at(signed)
    if person is None:
        raise Http404(_("Feed not found. Copy its URL from your account page."))
    return notifications.person_feed(request, person)


@require_POST
@login_required
def replace_feed_url(request: HttpRequest) -> HttpResponse:
    notifications.replace_url(cast("User", request.user))
    messages.success(request, _("Feed URL replaced. The previous URL no longer works."))
    return redirect("accounts:account")


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def token_list(request: HttpRequest) -> HttpResponse:
    user = cast("User", request.user)
    form = TokenForm(user, request.POST or None, initial={"bot": request.GET.get("bot")})
    secret = None
    if request.method == "POST" and form.is_valid():
        asked = form.cleaned_data
        try:
            secret = tokens.issue(user, asked["name"], form.chosen_scopes, form.lifetime, form.bot_alone)[1]
            form = TokenForm(user)
        except Refused as problem:
            form.add_error(None, str(problem))
    context = {"tokens": tokens.listed(user), "form": form, "secret": secret}
    return render(request, "accounts/tokens.html", context, status=form_status(form))


@require_POST
@login_required
def revoke_token(request: HttpRequest, token_id: int) -> HttpResponse:
    if tokens.revoke(cast("User", request.user), token_id):
        messages.success(request, _("Token revoked."))
    return redirect("accounts:tokens")


@require_POST
@login_required
def revoke_tokens(request: HttpRequest) -> HttpResponse:
    if tokens.revoke_all(cast("User", request.user)):
        messages.success(request, _("All tokens revoked."))
    return redirect("accounts:tokens")
