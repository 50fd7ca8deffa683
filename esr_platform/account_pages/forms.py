"""The forms of accounts, and the names that users may have."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from hashlib import sha256
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

from bots.lookalikes import is_reserved
from bots.models import Bot
from esr_platform.accounts import terms
from esr_platform.accounts.models import Scope, Token, User

# --- Names -----------------------------------------------------------------------------------------------------------

LONGEST: Final = 30

valid_username = RegexValidator(
    rf"\A[A-Za-z][A-Za-z0-9_-]{{2,{LONGEST - 1}}}\Z",
    gettext_lazy("A user name has 3 to 30 letters, digits, hyphens or underscores, and begins with a letter."),
)
"""Plain letters only: look-alikes from other alphabets would let one name be taken for another."""

of_the_site = RegexValidator(
    r"\A(deleted|user)[-_]*(user)?[-_]*\d+[-_]*\Z",
    gettext_lazy("Names like this one are given by the site. Choose another one."),
    inverse_match=True,
    flags=re.IGNORECASE,
)
"""What an account is called that is deleted, or whose name staff took away (``deleted_name``, ``remove_name``)."""


def not_reserved(name: str) -> None:
    """Raises ``ValidationError`` for a name that would look like the site itself, however it is written."""
    if is_reserved(name):
        raise ValidationError(gettext_lazy("This name cannot be had. Choose another one."))


def never_had(name: str) -> None:
    """Raises ``ValidationError`` for the name of somebody who is gone, so that nobody can be taken for them."""
    former: Any = apps.get_model("accounts", "FormerName")
    if former.objects.filter(digest=fingerprint(name)).exists():
        raise ValidationError(gettext_lazy("This name cannot be had. Choose another one."))


def not_alike(name: str, person: Any = None) -> None:
    """Raises ``ValidationError`` for a name that looks like another user name, or like a bot's name or slug.

    ``person`` is who chooses it, if they have an account: their own bots do not count. Names that differ in case alone
    are allauth's to refuse.
    """
    people: Any = apps.get_model("accounts", "User")
    if people.objects.filter(username__iexact=name).exists():
        return
    from bots.names import is_bot_name, is_user_name  # it imports models, and the settings name this module

    if is_user_name(name, person) or is_bot_name(name, person):
        raise ValidationError(gettext_lazy("This name cannot be had. Choose another one."))


for_anyone: Final[list[Callable[[Any], None]]] = [valid_username, of_the_site, not_reserved, never_had]
"""The validators that do not depend on who chooses a name."""

validators: Final[list[Callable[[Any], None]]] = [*for_anyone, not_alike]
"""What a name has to pass at sign-up (``ACCOUNT_USERNAME_VALIDATORS``)."""


def fingerprint(name: str) -> str:
    """What is kept of a name: the same for spellings that differ in case or in hyphens and underscores alone."""
    return sha256(f"former name: {_plain(name)}".encode()).hexdigest()


def _plain(name: str) -> str:
    return name.casefold().replace("_", "").replace("-", "")


def deleted_name(person: int) -> str:
    """What a deleted account is called."""
    return f"deleted-user-{person}"


def remove_name(person: int) -> str:
    """What an account is called whose name staff took away, until its owner chooses another one."""
    return f"user-{person}"


# --- Forms -----------------------------------------------------------------------------------------------------------

MAY: Final = {
    Scope.READ.value: gettext_lazy("read what you may see: private ladders too, and what checks have found"),
    Scope.PLAY.value: gettext_lazy("play with your remote bots"),
    Scope.UPLOAD.value: gettext_lazy("upload bots and versions, and register remote bots"),
    Scope.MANAGE.value: gettext_lazy("manage bots: activate versions, join and leave ladders, order matches"),
}
LIFETIMES: Final = {
    "30": gettext_lazy("30 days"),
    "365": gettext_lazy("a year"),
    "": gettext_lazy("until it is revoked"),
}
_LONGEST_REASON: Final = 400
_LONGEST_LOGIN: Final = 254


def words_of_signup(fields: dict[str, forms.Field]) -> None:
    """Say what is asked at sign-up, and ask for the terms."""
    _say(
        fields["username"],
        gettext_lazy("User name"),
        gettext_lazy("Letters, digits, hyphens, underscores. Everybody sees it."),
    )
    _say(fields["email"], gettext_lazy("E-mail"), gettext_lazy("A code is sent there. Nobody else sees it."))
    sentence = gettext_lazy("Results and records of your bots are published under {licence}. {link}.")
    text = format_html(
        str(sentence),
        licence=terms.LICENCE,
        link=format_html('<a href="{}" target="_blank">{}</a>', reverse("terms"), gettext("All the terms")),
    )
    wrong = {"required": gettext_lazy("Without the terms there is no account. Read them, and tick this if you agree.")}
    fields["terms"] = forms.BooleanField(label=gettext_lazy("I accept the terms"), help_text=text, error_messages=wrong)


class SignupInOurWords:
    """What every form of a sign-up of allauth's has here: this site's words, and the terms."""

    fields: dict[str, forms.Field]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        words_of_signup(self.fields)

    def custom_signup(self, request: Any, user: Any) -> None:
        super().custom_signup(request, user)  # type: ignore[misc]
        terms.accept(user)


class SignupForm(SignupInOurWords, allauth_forms.SignupForm):  # type: ignore[misc]
    """allauth's form."""

    def try_save(self, request: Any) -> Any:
        """Hash the password also for an email address that has an account, or the time would tell that it has one."""
        if self.account_already_exists:
            make_password(self.cleaned_data["password1"])
        return super().try_save(request)


class LoginForm(allauth_forms.LoginForm):  # type: ignore[misc]
    """allauth's form in this site's words."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _say(self.fields["login"], gettext_lazy("User name or e-mail"), "")
        _say(self.fields["remember"], gettext_lazy("Stay signed in"), "")
        login: Any = self.fields["login"]
        login.max_length = _LONGEST_LOGIN
        login.validators.append(MaxLengthValidator(_LONGEST_LOGIN))
        login.widget.attrs.update({"autocomplete": "username", "maxlength": _LONGEST_LOGIN})

    def user_credentials(self) -> dict[str, Any]:
        """What is tried, with what was typed: axes counts by that (``guessing.whose_account``)."""
        return {**super().user_credentials(), "login": self.cleaned_data["login"]}


class ResetPasswordForm(allauth_forms.ResetPasswordForm):  # type: ignore[misc]
    """allauth's form in this site's words."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _say(self.fields["email"], gettext_lazy("E-mail"), "")


class AddEmailForm(allauth_forms.AddEmailForm):  # type: ignore[misc]
    """allauth's form in this site's words."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _say(self.fields["email"], gettext_lazy("E-mail"), gettext_lazy("A code is sent there."))


def _say(field: forms.Field, label: Any, help_text: Any) -> None:
    field.label, field.help_text = label, help_text


class TokenForm(forms.Form):
    """A name, what it may do or the one remote bot that it plays, and for how long."""

    name = forms.CharField(
        label=gettext_lazy("What is it for?"),
        max_length=Token._meta.get_field("name").max_length,
        help_text=gettext_lazy("For example: laptop."),
    )
    bot = forms.ModelChoiceField(
        Bot.objects.none(),
        label=gettext_lazy("One bot alone"),
        required=False,
        to_field_name="slug",
        empty_label=gettext_lazy("no: what is ticked below"),
        help_text=gettext_lazy("A token of a remote bot plays as this bot, and can do nothing else."),
    )
    scopes = forms.MultipleChoiceField(
        label=gettext_lazy("It may"),
        choices=list(MAY.items()),
        widget=forms.CheckboxSelectMultiple,
        required=False,
        initial=[Scope.UPLOAD.value],
    )
    days = forms.ChoiceField(
        label=gettext_lazy("It works for"), choices=list(LIFETIMES.items()), required=False, initial="365"
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
            self.add_error("scopes", gettext_lazy("Tick what it may do."))
        return asked

    @property
    def bot_alone(self) -> Bot | None:
        """The one remote bot that it is to play; ``None`` for a token of the person's."""
        found: Bot | None = self.cleaned_data.get("bot")
        return found

    @property
    def lifetime(self) -> timedelta | None:
        """How long the token is to work; ``None``: until it is revoked."""
        days = self.cleaned_data["days"]
        return timedelta(days=int(days)) if days else None

    @property
    def chosen_scopes(self) -> list[Scope]:
        """The scopes that were ticked."""
        return [Scope(value) for value in self.cleaned_data["scopes"]]


class DeleteForm(forms.Form):
    """The user name once more, so that nobody deletes an account by a slip."""

    username = forms.CharField(
        label=gettext_lazy("Your user name"), max_length=150, widget=forms.TextInput({"autocomplete": "off"})
    )

    def __init__(self, person: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.person = person

    def clean_username(self) -> str:
        typed: str = self.cleaned_data["username"]
        if typed.strip().casefold() != self.person.username.casefold():
            raise ValidationError(gettext_lazy("That is not your user name. Nothing was deleted."))
        return typed


class NameForm(forms.Form):
    """Another user name, for somebody whose name staff took away."""

    username = forms.CharField(label=gettext_lazy("User name"), max_length=LONGEST, validators=for_anyone)

    def __init__(self, person: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.person = person

    def clean_username(self) -> str:
        name: str = self.cleaned_data["username"]
        not_alike(name, self.person)
        return name


class ReasonForm(forms.Form):
    """Why staff does something to an account; its owner reads it."""

    reason = forms.CharField(
        label=gettext_lazy("Why?"),
        max_length=_LONGEST_REASON,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=gettext_lazy("The person reads it, and it stays on record."),
    )
