"""What an owner is asked: a file with what goes with it, and what a bot is called and says of itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.text import format_lazy
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from bots import naming, remote
from bots.allowances import allowances
from bots.models import Bot
from esr_platform.accounts.errors import Refused
from ladder.pages.owning.bringing import table_choices, tables_claimed, tables_of
from ladder.pages.words import size


class VersionForm(forms.Form):
    """A file, and the tables that its bot is to sit at."""

    file = forms.FileField(
        label=_("File"),
        allow_empty_file=True,
        help_text=_("One .py, or a .zip with bot.py at its root (or a bot.toml that names another entry)."),
        widget=forms.FileInput(attrs={"accept": ".py,.zip"}),
        error_messages=dict.fromkeys(("required", "invalid"), _("Choose a file: a .py or a .zip.")),
    )
    tables = forms.MultipleChoiceField(
        label=_("Tables that it plays"),
        required=False,
        choices=table_choices,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Tick none to take what its bot.toml says; without one, every table. Each is tried in the check."),
        error_messages={"invalid_choice": _("There is no such table: choose among those shown.")},
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["file"].widget.attrs["data-most-bytes"] = allowances().archive_bytes

    def clean_file(self) -> UploadedFile[Any]:
        """Refuse what is too large before it is read."""
        file: UploadedFile[Any] = self.cleaned_data["file"]
        most = allowances().archive_bytes
        if file.size is not None and file.size > most:
            text = gettext("The file has %(size)s, and %(most)s is the most. Leave out what the bot does not need.")
            raise forms.ValidationError(text % {"size": size(file.size), "most": size(most)})
        return file

    @property
    def content(self) -> bytes:
        """The bytes of the file."""
        data: bytes = self.cleaned_data["file"].read()
        return data

    @property
    def filename(self) -> str:
        """What the file was called where it came from."""
        return self.cleaned_data["file"].name or ""

    @property
    def games(self) -> Mapping[str, Sequence[int]] | None:
        """Seat counts by game, ``None`` to take what the code says."""
        return tables_of(self.cleaned_data["tables"])


class UploadForm(VersionForm):
    """A file that becomes a new bot."""

    name = forms.CharField(
        label=_("Name"),
        required=False,
        strip=True,
        help_text=format_lazy(
            _("At most {count} characters. Leave it empty to take the one in bot.toml."), count=naming.MAX_NAME
        ),
        widget=forms.TextInput(attrs={"maxlength": naming.MAX_NAME, "autocomplete": "off"}),
    )
    field_order = ("file", "name", "tables")

    def clean_name(self) -> str:
        """Refuse what cannot be read or plays tricks; who has a bot of this name is judged with the file."""
        name: str = self.cleaned_data["name"]
        return name and _allowed(naming.clean_name, name)


class DeclarationForm(forms.Form):
    """What a remote bot says of itself: the state of its program, how much it takes on, and where it sits."""

    label = forms.CharField(
        label=_("What plays now"),
        max_length=remote.MOST_LABEL,
        initial=remote.FIRST_LABEL,
        help_text=_("A name for this state of your program, such as a checkpoint. Another name is another version."),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
        error_messages={"required": _("What plays has a name.")},
    )
    games_at_once = forms.IntegerField(
        label=_("Games at once"),
        min_value=1,
        max_value=remote.MOST_GAMES,
        initial=1,
        help_text=_("While it is connected it gets no more than so many; each has a clock of its own."),
    )
    tables = forms.MultipleChoiceField(
        label=_("Tables that it plays"),
        required=False,
        choices=table_choices,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Tick none for every table."),
        error_messages={"invalid_choice": _("There is no such table: choose among those shown.")},
    )

    @classmethod
    def of(cls, bot: Bot, sent: Any = None) -> DeclarationForm:
        """The form with what ``bot`` says now, or with what was sent."""
        version = bot.active_version
        now: dict[str, Any] = {"games_at_once": bot.remote.games_at_once}
        if version is not None:
            now |= {"label": version.label, "tables": tables_claimed(version.claims)}
        return cls(sent, initial=now)

    @property
    def games(self) -> Mapping[str, Sequence[int]] | None:
        """Seat counts by game, ``None`` for every table."""
        return tables_of(self.cleaned_data["tables"])


class RegisterForm(DeclarationForm):
    """A new remote bot."""

    name = forms.CharField(
        label=_("Name"),
        help_text=format_lazy(_("At most {count} characters."), count=naming.MAX_NAME),
        widget=forms.TextInput(attrs={"maxlength": naming.MAX_NAME, "autocomplete": "off"}),
        error_messages={"required": _("A bot has a name.")},
    )
    field_order = ("name", "label", "games_at_once", "tables")

    def clean_name(self) -> str:
        """Refuse what cannot be read or plays tricks."""
        return _allowed(naming.clean_name, self.cleaned_data["name"])


class WordsForm(forms.Form):
    """What a bot is called and what it says of itself."""

    name = forms.CharField(
        label=_("Name"),
        help_text=_("Its address stays the same."),
        widget=forms.TextInput(attrs={"maxlength": naming.MAX_NAME, "autocomplete": "off"}),
        error_messages={"required": _("A bot has a name.")},
    )
    description = forms.CharField(
        label=_("Description"),
        required=False,
        help_text=format_lazy(
            _("What it does, for everybody; at most {count} characters, plain text."), count=naming.MAX_DESCRIPTION
        ),
        widget=forms.Textarea(attrs={"rows": 5, "maxlength": naming.MAX_DESCRIPTION}),
    )

    def __init__(self, bot: Bot, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial = {"name": bot.name, "description": bot.description}
        self.bot = bot

    def clean_name(self) -> str:
        assert self.bot.owner is not None
        owner = self.bot.owner
        return _allowed(lambda name: naming.name_for(owner, name, self.bot), self.cleaned_data["name"])

    def clean_description(self) -> str:
        return _allowed(lambda text: naming.description_for(self.bot, text), self.cleaned_data["description"])


def _allowed(judge: Any, text: str) -> str:
    try:
        judged: str = judge(text)
    except Refused as refusal:
        raise forms.ValidationError(str(refusal)) from refusal
    return judged
