"""Upload a bot or a version: the form, its limits, and its errors."""

from __future__ import annotations

from collections.abc import Sequence
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
from bots.languages import Language
from bots.limits import Allowances, allowances, archive_limits
from bots.machines import InstalledLanguage, installed_languages
from bots.models import Bot
from bots.protocol import Limits
from bots.starter_kits import KITS, NAME, Kit, starting_kit
from bots.uploads.upload import NotStored, upload_new_bot, upload_version
from esr_platform.accounts.errors import NameRefused, Refused, TooMany
from esr_platform.downloads import attachment
from games.game import Game
from games.registry import GAMES
from ladder import access
from ladder.pages.components.responses import form_status
from ladder.pages.components.words import grouped, seat_counts, size

# --- Limits and languages --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class UploadRequirements:
    """The parts of the upload page that are the same for all users: limits, languages and games."""

    allowances: Allowances
    playing: Limits
    languages: Sequence[InstalledLanguage]
    games: Sequence[Game]
    kits: Sequence[Kit]

    @property
    def file_limits(self) -> list[tuple[str, str]]:
        """Labels and values of the upload limits."""
        limits = self.allowances
        return [
            (_("File size"), size(limits.archive_bytes)),
            (_("Unpacked size"), size(limits.unpacked_bytes)),
            (_("File size with an executable"), size(limits.executable_archive_bytes)),
            (_("Unpacked size with an executable"), size(limits.executable_unpacked_bytes)),
            (_("Files per .zip file"), str(limits.files)),
            (_("Uploads per hour"), str(limits.uploads_an_hour)),
            (_("Bots per user"), str(limits.bots)),
            (_("Bots per user, including retired bots"), str(limits.bots_ever)),
        ]

    @property
    def playing_limits(self) -> list[tuple[str, str]]:
        """Labels and values of the limits per game."""
        limits = self.playing
        return [
            (_("Startup time"), f"{limits.startup_ms / 1000:g}\u00a0s"),
            *(
                (_("Startup time in %(language)s") % {"language": each.title}, f"{_startup_s(each, limits):g}\u00a0s")
                for each in (installed.language for installed in self.languages)
                if each.start_factor > 1
            ),
            (_("Time per decision"), f"{limits.move_ms / 1000:g}\u00a0s"),
            (_("Time bank per game"), f"{limits.bank_ms / 1000:g}\u00a0s"),
            (_("Total time per game"), f"{limits.game_ms / 1000:g}\u00a0s"),
            (_("Memory"), f"{limits.memory_mb}\u00a0MiB"),
        ]


def _startup_s(language: Language, limits: Limits) -> float:
    return limits.startup_ms * language.start_factor / 1000


def upload_requirements() -> UploadRequirements:
    """Return the limits from the settings and the languages from the machines. One query."""
    return UploadRequirements(
        allowances=allowances(),
        playing=Limits(),
        languages=installed_languages(),
        games=list(GAMES.values()),
        kits=list(KITS.values()),
    )


# --- Forms -----------------------------------------------------------------------------------------------------------


def format_choices() -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the formats by game as grouped choices: values such as ``edel-stein-reich:4`` with labels."""
    return [
        (game.name, [(f"{game.slug}:{count}", seat_counts([count])) for count in game.seat_counts])
        for game in GAMES.values()
    ]


class FormatsField(forms.MultipleChoiceField):
    """The supported formats. Its value is seat counts by game, or ``None`` if nothing is selected."""

    def __init__(self, help_text: Any) -> None:
        super().__init__(
            label=gettext_lazy("Supported formats"),
            required=False,
            choices=format_choices,
            widget=forms.CheckboxSelectMultiple,
            help_text=help_text,
            error_messages={"invalid_choice": gettext_lazy("Unknown format. Select from the list.")},
        )

    def clean(self, value: Any) -> dict[str, list[int]] | None:
        formats: dict[str, list[int]] = {}
        for chosen in super().clean(value):
            slug, _, count = chosen.partition(":")
            formats.setdefault(slug, []).append(int(count))
        return formats or None


class VersionForm(forms.Form):
    """A file and the formats that its bot supports."""

    file = forms.FileField(
        label=gettext_lazy("File"),
        allow_empty_file=True,
        help_text=gettext_lazy("A .py file, or a .zip file with bot.py or bot.toml in its root directory."),
        widget=forms.FileInput(attrs={"accept": ".py,.zip", "hx-preserve": True}),
        error_messages=dict.fromkeys(("required", "invalid"), gettext_lazy("Choose a .py or .zip file.")),
    )
    formats = FormatsField(
        gettext_lazy(
            "Select none to use the formats in bot.toml, or all formats without one. Each format is validated."
        )
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        limits = archive_limits()
        most = {"data-most-bytes": limits.archive_bytes, "data-most-zip-bytes": limits.largest.archive_bytes}
        self.fields["file"].widget.attrs |= most

    def clean_file(self) -> UploadedFile[Any]:
        """Reject a file that is too large in every language before it is read."""
        file: UploadedFile[Any] = self.cleaned_data["file"]
        limits = archive_limits()
        most = (limits.largest if (file.name or "").lower().endswith(".zip") else limits).archive_bytes
        if file.size is not None and file.size > most:
            text = gettext("The file is %(size)s. The limit is %(most)s. Remove files that the bot does not need.")
            raise forms.ValidationError(text % {"size": size(file.size), "most": size(most)})
        return file

    @property
    def content(self) -> bytes:
        """The content of the file."""
        data: bytes = self.cleaned_data["file"].read()
        return data

    @property
    def filename(self) -> str:
        """The original file name."""
        return self.cleaned_data["file"].name or ""


class BotUploadForm(VersionForm):
    """A file for a new bot."""

    name = forms.CharField(
        label=gettext_lazy("Name"),
        required=False,
        strip=True,
        help_text=format_lazy(
            gettext_lazy("Up to {count} characters. Leave this field empty to use the name in bot.toml."),
            count=names.MAX_NAME,
        ),
        widget=forms.TextInput(attrs={"maxlength": names.MAX_NAME, "autocomplete": "off"}),
    )
    field_order = ("file", "name", "formats")

    def clean_name(self) -> str:
        """Reject invalid names. Whether the name is taken is checked together with the file."""
        name: str = self.cleaned_data["name"]
        return name and _allowed(names.clean_name, name)


class RemoteBotSettingsForm(forms.Form):
    """The settings of a remote bot: version label, simultaneous games and formats."""

    label = forms.CharField(
        label=gettext_lazy("Version label"),
        max_length=remote.MOST_LABEL,
        initial=remote.FIRST_LABEL,
        help_text=gettext_lazy(
            "A name for the current state of your program, such as a checkpoint. A new label creates a new version."
        ),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
        error_messages={"required": gettext_lazy("Enter a version label.")},
    )
    games_at_once = forms.IntegerField(
        label=gettext_lazy("Simultaneous games"),
        min_value=1,
        max_value=remote.MOST_GAMES,
        initial=1,
        help_text=gettext_lazy("Maximum number of games that the bot plays in parallel. Each game has its own clock."),
    )
    formats = FormatsField(gettext_lazy("Select none to support all formats."))

    @classmethod
    def of(cls, bot: Bot, sent: Any = None) -> RemoteBotSettingsForm:
        """Return the form with the current settings of ``bot``, or with the submitted ones."""
        version = bot.active_version
        now: dict[str, Any] = {"games_at_once": bot.remote.games_at_once}
        if version is not None:
            now |= {
                "label": version.label,
                "formats": [f"{game}:{count}" for game, counts in version.formats.items() for count in counts],
            }
        return cls(sent, initial=now)


class RegisterForm(RemoteBotSettingsForm):
    """A new remote bot."""

    name = forms.CharField(
        label=gettext_lazy("Name"),
        help_text=format_lazy(gettext_lazy("Up to {count} characters."), count=names.MAX_NAME),
        widget=forms.TextInput(attrs={"maxlength": names.MAX_NAME, "autocomplete": "off"}),
        error_messages={"required": gettext_lazy("Enter a name.")},
    )
    field_order = ("name", "label", "games_at_once", "formats")

    def clean_name(self) -> str:
        """Reject invalid names."""
        return _allowed(names.clean_name, self.cleaned_data["name"])


class WordsForm(forms.Form):
    """The name and the description of a bot."""

    name = forms.CharField(
        label=gettext_lazy("Name"),
        help_text=gettext_lazy("The URL of the bot page does not change."),
        widget=forms.TextInput(attrs={"maxlength": names.MAX_NAME, "autocomplete": "off"}),
        error_messages={"required": gettext_lazy("Enter a name.")},
    )
    description = forms.CharField(
        label=gettext_lazy("Description"),
        required=False,
        help_text=format_lazy(
            gettext_lazy("Shown on the public bot page. Plain text, up to {count} characters."),
            count=grouped(names.MAX_DESCRIPTION),
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
    """Upload a new bot. Guests see the requirements and a sign-in link."""
    if not request.user.is_authenticated:
        return render(request, "pages/upload.html", {"page": upload_requirements()})
    form = BotUploadForm(*_submitted(request))
    if request.method == "POST" and form.is_valid():
        try:
            values = form.cleaned_data
            version = upload_new_bot(request.user, values["name"], form.filename, form.content, values["formats"])
            return redirect("pages:bot", version.bot.slug)
        except (Refused, NotStored) as refusal:
            _add_refusal(form, refusal)
    status = form_status(form)
    return render(request, "pages/upload.html", {"page": upload_requirements(), "form": form}, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def new_version(request: HttpRequest, slug: str) -> HttpResponse:
    """Upload a new version of a bot."""
    bot = access.bot_changed_by(request.user, slug)
    form = VersionForm(*_submitted(request))
    if request.method == "POST" and form.is_valid():
        try:
            upload_version(bot, form.filename, form.content, form.cleaned_data["formats"])
            return redirect("pages:bot", bot.slug)
        except (Refused, NotStored) as refusal:
            _add_refusal(form, refusal)
    status = form_status(form)
    return render(
        request, "pages/upload.html", {"page": upload_requirements(), "form": form, "bot": bot}, status=status
    )


def _submitted(request: HttpRequest) -> tuple[Any, Any]:
    """Return the submitted data and files, also if they are empty; ``None`` before submission."""
    return (request.POST, request.FILES) if request.method == "POST" else (None, None)


def _add_refusal(form: VersionForm, refusal: Exception) -> None:
    """Add a refusal to the field that has to change."""
    if isinstance(refusal, TooMany | NotStored):
        form.add_error(None, str(refusal))
    elif isinstance(refusal, NameRefused) and form.data.get("name"):
        form.add_error("name", str(refusal))
    else:
        form.add_error("file", str(refusal))


@require_safe
def starter(request: HttpRequest, slug: str) -> HttpResponse:
    """Download the starter kit of a game as a zip file, in Python or in the programming language ``?language=``."""
    if slug not in GAMES:
        raise Http404(_("Game %(name)s not found.") % {"name": slug})
    python = next(iter(KITS))
    language = request.GET.get("language", python)
    if language not in KITS:
        raise Http404(_("There is no starter kit for %(name)s.") % {"name": language})
    name = f"{NAME}-{slug}.zip" if language == python else f"{NAME}-{slug}-{language}.zip"
    return attachment(name, starting_kit(slug, language), "application/zip")
