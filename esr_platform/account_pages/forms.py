"""What a person is asked: to sign up, to sign in, and about a token."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final

from allauth.account import forms as allauth_forms
from django import forms
from django.contrib.auth.hashers import make_password
from django.core.exceptions import ValidationError
from django.core.validators import MaxLengthValidator
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from bots.models import Bot
from esr_platform.account_pages import usernames
from esr_platform.accounts import terms
from esr_platform.accounts.models import Scope, Token, User

MAY: Final = {
    Scope.READ.value: _("read what you may see: private ladders too, and what checks have found"),
    Scope.PLAY.value: _("play with your remote bots"),
    Scope.UPLOAD.value: _("upload bots and versions, and register remote bots"),
    Scope.MANAGE.value: _("manage bots: activate versions, join and leave ladders, order matches"),
}
LIFETIMES: Final = {"30": _("30 days"), "365": _("a year"), "": _("until it is revoked")}
_LONGEST_REASON: Final = 400
_LONGEST_LOGIN: Final = 254


def words_of_signup(fields: dict[str, forms.Field]) -> None:
    """Say what is asked at sign-up, and ask for the terms."""
    _say(fields["username"], _("User name"), _("Letters, digits, hyphens, underscores. Everybody sees it."))
    _say(fields["email"], _("E-mail"), _("A code is sent there. Nobody else sees it."))
    sentence = _("Results and records of your bots are published under {licence}. {link}.")
    text = format_html(
        str(sentence),
        licence=terms.LICENCE,
        link=format_html('<a href="{}" target="_blank">{}</a>', reverse("terms"), gettext("All the terms")),
    )
    wrong = {"required": _("Without the terms there is no account. Read them, and tick this if you agree.")}
    fields["terms"] = forms.BooleanField(label=_("I accept the terms"), help_text=text, error_messages=wrong)


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
        _say(self.fields["login"], _("User name or e-mail"), "")
        _say(self.fields["remember"], _("Stay signed in"), "")
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
        _say(self.fields["email"], _("E-mail"), "")


class AddEmailForm(allauth_forms.AddEmailForm):  # type: ignore[misc]
    """allauth's form in this site's words."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _say(self.fields["email"], _("E-mail"), _("A code is sent there."))


def _say(field: forms.Field, label: Any, help_text: Any) -> None:
    field.label, field.help_text = label, help_text


class TokenForm(forms.Form):
    """A name, what it may do or the one remote bot that it plays, and for how long."""

    name = forms.CharField(
        label=_("What is it for?"),
        max_length=Token._meta.get_field("name").max_length,
        help_text=_("For example: laptop."),
    )
    bot = forms.ModelChoiceField(
        Bot.objects.none(),
        label=_("One bot alone"),
        required=False,
        to_field_name="slug",
        empty_label=_("no: what is ticked below"),
        help_text=_("A token of a remote bot plays as this bot, and can do nothing else."),
    )
    scopes = forms.MultipleChoiceField(
        label=_("It may"),
        choices=list(MAY.items()),
        widget=forms.CheckboxSelectMultiple,
        required=False,
        initial=[Scope.UPLOAD.value],
    )
    days = forms.ChoiceField(label=_("It works for"), choices=list(LIFETIMES.items()), required=False, initial="365")

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
            self.add_error("scopes", _("Tick what it may do."))
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
        label=_("Your user name"), max_length=150, widget=forms.TextInput({"autocomplete": "off"})
    )

    def __init__(self, person: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.person = person

    def clean_username(self) -> str:
        typed: str = self.cleaned_data["username"]
        if typed.strip().casefold() != self.person.username.casefold():
            raise ValidationError(_("That is not your user name. Nothing was deleted."))
        return typed


class NameForm(forms.Form):
    """Another user name, for somebody whose name staff took away."""

    username = forms.CharField(label=_("User name"), max_length=usernames.LONGEST, validators=usernames.for_anyone)

    def __init__(self, person: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.person = person

    def clean_username(self) -> str:
        name: str = self.cleaned_data["username"]
        usernames.not_alike(name, self.person)
        return name


class ReasonForm(forms.Form):
    """Why staff does something to an account; its owner reads it."""

    reason = forms.CharField(
        label=_("Why?"),
        max_length=_LONGEST_REASON,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("The person reads it, and it stays on record."),
    )
