"""Sign in with a password."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Final
from urllib.parse import urlsplit

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.auth_backends import AuthenticationBackend
from allauth.account.internal.stagekit import clear_login
from allauth.core import context
from allauth.core.exceptions import ImmediateHttpResponse
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import get_user_model
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from esr_platform.account_pages import notifications
from esr_platform.accounts import tokens
from esr_platform.accounts.demo import may_act
from esr_platform.accounts.models import Token


class Backend(AuthenticationBackend):  # type: ignore[misc]
    """Signs people in by name or address, also asked with each request: the demo account is nobody on a public site."""

    def authenticate(self, request: HttpRequest | None, **credentials: Any) -> Any:
        """Check one password for an email address: allauth passes it as user name as well, and would check it twice.

        An address without an account costs one hash, so the time would tell which addresses have accounts.
        """
        if credentials.get("username") == credentials.get("email"):
            credentials.pop("username", None)
        return super().authenticate(request, **credentials)

    def _check_password(self, user: Any, password: str) -> Any:
        """allauth lets its caller know of a right password for an account that may not sign in; not of the demo's."""
        found = super()._check_password(user, password)
        if user is not None and not may_act(user):
            self._stash_user(None)
        return found

    def user_can_authenticate(self, user: Any) -> bool:
        return super().user_can_authenticate(user) and may_act(user)


class Adapter(DefaultAccountAdapter):  # type: ignore[misc]
    """Letters name the site and lead to it by the settings, never by the Host header of whoever caused them."""

    def send_mail(self, template_prefix: str, email: str, context_: dict[str, Any]) -> None:
        site = SimpleNamespace(name=settings.SITE_NAME, domain=urlsplit(settings.SITE_URL).netloc)
        links = {name: at_site(value) for name, value in context_.items() if name.endswith("_url")}
        values = {"request": context.request, "email": email, **context_, **links, "current_site": site}
        values["SITE_URL"] = settings.SITE_URL
        self.render_mail(template_prefix, email, values).send()

    def login(self, request: HttpRequest, user: Any) -> None:
        """allauth's, for who may sign in still: the account may have been closed between two steps of signing in.

        A session that was made then would come to life when the account is opened again.
        """
        if not user.is_active or not may_act(user):
            clear_login(request)
            raise ImmediateHttpResponse(self.respond_user_inactive(request, user))
        super().login(request, user)

    def _get_login_attempts_cache_key(self, _request: HttpRequest, **credentials: Any) -> str:
        """The account that is tried. allauth would add the Host header, whose port any client can choose."""
        return str(credentials.get("email") or credentials.get("username") or "").lower()

    def set_password(self, user: Any, password: str) -> None:
        """Write the password and nothing else of the row: the account may have been suspended or deleted meanwhile.

        Users who come by the link of an email, signed in or not, have lost control of the account or of its secrets.
        Their tokens and the URL of their private feed end. Users who change their password keep them, and the site
        shows them the tokens (``get_password_change_redirect_url``).
        """
        user.set_password(password)
        get_user_model()._default_manager.filter(pk=user.pk, deleted=None).update(password=user.password)
        match = context.request and context.request.resolver_match
        if match is None or match.url_name not in _CHANGING:
            tokens.revoke_all(user)
            notifications.replace_url(user)

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        """To the tokens, where there are any: they still open the account."""
        if not Token.objects.live().filter(user=request.user.pk).exists():
            url: str = super().get_password_change_redirect_url(request)
            return url
        messages.info(request, _("Your tokens still work. Revoke those that somebody else may have."))
        return reverse("accounts:tokens")

    def get_reauthentication_methods(self, user: Any) -> list[dict[str, Any]]:
        """allauth's, in this site's words."""
        methods: list[dict[str, Any]] = super().get_reauthentication_methods(user)
        return [{**one, "description": _WAYS.get(one["id"], one["description"])} for one in methods]


_CHANGING: Final = ("account_change_password", "account_set_password")
"""Where somebody who is signed in changes the password, having said it or signed in once more."""

_WAYS: Final = {
    "reauthenticate": _("with your password"),
    "mfa_reauthenticate": _("with a code"),
    "mfa_reauthenticate:webauthn": _("with a passkey"),
}


def at_site(url: str) -> str:
    """The same address on the site that the settings name."""
    return f"{settings.SITE_URL}{urlsplit(url)._replace(scheme='', netloc='').geturl()}"
