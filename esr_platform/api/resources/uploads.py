"""Uploads of bots, registration of remote bots, activation of versions, and limits."""

from __future__ import annotations

from dataclasses import asdict
from http import HTTPStatus
from typing import Annotated, Final, Literal

import msgspec
from django.http import Http404
from django.urls import reverse
from django.utils import timezone
from msgspec import Meta, Struct
from rest_framework.exceptions import ValidationError
from rest_framework.parsers import MultiPartParser
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response

from bots import remote
from bots.limits import allowances
from bots.machines import installed_languages, offered_libraries
from bots.models import Bot, BotVersion
from bots.names import MAX_NAME
from bots.protocol import Limits
from bots.uploads.upload import upload_new_bot, upload_version
from esr_platform.accounts.models import Scope
from esr_platform.api.documents import NO_NUL, Document, File, Form, about, operation, read_body, text
from esr_platform.api.endpoint import Endpoint
from esr_platform.api.http import JsonParser, refusals
from esr_platform.api.resources.bots import Bots, BotVersionDocument, Versions, own_version
from esr_platform.api.resources.views import Reading, Writing, person_of
from games.registry import GAMES
from ladder.members import memberships

# --- Forms -----------------------------------------------------------------------------------------------------------

_MOST_SEATS: Final = max(count for game in GAMES.values() for count in game.seat_counts)
_MOST_GAMES: Final = 500
"""Maximum number of characters; all games with all seat counts need a third of it."""

_SPACE: Final = r"[ \t\n\r]*"
_COUNTS: Final = rf'"[-a-z0-9]{{1,60}}"{_SPACE}:{_SPACE}\[{_SPACE}[2-5]({_SPACE},{_SPACE}[2-5]){{0,3}}{_SPACE}\]'
_WRITTEN: Final = {
    "pattern": rf"^({_SPACE}\{{{_SPACE}({_COUNTS}({_SPACE},{_SPACE}{_COUNTS}){{0,2}})?{_SPACE}\}}{_SPACE})?$"
}
"""JSON with any spacing, or an empty string."""

_TABLES: Final = {"die-weinhaendler": [3, 4]}

Formats = dict[str, Annotated[list[Annotated[int, Meta(ge=2, le=_MOST_SEATS)]], Meta(max_length=_MOST_SEATS)]]
"""Seat counts by game. ``bots.uploads`` checks whether these formats exist."""

Label = Annotated[
    str, text("Label of the version, such as the checkpoint of your program.", remote.MOST_LABEL, "step 1000")
]
GamesAtOnce = Annotated[int, about("Maximum number of simultaneous games.", 4, ge=1, le=remote.MOST_GAMES)]


class UploadForm(Struct, kw_only=True):
    """A new version as `multipart/form-data`."""

    file: Annotated[File, about("A .py file, or a .zip archive with bot.py or bot.toml at the top level.", "bot.zip")]
    games: Annotated[
        str,
        about(
            "Supported formats as JSON: seat counts by game; by default those in bot.toml, or all formats.",
            '{"die-weinhaendler": [3, 4]}',
            max_length=_MOST_GAMES,
            extra_json_schema=_WRITTEN,
        ),
    ] = ""

    def chosen(self) -> Formats | None:
        """Return the formats, or ``None`` if the field is missing. Raises ``ValidationError``."""
        try:
            return msgspec.json.decode(self.games, type=dict[str, list[int]]) if self.games else None
        except msgspec.DecodeError:
            raise ValidationError({"games": ['Must be JSON, for example {"die-weinhaendler": [3, 4]}.']}) from None


class NewBotForm(UploadForm):
    """A new bot as `multipart/form-data`."""

    name: Annotated[
        str, about("Name of the bot; by default the name in bot.toml.", "Citrine", max_length=MAX_NAME, pattern=NO_NUL)
    ] = ""


class RemoteBotForm(Form):
    """A new remote bot. Its program runs on your own machine."""

    name: Annotated[str, text("Name of the bot.", MAX_NAME, "Garnet")]
    kind: Annotated[Literal["remote"], about("Always `remote`.")] = "remote"
    games: Annotated[Formats | None, about("Supported formats: seat counts by game; by default all.", _TABLES)] = None
    label: Label = remote.FIRST_LABEL
    games_at_once: GamesAtOnce = 1


class LabelForm(Form):
    """A new version of a remote bot. A label that the bot already used selects that version again."""

    label: Label
    games: Annotated[
        Formats | None,
        about("Supported formats: seat counts by game; by default those of the active version.", _TABLES),
    ] = None


# --- Uploads ---------------------------------------------------------------------------------------------------------


class _Uploads(Reading):
    """Base class for uploads. Reading is public; uploads need a token with the scope ``upload``.

    Code is sent as a form. Data of remote bots is sent as JSON, and has its own URLs: many generated clients support
    only one media type per operation. The URLs of uploads also accept the JSON, as they did before.
    """

    scope = Scope.UPLOAD
    parser_classes = [MultiPartParser, JsonParser]

    @property
    def throttle_scope(self) -> str:
        return "upload" if self.request.method == "POST" else "read"


class NewBot(_Uploads, Bots):
    """At ``/api/v1/bots``."""

    @operation(
        "upload_bot",
        "Upload a bot",
        BotVersionDocument,
        body={"multipart/form-data": NewBotForm},
        statuses=(201, 200),
    )
    def post(self, request: Request) -> Response:
        """Uploads code as a form. A repeated request returns the existing version.

        The code is validated first: the `state` of the version changes from `received` to `ready` or `refused`.
        """
        if _is_json(request):
            return _register(request)
        form = read_body(request.data, NewBotForm)
        formats, owner = form.chosen(), person_of(request)
        with refusals():
            return _uploaded(upload_new_bot(owner, form.name, str(form.file.name), form.file.read(), formats))


class NewVersion(_Uploads, Versions):
    """At ``/api/v1/bots/{slug}/versions``."""

    @operation(
        "upload_version",
        "Upload a version",
        BotVersionDocument,
        body={"multipart/form-data": UploadForm},
        statuses=(201, 200),
    )
    def post(self, request: Request, slug: str) -> Response:
        """Uploads code as a form. Code that the bot already used returns the existing version."""
        if _is_json(request):
            return _label(request, slug)
        bot = _bot(request, slug)
        form = read_body(request.data, UploadForm)
        formats = form.chosen()
        with refusals():
            return _uploaded(upload_version(bot, str(form.file.name), form.file.read(), formats))


class NewRemoteBot(Writing):
    """At ``/api/v1/remote-bots``."""

    scope = Scope.UPLOAD

    @operation("register_bot", "Register a remote bot", BotVersionDocument, body=RemoteBotForm, statuses=(201, 200))
    def post(self, request: Request) -> Response:
        """Registers a remote bot. A repeated request returns the existing version.

        The bot joins all remote-bot ladders whose format it supports. It gets games while it is online.
        """
        return _register(request)


class NewLabel(Writing):
    """At ``/api/v1/remote-bots/{slug}/versions``."""

    scope = Scope.UPLOAD

    @operation("label_version", "Label a version", BotVersionDocument, body=LabelForm, statuses=(201, 200))
    def post(self, request: Request, slug: str) -> Response:
        """Sets the label of a remote bot. A label that the bot already used returns the existing version."""
        return _label(request, slug)


def _register(request: Request) -> Response:
    began, owner, form = timezone.now(), person_of(request), read_body(request.data, RemoteBotForm)
    with refusals():
        version = memberships.register(owner, form.name, form.games, form.label, form.games_at_once)
        return _at_its_url(version, is_new=version.created >= began)


def _label(request: Request, slug: str) -> Response:
    began, bot, form = timezone.now(), _bot(request, slug), read_body(request.data, LabelForm)
    with refusals():
        version = memberships.declare(bot, label=form.label, formats=form.games)
        assert version is not None
        return _at_its_url(version, is_new=version.created >= began)


class Activation(Endpoint):
    """At ``/api/v1/bots/{slug}/versions/{number}/activate``."""

    scope = Scope.MANAGE
    throttle_scope = "manage"

    @operation("activate_version", "Activate a version", BotVersionDocument)
    def post(self, request: Request, slug: str, number: int) -> Response:
        """Makes an older or newer version the active one. New games use it; running games are not affected."""
        version = _bot(request, slug).versions.filter(number=number).first()
        if version is None:
            raise Http404(f"Version {number} of {slug} not found.")
        with refusals():
            memberships.activate(version)
        return Response(own_version(version))


def _bot(request: Request, slug: str) -> Bot:
    """Return a bot of the user. Raises ``Http404`` for bots of other users and for unknown bots."""
    bot = Bot.objects.of_code().select_related("owner").filter(owner=person_of(request), slug=slug).first()
    if bot is None:
        raise Http404(f"You have no bot with the slug '{slug}'.")
    return bot


def _uploaded(version: BotVersion) -> Response:
    return _at_its_url(version, is_new=version.uploads.count() == 1)


def _at_its_url(version: BotVersion, *, is_new: bool) -> Response:
    """Return the version with its URL and status 201 if it is new, else 200."""
    url = reverse("api:version", args=(version.bot.slug, version.number))
    status = HTTPStatus.CREATED if is_new else HTTPStatus.OK
    return Response(own_version(version), status, headers={"Location": url})


def _is_json(request: Request) -> bool:
    return str(request.content_type).partition(";")[0].strip().lower() == JsonParser.media_type


# --- Limits ----------------------------------------------------------------------------------------------------------


class LanguageDocument(Document):
    """A programming language for bots."""

    name: Annotated[str, about("Name in the API.", "python")]
    title: Annotated[str, about("Display name.", "Python")]
    about: Annotated[str, about("Supported versions and tools.", "3.11")]
    version: Annotated[str, about("Installed version; empty if unknown.", "3.11.2")]
    numpy: Annotated[str, about("Installed version of NumPy; empty if unknown or not installed.", "")]


class UploadLimitsDocument(Document):
    """Limits of uploads and games, and the supported programming languages."""

    limits: Annotated[
        dict[str, int],
        about("Limits of uploads and users, in bytes and seconds.", {"archive_bytes": 8388608, "files": 200}),
    ]
    playing: Annotated[
        dict[str, int], about("Limits per bot in a game, in ms and MiB.", {"move_ms": 1000, "memory_mb": 512})
    ]
    languages: Annotated[list[LanguageDocument], about("Supported programming languages.")]
    libraries: Annotated[
        list[str], about("Shared libraries that executables can be linked to.", ["libc.so.6", "libm.so.6"])
    ]


class UploadLimits(Endpoint):
    """At ``/api/v1/uploads/limits``."""

    authentication_classes = []
    permission_classes = [AllowAny]

    @operation("limits", "Get upload limits and programming languages", UploadLimitsDocument)
    def get(self, _request: Request) -> Response:
        """Returns the limits on uploads and games, and the supported programming languages."""
        languages = [
            LanguageDocument(
                name=installed.language.name,
                title=installed.language.title,
                about=installed.language.about,
                version=installed.version,
                numpy=installed.numpy,
            )
            for installed in installed_languages()
        ]
        return Response(
            UploadLimitsDocument(
                limits=allowances().document(),
                playing=asdict(Limits()),
                languages=languages,
                libraries=sorted(offered_libraries()),
            )
        )
