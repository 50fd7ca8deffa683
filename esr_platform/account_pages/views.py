"""A person's own pages. Parse, one call, answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from allauth.account.decorators import reauthentication_required
from allauth.account.views import LoginView as AllauthLoginView
from allauth.mfa.webauthn.views import LoginWebAuthnView
from axes.decorators import axes_dispatch, axes_form_invalid
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from bots.models import StaffAction
from esr_platform.account_pages import deletion, exports, suspensions
from esr_platform.account_pages import emails as writing
from esr_platform.account_pages import notifications as feeds
from esr_platform.account_pages.forms import DeleteForm, NameForm, ReasonForm, TokenForm, remove_name
from esr_platform.accounts import passkeys, tokens
from esr_platform.accounts import terms as agreed
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.models import User
from ladder import chat as chatting
from ladder.access import found
from ladder.pages.components.responses import for_staff, form_status, streamed

_View = TypeVar("_View", bound=Callable[..., HttpResponseBase])
asked_once_more: Callable[[_View], _View] = reauthentication_required


@method_decorator(axes_dispatch, name="dispatch")
class LoginView(AllauthLoginView):  # type: ignore[misc]
    """allauth's, with axes around it as its documentation has it."""

    form_invalid = axes_form_invalid(AllauthLoginView.form_invalid)


class PasskeyLoginView(LoginWebAuthnView):  # type: ignore[misc]
    """allauth's, with the challenge in a signed cookie: visitors who ask for one write no session into the database."""

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
        "has_terms": agreed.holds_for(person),
        "blanked": person.username == remove_name(person.pk),
        "name_form": NameForm(person),
        "feed_url": f"{settings.SITE_URL}{feeds.path_of(person)}",
    }
    return render(request, "accounts/account.html", context)


@require_safe
def terms(request: HttpRequest) -> HttpResponse:
    context = {"version": agreed.VERSION, "licence": agreed.LICENCE, "licence_url": agreed.LICENCE_URL}
    return render(request, "accounts/terms.html", context)


@require_POST
@login_required
def accept_terms(request: HttpRequest) -> HttpResponse:
    agreed.accept(cast("User", request.user))
    messages.success(request, _("You have accepted the terms."))
    return redirect("accounts:account")


@require_POST
@login_required
def choose_name(request: HttpRequest) -> HttpResponse:
    form = NameForm(cast("User", request.user), request.POST)
    try:
        if not form.is_valid():
            raise Refused(" ".join(map(str, form.errors["username"])))
        suspensions.choose_name(cast("User", request.user), form.cleaned_data["username"])
        messages.success(request, _("This is your user name now."))
    except Refused as refusal:
        messages.error(request, str(refusal))
    return redirect("accounts:account")


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
@asked_once_more
def delete(request: HttpRequest) -> HttpResponse:
    """Asked twice: the password or a key, and the user name once more."""
    person = cast("User", request.user)
    form = DeleteForm(person, request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            deletion.delete(person)
        except Refused as refusal:
            form.add_error(None, str(refusal))
        else:
            logout(request)
            messages.success(request, _("Your account is deleted."))
            return redirect("pages:home")
    return render(request, "accounts/delete.html", {"form": form}, status=422 if form.errors else 200)


@require_POST
@never_cache
@login_required
@asked_once_more
def export(request: HttpRequest) -> HttpResponseBase:
    """What the site has of the person, once in ten minutes."""
    person = cast("User", request.user)
    wait = exports.wait_s(person)
    if wait:
        response = render(request, "429.html", {"wait_s": wait}, status=429)
        response["Retry-After"] = str(wait)
        return response
    name = f"{person.username}.zip"
    stream = streamed(request, name, exports.export(person), "application/zip")
    stream["Content-Encoding"] = "identity"  # it is packed already
    return stream


@require_http_methods(["GET", "HEAD", "POST"])
@for_staff
def moderate(request: HttpRequest, username: str) -> HttpResponse:
    """Staff's page of an account: suspend it, lift that, take the name away."""
    otherwise = _("Nobody is called %(name)s.") % {"name": username[:60]}
    person = found(User.objects.filter(deleted=None), otherwise, username__iexact=username)
    form = ReasonForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            _moderate(request, person, form.cleaned_data["reason"])
            return redirect("moderate_person", person.username)
        except Refused as refusal:
            form.add_error(None, str(refusal))
    actions = StaffAction.objects.filter(person=person).select_related("by")[:100]
    context = {"person": person, "form": form, "actions": actions, "bots": person.bots.order_by("name", "pk")[:200]}
    return render(request, "accounts/moderate.html", context, status=422 if form.errors else 200)


def _moderate(request: HttpRequest, person: User, reason: str) -> None:
    """What the button says. Raises ``Refused``."""
    staff, acts = (
        cast("User", request.user),
        {
            "suspend": (suspensions.suspend, _("The account is suspended.")),
            "lift": (suspensions.lift, _("The suspension is lifted.")),
            "blank": (suspensions.remove_name_of, _("The name is taken away.")),
        },
    )
    act = acts.get(request.POST.get("do", ""))
    if act is None:
        raise Refused(_("Choose what is to be done."))
    act[0](person, staff, reason)
    messages.success(request, act[1])


@require_POST
@login_required
def emails(request: HttpRequest) -> HttpResponse:
    wanted = request.POST.get("wanted") == "yes"
    User.objects.filter(pk=cast("User", request.user).pk).update(wants_digests=wanted)
    said = _("Email notifications are on.") if wanted else _("Email notifications are off.")
    messages.success(request, said)
    return redirect("accounts:account")


@require_POST
@login_required
def chat(request: HttpRequest) -> HttpResponse:
    wanted = request.POST.get("wanted") == "yes"
    try:
        chatting.switch(cast("User", request.user), wanted)
        messages.success(request, _("Table talk is on.") if wanted else _("Table talk is off."))
    except Refused as refusal:
        messages.error(request, str(refusal))
    return redirect("accounts:account")


@csrf_exempt  # mail programs send this form for their reader; the link itself is signed (RFC 8058)
@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def digests_off(request: HttpRequest, signed: str) -> HttpResponse:
    done = request.method == "POST" and writing.turn_off(signed)
    context = {"done": done, "broken": request.method == "POST" and not done}
    return render(request, "accounts/emails_off.html", context)


@require_safe
def feed(request: HttpRequest, signed: str) -> HttpResponse:
    """A person's private feed, for a feed reader that has its URL and is not signed in."""
    person = feeds.person_at(signed)
    if person is None:
        raise Http404(_("Feed not found. Copy its URL from your account page."))
    return feeds.person_feed(request, person)


@require_POST
@login_required
def replace_feed_url(request: HttpRequest) -> HttpResponse:
    feeds.replace_url(cast("User", request.user))
    messages.success(request, _("Your feed has a new URL. The previous URL no longer works."))
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
            _, secret = tokens.issue(user, asked["name"], form.chosen_scopes, form.lifetime, form.bot_alone)
            form = TokenForm(user)
        except Refused as problem:
            form.add_error(None, str(problem))
    context = {"tokens": tokens.listed(user), "form": form, "secret": secret}
    return render(request, "accounts/tokens.html", context, status=form_status(form))


@require_POST
@login_required
def revoke_token(request: HttpRequest, token_id: int) -> HttpResponse:
    if tokens.revoke(cast("User", request.user), token_id):
        messages.success(request, _("The token no longer works."))
    return redirect("accounts:tokens")


@require_POST
@login_required
def revoke_tokens(request: HttpRequest) -> HttpResponse:
    if tokens.revoke_all(cast("User", request.user)):
        messages.success(request, _("None of your tokens works any more."))
    return redirect("accounts:tokens")
