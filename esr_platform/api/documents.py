"""What the API says of a bot and of a version. The words of a document are those of the models."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any, Final

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.fields import empty

from bots.models import Bot, BotVersion
from bots.names import MAX_NAME
from ladder.pages.upload import bringing

MAX_GAMES: Final = 500
"""Characters; all games with all their seat counts take a third of that."""


_COUNTS: Final = r'"[-a-z0-9]{1,60}": \[[2-5](, [2-5]){0,3}\]'


@extend_schema_field({"type": "string", "pattern": rf"^\{{({_COUNTS}(, {_COUNTS}){{0,2}})?\}}$"})
class GamesField(serializers.CharField):
    """Seat counts by the game's slug, written as JSON; whether there are such tables is not judged here."""

    def __init__(self, **options: Any) -> None:
        super().__init__(max_length=MAX_GAMES, **options)  # nesting without end would exhaust the parser's stack

    def run_validation(self, data: Any = empty) -> Any:
        """The games, ``None`` where none are chosen. Raises ``ValidationError``."""
        text = super().run_validation(data)
        if text is None:
            return None
        try:
            games = json.loads(text)
        except ValueError:
            games = None
        if not isinstance(games, dict) or not all(_are_counts(counts) for counts in games.values()):
            raise serializers.ValidationError('Write it as JSON: {"die-weinhaendler": [3, 4]}.')
        return games


class UploadForm(serializers.Serializer[Any]):
    """What is sent: ``multipart/form-data`` with the bot's code, and perhaps the bot's name and its tables."""

    file = serializers.FileField(
        allow_empty_file=True, help_text="one .py, or a .zip with bot.py or a bot.toml at its root"
    )
    games = GamesField(
        required=False,
        default=None,
        help_text='the tables it plays, as in {"die-weinhaendler": [3, 4]}; else what bot.toml says, or all of them',
    )


class NewBotForm(UploadForm):
    name = serializers.CharField(
        required=False, default="", allow_blank=True, max_length=MAX_NAME, help_text="else what bot.toml says"
    )


class VersionDocument(serializers.ModelSerializer[BotVersion]):
    """A version for its owner: where it is on its way from ``received`` to ``ready`` or ``refused``, and why."""

    bot = serializers.SlugRelatedField[Bot](slug_field="slug", read_only=True)

    class Meta:
        model = BotVersion
        fields = [
            *(
                "bot",
                "number",
                "label",
                "state",
                "reason",
                "active",
                "digest",
                "filename",
                "size",
                "language",
                "claims",
            ),
            *("created", "checked", "check_report"),
        ]
        read_only_fields = fields


class LimitsDocument(serializers.Serializer[Any]):
    """What an upload may be and a person may upload (bytes, seconds), what a bot is given when it plays, and languages.

    ``version`` and ``numpy`` are those of the machines that play, empty where none has told.
    """

    limits = serializers.DictField(child=serializers.IntegerField())
    playing = serializers.DictField(child=serializers.IntegerField())
    languages = serializers.ListField(child=serializers.DictField(child=serializers.CharField()))


class ProblemDocument(serializers.Serializer[Any]):
    """Every error (RFC 9457): ``detail`` says what to do, ``code`` is for programs."""

    type = serializers.CharField()
    title = serializers.CharField()
    status = serializers.IntegerField()
    detail = serializers.CharField()
    code = serializers.CharField()


def limits() -> dict[str, Any]:
    """The limits and languages of this site, as the page for uploads has them."""
    page = bringing()
    return {
        "limits": page.allowances.document(),
        "playing": asdict(page.playing),
        "languages": [
            {
                "name": one.language.name,
                "title": one.language.title,
                "about": one.language.about,
                "version": one.version,
                "numpy": one.numpy,
            }
            for one in page.languages
        ],
    }


def _are_counts(counts: Any) -> bool:
    return isinstance(counts, list) and all(type(count) is int for count in counts)
