"""Sign-in with a linked account, such as GitHub. Loaded only if the settings name a provider (``social``)."""

from __future__ import annotations

from typing import Any

from allauth.socialaccount import forms as allauth_forms
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.helpers import render_authentication_error
from allauth.socialaccount.providers.openid_connect import views as openid_connect
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy
from requests import RequestException

from esr_platform.account_pages.forms import SignupFields, valid_username


class SocialAccountAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]
    """The provider identifies the user. Users choose their username here."""

    error_messages = {
        **DefaultSocialAccountAdapter.error_messages,
        "email_taken": gettext_lazy(
            "This email address already has an account. Sign in to it, then link your %s account."
        ),
        "no_password": gettext_lazy("You could no longer sign in. Set a password first, then unlink the account."),
        "no_verified_email": gettext_lazy(
            "You could not reset your password. Verify an email address first, then unlink the account."
        ),
    }

    def populate_user(self, request: Any, sociallogin: Any, data: dict[str, Any]) -> Any:
        """Keep no personal name. Suggest the username of the provider if it would be valid here."""
        name = str(data.get("username") or "")
        kept = {"username": name if _possible(name) else "", "email": data.get("email")}
        return super().populate_user(request, sociallogin, kept)


def _possible(name: str) -> bool:
    try:
        valid_username(name)
    except ValidationError:
        return False
    return True


def openid_login(request: HttpRequest, provider_id: str) -> HttpResponse:
    """Send the user to an OpenID provider, or tell them that the sign-in failed if its URLs cannot be read."""
    try:
        response: HttpResponse = openid_connect.login(request, provider_id)
    except RequestException as error:  # allauth handles it only after the user has returned
        response = render_authentication_error(request, provider_id, exception=error)
    return response


class SocialSignupForm(SignupFields, allauth_forms.SignupForm):  # type: ignore[misc]
    """Sign up after signing in with a linked account."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if any(address.verified for address in self.sociallogin.email_addresses):
            self.fields["email"].help_text = gettext_lazy("Not public. If you change it, you get a code to verify it.")
