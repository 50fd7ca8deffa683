"""What a person is asked: to sign up, to sign in, and about a token."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final

from allauth.account import forms as allauth_forms
from django import forms

from esr_platform.accounts.models import Scope, Token

LIFETIMES: Final = {"30": "30 days", "365": "a year", "": "until it is revoked"}


class SignupForm(allauth_forms.SignupForm):  # type: ignore[misc]
    """allauth's form in this site's words."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _say(self.fields["username"], "User name", "Letters, digits, hyphens, underscores. Everybody sees it.")
        _say(self.fields["email"], "E-mail", "A code is sent there. Nobody else sees it.")


class LoginForm(allauth_forms.LoginForm):  # type: ignore[misc]
    """allauth's form in this site's words."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _say(self.fields["login"], "User name or e-mail", "")
        _say(self.fields["remember"], "Stay signed in", "")


class ResetPasswordForm(allauth_forms.ResetPasswordForm):  # type: ignore[misc]
    """allauth's form in this site's words."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _say(self.fields["email"], "E-mail", "")


class AddEmailForm(allauth_forms.AddEmailForm):  # type: ignore[misc]
    """allauth's form in this site's words."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _say(self.fields["email"], "E-mail", "A code is sent there.")


def _say(field: forms.Field, label: str, help_text: str) -> None:
    field.label, field.help_text = label, help_text


class TokenForm(forms.Form):
    """A name, what it may do, and for how long."""

    name = forms.CharField(
        label="What is it for?", max_length=Token._meta.get_field("name").max_length, help_text="For example: laptop."
    )
    scopes = forms.MultipleChoiceField(
        label="It may", choices=Scope.choices, widget=forms.CheckboxSelectMultiple, initial=[Scope.UPLOAD.value]
    )
    days = forms.ChoiceField(label="It works for", choices=list(LIFETIMES.items()), required=False, initial="365")

    @property
    def lifetime(self) -> timedelta | None:
        """How long the token is to work; ``None``: until it is revoked."""
        days = self.cleaned_data["days"]
        return timedelta(days=int(days)) if days else None

    @property
    def chosen_scopes(self) -> list[Scope]:
        """The scopes that were ticked."""
        return [Scope(value) for value in self.cleaned_data["scopes"]]
