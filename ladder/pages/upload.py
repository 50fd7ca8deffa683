"""Upload a bot or a version: the form, its limits, and its errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib.auth.decorators import login_required
from django.core.files.uploadedfile import UploadedFile
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.text import format_lazy
from django.utils.translation import gettext, gettext_lazy
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from bots import names, remote
from bots.languages import LANGUAGES, Language
from bots.limits import Allowances, allowances
from bots.models import Bot, Machine
from bots.protocol import Limits
from bots.starter_kits import NAME, starting_kit
from bots.uploads.upload import NotStored, upload_new_bot, upload_version
from esr_platform.accounts.errors import NameRefused, Refused, TooMany
from games.game import Game
from games.registry import GAMES
from ladder import access
from ladder.pages.components.responses import form_status
from ladder.pages.components.words import seat_counts, size
from ladder.pages.version import _download

# --- Limits and languages --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Spoken:
    """A language with what the machines that play have of it; ``version`` and ``numpy`` are empty where none says."""

    language: Language
    version: str
    numpy: str


@dataclass(frozen=True)
class Bringing:
    """Everything that is the same for whoever uploads: what a file may be, and what a bot is given when it plays."""

    allowances: Allowances
    playing: Limits
    languages: Sequence[Spoken]
    games: Sequence[Game]

    @property
    def file_limits(self) -> list[tuple[str, str]]:
        """What a file may be, and how many."""
        its = self.allowances
        return [
            (_("the file"), size(its.archive_bytes)),
            (_("unpacked, together"), size(its.unpacked_bytes)),
            (_("files in a zip"), str(its.files)),
            (_("uploads an hour"), str(its.uploads_an_hour)),
            (_("bots a person"), str(its.bots)),
            (_("bots a person, with retired ones"), str(its.bots_ever)),
        ]

    @property
    def playing_limits(self) -> list[tuple[str, str]]:
        """What a bot may use up in a game."""
        its = self.playing
        return [
            (_("to start"), f"{its.startup_ms / 1000:g}\u00a0s"),
            (_("a decision"), f"{its.move_ms / 1000:g}\u00a0s"),
            (_("more, a game"), f"{its.bank_ms / 1000:g}\u00a0s"),
            (_("a game, together"), f"{its.game_ms / 1000:g}\u00a0s"),
            (_("memory (address space)"), f"{its.memory_mb}\u00a0MiB"),
        ]


def bringing() -> Bringing:
    """The limits as the settings have them, and the languages as the machines have them. One query."""
    return Bringing(
        allowances=allowances(),
        playing=Limits(),
        languages=_spoken(),
        games=list(GAMES.values()),
    )


def _spoken() -> list[Spoken]:
    told = [machine.sandbox for machine in Machine.objects.all() if machine.sandbox["ok"]]
    python, numpy = (", ".join(sorted({one[name] for one in told if one[name]})) for name in ("python", "numpy"))
    return [Spoken(each, python, numpy) if each.is_interpreted else Spoken(each, "", "") for each in LANGUAGES.values()]


def table_choices() -> list[tuple[str, list[tuple[str, str]]]]:
    """The tables to tick, by game, as Django's choices: ``edel-stein-reich:4``, and how many players that is."""
    return [
        (game.name, [(f"{game.slug}:{count}", seat_counts([count])) for count in game.seat_counts])
        for game in GAMES.values()
    ]


def tables_claimed(claims: Mapping[str, Sequence[int]]) -> list[str]:
    """What is to be ticked for these seat counts by game."""
    return [f"{slug}:{count}" for slug, counts in claims.items() for count in counts]


def tables_of(ticked: Sequence[str]) -> dict[str, list[int]] | None:
    """Seat counts by game for what was ticked; ``None`` if nothing was: then the code says which."""
    chosen: dict[str, list[int]] = {}
    for table in ticked:
        slug, _, count = table.partition(":")
        chosen.setdefault(slug, []).append(int(count))
    return chosen or None


# --- Forms -----------------------------------------------------------------------------------------------------------


class VersionForm(forms.Form):
    """A file, and the tables that its bot is to sit at."""

    file = forms.FileField(
        label=gettext_lazy("File"),
        allow_empty_file=True,
        help_text=gettext_lazy("One .py, or a .zip with bot.py at its root (or a bot.toml that names another entry)."),
        widget=forms.FileInput(attrs={"accept": ".py,.zip", "hx-preserve": True}),
        error_messages=dict.fromkeys(("required", "invalid"), gettext_lazy("Choose a file: a .py or a .zip.")),
    )
    tables = forms.MultipleChoiceField(
        label=gettext_lazy("Tables that it plays"),
        required=False,
        choices=table_choices,
        widget=forms.CheckboxSelectMultiple,
        help_text=gettext_lazy(
            "Tick none to take what its bot.toml says; without one, every table. Each is tried in the check."
        ),
        error_messages={"invalid_choice": gettext_lazy("There is no such table: choose among those shown.")},
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
        label=gettext_lazy("Name"),
        required=False,
        strip=True,
        help_text=format_lazy(
            gettext_lazy("At most {count} characters. Leave it empty to take the one in bot.toml."),
            count=names.MAX_NAME,
        ),
        widget=forms.TextInput(attrs={"maxlength": names.MAX_NAME, "autocomplete": "off"}),
    )
    field_order = ("file", "name", "tables")

    def clean_name(self) -> str:
        """Refuse what cannot be read or plays tricks; who has a bot of this name is judged with the file."""
        name: str = self.cleaned_data["name"]
        return name and _allowed(names.clean_name, name)


class DeclarationForm(forms.Form):
    """What a remote bot says of itself: the state of its program, how much it takes on, and where it sits."""

    label = forms.CharField(
        label=gettext_lazy("What plays now"),
        max_length=remote.MOST_LABEL,
        initial=remote.FIRST_LABEL,
        help_text=gettext_lazy(
            "A name for this state of your program, such as a checkpoint. Another name is another version."
        ),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
        error_messages={"required": gettext_lazy("What plays has a name.")},
    )
    games_at_once = forms.IntegerField(
        label=gettext_lazy("Games at once"),
        min_value=1,
        max_value=remote.MOST_GAMES,
        initial=1,
        help_text=gettext_lazy("While it is connected it gets no more than so many; each has a clock of its own."),
    )
    tables = forms.MultipleChoiceField(
        label=gettext_lazy("Tables that it plays"),
        required=False,
        choices=table_choices,
        widget=forms.CheckboxSelectMultiple,
        help_text=gettext_lazy("Tick none for every table."),
        error_messages={"invalid_choice": gettext_lazy("There is no such table: choose among those shown.")},
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
        label=gettext_lazy("Name"),
        help_text=format_lazy(gettext_lazy("At most {count} characters."), count=names.MAX_NAME),
        widget=forms.TextInput(attrs={"maxlength": names.MAX_NAME, "autocomplete": "off"}),
        error_messages={"required": gettext_lazy("A bot has a name.")},
    )
    field_order = ("name", "label", "games_at_once", "tables")

    def clean_name(self) -> str:
        """Refuse what cannot be read or plays tricks."""
        return _allowed(names.clean_name, self.cleaned_data["name"])


class WordsForm(forms.Form):
    """What a bot is called and what it says of itself."""

    name = forms.CharField(
        label=gettext_lazy("Name"),
        help_text=gettext_lazy("Its address stays the same."),
        widget=forms.TextInput(attrs={"maxlength": names.MAX_NAME, "autocomplete": "off"}),
        error_messages={"required": gettext_lazy("A bot has a name.")},
    )
    description = forms.CharField(
        label=gettext_lazy("Description"),
        required=False,
        help_text=format_lazy(
            gettext_lazy("What it does, for everybody; at most {count} characters, plain text."),
            count=names.MAX_DESCRIPTION,
        ),
        widget=forms.Textarea(attrs={"rows": 5, "maxlength": names.MAX_DESCRIPTION}),
    )

    def __init__(self, bot: Bot, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial = {"name": bot.name, "description": bot.description}
        self.bot = bot

    def clean_name(self) -> str:
        assert self.bot.owner is not None
        owner = self.bot.owner
        return _allowed(lambda name: names.name_for(owner, name, self.bot), self.cleaned_data["name"])

    def clean_description(self) -> str:
        return _allowed(lambda text: names.description_for(self.bot, text), self.cleaned_data["description"])


def _allowed(judge: Any, text: str) -> str:
    try:
        judged: str = judge(text)
    except Refused as refusal:
        raise forms.ValidationError(str(refusal)) from refusal
    return judged


# --- Views -----------------------------------------------------------------------------------------------------------


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def upload(request: HttpRequest) -> HttpResponse:
    """Bring a new bot; who has not signed in sees what is wanted, and where to sign in."""
    if not request.user.is_authenticated:
        return render(request, "pages/upload.html", {"page": bringing()})
    form = UploadForm(*_sent(request))
    if request.method == "POST" and form.is_valid():
        try:
            version = upload_new_bot(request.user, form.cleaned_data["name"], form.filename, form.content, form.games)
            return redirect("pages:bot", version.bot.slug)
        except (Refused, NotStored) as refusal:
            _say(form, refusal)
    status = form_status(form)
    return render(request, "pages/upload.html", {"page": bringing(), "form": form}, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def new_version(request: HttpRequest, slug: str) -> HttpResponse:
    """Bring other code for a bot."""
    bot = access.bot_changed_by(request.user, slug)
    form = VersionForm(*_sent(request))
    if request.method == "POST" and form.is_valid():
        try:
            upload_version(bot, form.filename, form.content, form.games)
            return redirect("pages:bot", bot.slug)
        except (Refused, NotStored) as refusal:
            _say(form, refusal)
    status = form_status(form)
    return render(request, "pages/upload.html", {"page": bringing(), "form": form, "bot": bot}, status=status)


def _sent(request: HttpRequest) -> tuple[Any, Any]:
    """What was sent with a form, also if that is nothing; ``None`` before it was sent."""
    return (request.POST, request.FILES) if request.method == "POST" else (None, None)


def _say(form: VersionForm, refusal: Exception) -> None:
    """Put a refusal beside what would have to change."""
    if isinstance(refusal, TooMany | NotStored):
        form.add_error(None, str(refusal))
    elif isinstance(refusal, NameRefused) and form.data.get("name"):
        form.add_error("name", str(refusal))
    else:
        form.add_error("file", str(refusal))


@require_safe
def starter(_request: HttpRequest, slug: str) -> HttpResponse:
    """A first bot for a game, as a zip."""
    if slug not in GAMES:
        raise Http404(_("No game is called %(name)s.") % {"name": slug})
    return _download(f"{NAME}-{slug}.zip", starting_kit(slug), "application/zip")
