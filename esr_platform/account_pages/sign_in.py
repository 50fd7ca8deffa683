"""Sign-in with a password, and the emails and messages of allauth."""

from __future__ import annotations

from contextlib import suppress
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import urlsplit

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.auth_backends import AuthenticationBackend
from allauth.account.internal.stagekit import clear_login
from allauth.account.models import EmailAddress
from allauth.core import context
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.core.internal import ratelimit
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import get_user_model
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from esr_platform.account_pages import notifications
from esr_platform.accounts import mail, tokens
from esr_platform.accounts.demo import may_act
from esr_platform.accounts.intake import IntakePaused, require_intake
from esr_platform.accounts.limits import address
from esr_platform.accounts.models import Intake, Token


class Backend(AuthenticationBackend):  # type: ignore[misc]
    """Sign-in by username or email address. The demo account cannot be used on a public site."""

    def authenticate(self, request: HttpRequest | None, **credentials: Any) -> Any:
        """Check the password once, although allauth passes an email address as username as well.

        Otherwise the response time would tell which email addresses have accounts.
        """
        if credentials.get("username") == credentials.get("email"):
            credentials.pop("username", None)
        return super().authenticate(request, **credentials)

    def _check_password(self, user: Any, password: str) -> Any:
        """Do not tell whether the password of a closed demo account was correct, as allauth would."""
        correct = super()._check_password(user, password)
        if user is not None and not may_act(user):
            self._stash_user(None)
        return correct

    def user_can_authenticate(self, user: Any) -> bool:
        return super().user_can_authenticate(user) and may_act(user)


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    """allauth's adapter, with this site's emails, error messages and rules for closed accounts."""

    error_messages = {
        **DefaultAccountAdapter.error_messages,
        "account_inactive": _("This account is suspended or deleted."),
        "duplicate_email": _("This email address already belongs to your account."),
        "email_password_mismatch": _("The email address or the password is wrong."),
        "enter_current_password": _("Enter your current password."),
        "incorrect_code": _("This code is wrong. Check it and enter it again."),
        "incorrect_password": _("This password is wrong."),
        "max_email_addresses": _("You can have up to %d email addresses. Remove one first."),
        "same_as_current": _("The new value must differ from the current value."),
        "too_many_login_attempts": _("Too many failed sign-in attempts. Try again later."),
        "username_blacklisted": _("This username is not available. Choose another name."),
        "username_password_mismatch": _("The username or the password is wrong."),
        "username_taken": _("This username is taken. Choose another name."),
        "rate_limited": _("You can request another code after 10 s. Check your email, then try again."),
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Accept new accounts. While sign-ups are paused, the response is a page that says why, with status 503."""
        try:
            require_intake(Intake.SIGN_UPS)
        except IntakePaused as paused:
            page = render(request, "account/signup_closed.html", {"paused": paused}, status=503)
            page["Retry-After"] = str(paused.retry_after_s)
            raise ImmediateHttpResponse(page) from paused
        return True

    def send_mail(self, template_prefix: str, email: str, context_: dict[str, Any]) -> None:
        """Send an email whose links start with ``SITE_URL``, never with the Host header of a request.

        A request whose email cannot be sent is answered with 503.
        """
        links = {name: at_site(value) for name, value in context_.items() if name.endswith("_url")}
        values = {
            **context_,
            **links,
            "link_hours": settings.PASSWORD_RESET_TIMEOUT // 3600,
        }
        subject = render_to_string(f"{template_prefix}_subject.txt", values)
        try:
            mail.send(mail.message(email, subject, f"{template_prefix}_message.txt", values))
        except mail.NotSent as failure:
            page = render(context.request, "email_not_sent.html", status=HTTPStatus.SERVICE_UNAVAILABLE)
            raise ImmediateHttpResponse(page) from failure

    def send_notification_mail(
        self, template_prefix: str, user: Any, context: dict[str, Any] | None = None, email: str | None = None
    ) -> None:
        """Send an account notice. A failure must not undo what was done."""
        with suppress(ImmediateHttpResponse):
            super().send_notification_mail(template_prefix, user, {"user": user, **(context or {})}, email)

    def login(self, request: HttpRequest, user: Any) -> None:
        """Sign in, unless the account was closed between two steps of signing in.

        A session created then would become valid when the account is restored.
        """
        if not user.is_active or not may_act(user):
            clear_login(request)
            raise ImmediateHttpResponse(self.respond_user_inactive(request, user))
        super().login(request, user)
        emails = EmailAddress.objects.filter(user=user).values_list("email", flat=True)
        for name in (user.get_username(), *emails):
            ratelimit.clear(request, **_guesses(request, name.lower()))

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Count an attempt before its password is checked. allauth deletes it again if the password is right.

        allauth counts attempts per IP address and per account (``login_failed``). This also counts them per account
        and IP address together, so that a client that guesses is locked out long before the owner is. Attempts
        during a lockout do not count.
        """
        super().pre_authenticate(request, **credentials)
        usage = ratelimit.consume(request, **self._guesses_at(request, credentials))
        if usage is None:
            self._rollback_login_failed_rl_usage()
            raise ImmediateHttpResponse(_locked_out(request))
        self._login_failed_rl_usage.usage.extend(usage.usage)

    def authentication_failed(self, request: HttpRequest, **credentials: Any) -> None:
        """Show the page about the lockout after the last wrong password that the limit allows."""
        super().authentication_failed(request, **credentials)
        if not ratelimit.consume(request, dry_run=True, **self._guesses_at(request, credentials)):
            raise ImmediateHttpResponse(_locked_out(request))

    def _guesses_at(self, request: HttpRequest, credentials: dict[str, Any]) -> dict[str, str]:
        return _guesses(request, self._get_login_attempts_cache_key(request, **credentials))

    def _get_login_attempts_cache_key(self, _request: HttpRequest, **credentials: Any) -> str:
        """The login as typed. allauth would add the Host header, whose port any client can choose.

        The username and the email addresses of an account are counted separately. A common count would reveal that
        they belong together.
        """
        return str(credentials.get("email") or credentials.get("username") or "").lower()

    def set_password(self, user: Any, password: str) -> None:
        """Write only the password: the account may have been suspended or deleted in the meantime.

        A reset by email link also revokes all tokens and replaces the feed URL, since the user may have lost control
        of them. A change by a signed-in user keeps both (see ``get_password_change_redirect_url``).
        """
        user.set_password(password)
        get_user_model()._default_manager.filter(pk=user.pk, deleted=None).update(password=user.password)
        match = context.request and context.request.resolver_match
        if match is None or match.url_name not in _CHANGING:
            tokens.revoke_all(user)
            notifications.replace_url(user)

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        """The tokens page if the user has live tokens, which a new password does not revoke."""
        if not Token.objects.live().filter(user=request.user.pk).exists():
            url: str = super().get_password_change_redirect_url(request)
            return url
        messages.info(request, _("Your API tokens still work. Revoke all tokens that someone else may know."))
        return reverse("accounts:tokens")

    def get_reauthentication_methods(self, user: Any) -> list[dict[str, Any]]:
        """allauth's methods, described in this site's words."""
        methods: list[dict[str, Any]] = super().get_reauthentication_methods(user)
        return [{**method, "description": _WAYS.get(method["id"], method["description"])} for method in methods]


_CHANGING: Final = ("account_change_password", "account_set_password")
"""URL names of the pages where a signed-in user changes the password after entering it or signing in again."""

_WAYS: Final = {
    "reauthenticate": _("Enter your password"),
    "mfa_reauthenticate": _("Enter a code"),
    "mfa_reauthenticate:webauthn": _("Use a passkey"),
}


LOCKOUT: Final = "lockout"
"""The name of the limit per account and IP address in ``ACCOUNT_RATE_LIMITS``."""


def _guesses(request: HttpRequest, login: str) -> dict[str, str]:
    """The arguments of ``ratelimit`` for the attempts at ``login`` from the IP address of ``request``."""
    return {"app": "allauth.account", "action": LOCKOUT, "key": f"{login} {address(request.META)}"}


def _locked_out(request: HttpRequest) -> HttpResponse:
    """The page about the lockout: how long it lasts at most, and other ways to sign in."""
    (rate,) = ratelimit.get_rates(app="allauth.account", action=LOCKOUT)
    response = render(request, "account/locked_out.html", {"minutes": int(rate.duration // 60)}, status=429)
    response["Retry-After"] = str(int(rate.duration))
    return response


def at_site(url: str) -> str:
    """Return ``url`` with the scheme and host of ``SITE_URL``."""
    return f"{settings.SITE_URL}{urlsplit(url)._replace(scheme='', netloc='').geturl()}"
