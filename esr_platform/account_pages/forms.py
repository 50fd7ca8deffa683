"""Account forms and username validators."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any, Final

from allauth.account import forms as allauth_forms
from django import forms
from django.apps import apps
from django.contrib.auth.hashers import make_password
from django.core.exceptions import ValidationError
from django.core.validators import MaxLengthValidator, RegexValidator
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext, gettext_lazy

from bots.lookalikes import has_banned_word, is_reserved
from bots.models import Bot
from esr_platform.accounts import terms
from esr_platform.accounts.models import Role, Scope, Token, User

# --- Names -----------------------------------------------------------------------------------------------------------

LONGEST: Final = 30

valid_username = RegexValidator(
    rf"\A[A-Za-z][A-Za-z0-9_-]{{2,{LONGEST - 1}}}\Z",
    gettext_lazy("Use 3 to 30 letters (a to z), digits, hyphens or underscores, starting with a letter."),
)
"""ASCII letters only, so that look-alikes from other alphabets cannot imitate another name."""

of_the_site = RegexValidator(
    r"\A(deleted|user)[-_]*(user)?[-_]*\d+[-_]*\Z",
    gettext_lazy("Names of this form are reserved for the site. Choose another name."),
    inverse_match=True,
    flags=re.IGNORECASE,
)
"""The form of names of deleted accounts and of accounts without a name (``deleted_name``, ``remove_name``)."""


def not_reserved(name: str) -> None:
    """Raise ``ValidationError`` for an offensive name or one that looks like the site itself, in any spelling."""
    if is_reserved(name) or has_banned_word(name):
        raise ValidationError(gettext_lazy("This username is not available. Choose another name."))


def never_had(name: str) -> None:
    """Raise ``ValidationError`` for the former name of another user, so that no one can impersonate them."""
    former: Any = apps.get_model("accounts", "FormerName")
    if former.objects.filter(digest=former.digest_of(name)).exists():
        raise ValidationError(gettext_lazy("This username is not available. Choose another name."))


def not_alike(name: str, person: Any = None) -> None:
    """Raise ``ValidationError`` for a name that looks like another username, or like the name or slug of a bot.

    The bots of ``person``, who chooses the name, do not count. allauth refuses names that differ only in case.
    """
    people: Any = apps.get_model("accounts", "User")
    if people.objects.filter(username__iexact=name).exists():
        return
    from bots.names import is_bot_name, is_user_name  # not at the top: the settings name this module

    if is_user_name(name, person) or is_bot_name(name, person):
        raise ValidationError(gettext_lazy("This username is not available. Choose another name."))


for_anyone: Final[list[Callable[[Any], None]]] = [valid_username, of_the_site, not_reserved, never_had]
"""The validators that do not depend on the user who chooses a name."""

validators: Final[list[Callable[[Any], None]]] = [*for_anyone, not_alike]
"""The validators for sign-up (``ACCOUNT_USERNAME_VALIDATORS``)."""


def deleted_name(person: int) -> str:
    """The username of a deleted account."""
    return f"deleted-user-{person}"


def remove_name(person: int) -> str:
    """The username of an account whose name a moderator removed, until its owner chooses another one."""
    return f"user-{person}"


# --- Forms -----------------------------------------------------------------------------------------------------------

MAY: Final = {
    Scope.READ.value: gettext_lazy("Read everything that you can see, such as private ladders and validation reports"),
    Scope.PLAY.value: gettext_lazy("Play with your remote bots"),
    Scope.UPLOAD.value: gettext_lazy("Upload bots and versions, and register remote bots"),
    Scope.MANAGE.value: gettext_lazy(
        "Manage bots: activate versions, join and leave ladders, request matches, enter and organize cups"
    ),
}
LIFETIMES: Final = {
    "30": gettext_lazy("After 30 days"),
    "365": gettext_lazy("After 1 year"),
    "": gettext_lazy("Never"),
}
_PASSWORD: Final = gettext_lazy("At least 8 characters. Not a common password, and not like your username or email.")
_LONGEST_REASON: Final = 400
_LONGEST_LOGIN: Final = 254


def words_of_signup(fields: dict[str, forms.Field]) -> None:
    """Label the fields of a sign-up form and add the acceptance of the terms."""
    _say(
        fields["username"],
        gettext_lazy("Username"),
        gettext_lazy("Public. 3 to 30 letters, digits, hyphens and underscores; the first is a letter."),
    )
    _say(fields["email"], gettext_lazy("Email"), gettext_lazy("Not public. You get a code to verify this address."))
    if "password1" in fields:
        _say(fields["password1"], gettext_lazy("Password"), _PASSWORD)
    sentence = gettext_lazy("Results and game records of your bots are published under {licence}. {link}.")
    text = format_html(
        str(sentence),
        licence=terms.LICENCE,
        link=format_html('<a href="{}" target="_blank">{}</a>', reverse("terms"), gettext("Read the terms")),
    )
    wrong = {"required": gettext_lazy("You must accept the terms to create an account.")}
    fields["terms"] = forms.BooleanField(label=gettext_lazy("I accept the terms"), help_text=text, error_messages=wrong)


class SignupFields:
    """The part that all sign-up forms share: labels and the acceptance of the terms."""

    fields: dict[str, forms.Field]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        words_of_signup(self.fields)

    def custom_signup(self, request: Any, user: Any) -> None:
        super().custom_signup(request, user)  # type: ignore[misc]
        terms.accept(user)


class SignupForm(SignupFields, allauth_forms.SignupForm):  # type: ignore[misc]
    """Sign up with an email address and a password."""

    def try_save(self, request: Any) -> Any:
        """Hash the password even if the address has an account, so that the response time does not reveal it."""
        if self.account_already_exists:
            make_password(self.cleaned_data["password1"])
        return super().try_save(request)


class LoginForm(allauth_forms.LoginForm):  # type: ignore[misc]
    """Sign in with a username or email address and a password."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _say(self.fields["login"], gettext_lazy("Username or email"), "")
        _say(self.fields["remember"], gettext_lazy("Stay signed in"), "")
        login: Any = self.fields["login"]
        login.max_length = _LONGEST_LOGIN
        login.validators.append(MaxLengthValidator(_LONGEST_LOGIN))
        login.widget.attrs.update({"autocomplete": "username", "maxlength": _LONGEST_LOGIN})


class ResetPasswordForm(allauth_forms.ResetPasswordForm):  # type: ignore[misc]
    """Ask for an email with a link to choose a new password."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _say(self.fields["email"], gettext_lazy("Email"), "")


class AddEmailForm(allauth_forms.AddEmailForm):  # type: ignore[misc]
    """Add an email address to an account."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _say(
            self.fields["email"],
            gettext_lazy("New email address"),
            gettext_lazy("You get a code to verify this address."),
        )


class ChangePasswordForm(allauth_forms.ChangePasswordForm):  # type: ignore[misc]
    """Change a password."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["oldpassword"].label = gettext_lazy("Current password")
        _label_new_password(self.fields)


class SetPasswordForm(allauth_forms.SetPasswordForm):  # type: ignore[misc]
    """Set the first password of an account that was created with a linked account."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _label_new_password(self.fields)


class ResetPasswordKeyForm(allauth_forms.ResetPasswordKeyForm):  # type: ignore[misc]
    """Choose a new password with the link of an email."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _label_new_password(self.fields)


def _label_new_password(fields: dict[str, forms.Field]) -> None:
    _say(fields["password1"], gettext_lazy("New password"), _PASSWORD)
    fields["password2"].label = gettext_lazy("New password (again)")


def _say(field: forms.Field, label: Any, help_text: Any) -> None:
    field.label, field.help_text = label, help_text


class TokenForm(forms.Form):
    """Create an API token: its name, its scopes or its remote bot, and its lifetime."""

    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=Token._meta.get_field("name").max_length,
        help_text=gettext_lazy("For example: laptop"),
    )
    bot = forms.ModelChoiceField(
        Bot.objects.none(),
        label=gettext_lazy("Remote bot"),
        required=False,
        to_field_name="slug",
        empty_label=gettext_lazy("None (use the scopes below)"),
        help_text=gettext_lazy("A token for a remote bot can only play as this bot. Its scopes are ignored."),
    )
    scopes = forms.MultipleChoiceField(
        label=gettext_lazy("Scopes"),
        choices=list(MAY.items()),
        widget=forms.CheckboxSelectMultiple,
        required=False,
        initial=[Scope.UPLOAD.value],
    )
    days = forms.ChoiceField(
        label=gettext_lazy("Expiry"), choices=list(LIFETIMES.items()), required=False, initial="365"
    )

    def __init__(self, person: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        remote = Bot.objects.filter(owner=person, kind=Bot.Kind.REMOTE, retired=None)
        if remote.exists():
            bots: Any = self.fields["bot"]
            bots.queryset = remote.order_by("name")
        else:
            del self.fields["bot"]

    def clean(self) -> dict[str, Any]:
        asked = super().clean() or {}
        if not self.errors and self.bot_alone is None and not asked["scopes"]:
            self.add_error("scopes", gettext_lazy("Select at least one scope."))
        return asked

    @property
    def bot_alone(self) -> Bot | None:
        """The remote bot of the token; ``None`` for a token with scopes."""
        bot: Bot | None = self.cleaned_data.get("bot")
        return bot

    @property
    def lifetime(self) -> timedelta | None:
        """The lifetime of the token; ``None`` if it does not expire."""
        days = self.cleaned_data["days"]
        return timedelta(days=int(days)) if days else None

    @property
    def chosen_scopes(self) -> list[Scope]:
        """The selected scopes."""
        return [Scope(value) for value in self.cleaned_data["scopes"]]


class DeleteForm(forms.Form):
    """Confirm the deletion of an account by entering its username."""

    username = forms.CharField(
        label=gettext_lazy("Enter your username to confirm"),
        max_length=150,
        widget=forms.TextInput({"autocomplete": "off"}),
    )

    def __init__(self, person: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.person = person

    def clean_username(self) -> str:
        typed: str = self.cleaned_data["username"]
        if typed.strip().casefold() != self.person.username.casefold():
            raise ValidationError(gettext_lazy("This is not your username. Your account was not deleted."))
        return typed


class NameForm(forms.Form):
    """Choose a new username after a moderator removed the previous one."""

    username = forms.CharField(label=gettext_lazy("New username"), max_length=LONGEST, validators=for_anyone)

    def __init__(self, person: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.person = person

    def clean_username(self) -> str:
        name: str = self.cleaned_data["username"]
        not_alike(name, self.person)
        return name


class RoleForm(forms.Form):
    """The role of a user, and the reason for the change."""

    username = forms.CharField(label=gettext_lazy("Username"), max_length=150)
    role = forms.TypedChoiceField(
        label=gettext_lazy("Role"),
        choices=[*Role.choices, ("none", gettext_lazy("No role"))],
        coerce=lambda value: None if value == "none" else Role(value),
        empty_value=None,
    )
    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=_LONGEST_REASON,
        help_text=gettext_lazy("The user gets this text by email, and the audit log keeps it."),
    )

    def clean_username(self) -> User:
        """Return the active user with this name, in any case."""
        person = User.objects.filter(username__iexact=self.cleaned_data["username"], is_active=True).first()
        if person is None:
            raise ValidationError(gettext_lazy("No active user has this name. Check the spelling."))
        return person


class AccountReasonForm(forms.Form):
    """The reason for an action on an account."""

    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=_LONGEST_REASON,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=gettext_lazy("The user gets this text by email, and the audit log keeps it."),
    )
