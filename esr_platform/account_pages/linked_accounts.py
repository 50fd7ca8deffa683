"""Signing in with an account at another site, where the settings name one (``social``). Not loaded otherwise."""

from __future__ import annotations

from typing import Any

from allauth.socialaccount import forms as allauth_forms
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from django.core.exceptions import ValidationError

from esr_platform.account_pages.forms import SignupInOurWords, valid_username


class Adapter(DefaultSocialAccountAdapter):  # type: ignore[misc]
    """The other site says who somebody is, and nothing more: the user name is chosen here."""

    def populate_user(self, request: Any, sociallogin: Any, data: dict[str, Any]) -> Any:
        """No name of a person is kept, and a user name only as far as it could be one here, as a proposal."""
        name = str(data.get("username") or "")
        kept = {"username": name if _possible(name) else "", "email": data.get("email")}
        return super().populate_user(request, sociallogin, kept)


def _possible(name: str) -> bool:
    try:
        valid_username(name)
    except ValidationError:
        return False
    return True


class SignupForm(SignupInOurWords, allauth_forms.SignupForm):  # type: ignore[misc]
    """allauth's form after a sign-in elsewhere."""
