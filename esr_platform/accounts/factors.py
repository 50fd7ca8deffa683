"""Passkeys, authenticator apps and recovery codes, with allauth.mfa."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from hashlib import sha256
from typing import Any, Final

from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.base import forms as base_forms
from allauth.mfa.totp import forms as totp_forms
from allauth.mfa.webauthn import forms as webauthn_forms
from cryptography.fernet import Fernet, MultiFernet
from django import forms
from django.conf import settings
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

LONGEST_NAME: Final = 60


class MFAAdapter(DefaultMFAAdapter):  # type: ignore[misc]
    """Store app secrets and recovery codes encrypted, so that a backup alone gives no access."""

    def encrypt(self, text: str) -> str:
        return _box().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        return _box().decrypt(encrypted_text.encode()).decode()

    def get_totp_label(self, user: Any) -> str:
        """The username, so that the app does not show the email address."""
        return str(user.username)

    def get_public_key_credential_rp_entity(self) -> dict[str, str]:
        entity: dict[str, str] = super().get_public_key_credential_rp_entity()
        return {**entity, "name": settings.SITE_NAME}

    def generate_authenticator_name(self, user: Any, type: Any) -> str:  # noqa: A002, ARG002  (allauth's)
        """The initial name of a passkey."""
        return gettext("Passkey")


class AddKeyForm(webauthn_forms.AddWebAuthnForm):  # type: ignore[misc]
    """Add a passkey with a name. Passkeys sign in without a password, so they must verify the user."""

    passwordless = forms.BooleanField(widget=forms.HiddenInput, initial=True)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _named(self.fields["name"], _("Passkey name"))
        self.fields["name"].help_text = _("For example: laptop")


class EditKeyForm(webauthn_forms.EditWebAuthnForm):  # type: ignore[misc]
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _named(self.fields["name"], _("Passkey name"))


class ActivateTOTPForm(totp_forms.ActivateTOTPForm):  # type: ignore[misc]
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _coded(self.fields["code"], _("Code from the app"))


class AuthenticateForm(base_forms.AuthenticateForm):  # type: ignore[misc]
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _coded(self.fields["code"], _("Code from your app or recovery code"))


class ReauthenticateForm(base_forms.ReauthenticateForm):  # type: ignore[misc]
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _coded(self.fields["code"], _("Code from your app or recovery code"))


def _named(field: Any, label: Any) -> None:
    field.label, field.max_length = label, LONGEST_NAME
    field.widget.attrs["maxlength"] = LONGEST_NAME


def _coded(field: Any, label: Any) -> None:
    field.label = label
    field.widget.attrs.update({"autocomplete": "one-time-code", "inputmode": "numeric", "placeholder": ""})


def _box() -> MultiFernet:
    """Encrypt with a key derived from ``SECRET_KEY``; decrypt with that key and with earlier keys."""
    secrets = [settings.SECRET_KEY, *settings.EARLIER_SECRET_KEYS]
    keys = [urlsafe_b64encode(sha256(f"esr.factors:{secret!s}".encode()).digest()) for secret in secrets]
    return MultiFernet([Fernet(key) for key in keys])
